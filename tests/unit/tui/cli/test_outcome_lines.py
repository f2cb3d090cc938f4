"""What the program prints about its runs when it ends."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from sandbox_tui.core.base.defaults import GRACE_SECONDS, RESUMABLE_SECONDS
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.events import types as e
from sandbox_tui.core.sandboxes import left_behind
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.tui.cli.sessions.exit_summary import (
    Shown,
    outcome_lines,
    overview_lines,
    read,
)
from sandbox_tui.tui.cli.sessions.exit_summary import lines as summary_lines
from sandbox_tui.tui.format import next_command
from tests.unit.event_streams import started
from tests.unit.sample_run import keep, sample


@pytest.mark.parametrize("task", ["a short task", "long words " * 40, "長い仕事" * 40])
@pytest.mark.parametrize("width", [40, 80, 300])
def test_the_first_line_fits_the_terminal(own_home: Path, task: str, width: int) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    events, contents = sample("words")
    keep(store, events, contents)
    run = replace(store.run("r"), task=task)
    store.close()
    first = next(outcome_lines(Shown(run), width))
    assert cell_len(first) <= min(width, 120)
    assert first.endswith("…") is (len(task) > 20)


def test_interrupted_calls_are_counted_apart(own_home: Path) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    keep(store, *sample("words"))
    run = store.run("r")
    store.close()
    figures = [line for line in outcome_lines(Shown(run, 1), 80) if " calls" in line]
    assert ", 1 interrupted · " in figures[0]
    assert "interrupted" not in "".join(outcome_lines(Shown(run), 80))


@pytest.mark.parametrize("width", [60, 80])
def test_the_command_stands_on_a_line_of_its_own(own_home: Path, width: int) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    keep(store, *sample("words"))
    run = replace(store.run("r"), id="20261125-232151-68h9b")
    store.close()
    last = list(outcome_lines(Shown(run), width))[-2:]
    assert last == [f"  session {run.id}", f"  sandbox-tui replay {run.id}"]


@pytest.mark.parametrize("width", [40, 80, 300])
def test_many_runs_get_one_line_each(own_home: Path, width: int) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    events, contents = sample("words")
    keep(store, events, contents)
    run = store.run("r")
    store.close()
    runs = [
        replace(run, id=f"20260101-00000{n}-abcd", outcome="submitted", answer="forty\ntwo" * n)
        for n in range(5)
    ]
    failed = replace(runs[0], outcome="cancelled", answer="for")
    printed = list(overview_lines([*map(Shown, runs), Shown(failed)], width))
    assert printed[0].startswith("6 runs: 5 submitted, 1 cancelled")
    assert all(cell_len(line) <= max(width, 45) for line in printed)
    assert printed[1].startswith("  answers: forty …")
    if width == 40:  # the answers are on lines of their own
        numbered = enumerate(runs[:2], 1)
        assert printed[2:6:2] == [f"  {at}  {run.id}  submitted" for at, run in numbered]
        assert printed[5] == "     forty …"  # below the id
        return
    assert all(run.id in line for run, line in zip(runs, printed[2:7], strict=True))
    assert "cancelled" in printed[7]
    if width == 300:
        assert printed[3].endswith("forty …")
        assert printed[7].endswith("cancelled  (not submitted) for")
    assert "replay" in printed[-1]


def test_the_lines_name_the_tasks_if_they_differ(own_home: Path) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    keep(store, *sample("words"))
    run = replace(store.run("r"), task="first task", answer="4")
    store.close()
    same = list(overview_lines([Shown(run)] * 4, 120))
    totals = "120 tok · $0.08 · 00:06"
    assert same[:2] == ["4 runs: 4 submitted · first task", f"  answers: 4 (4) · {totals}"]
    assert same[2] == "  1  r  submitted  4"
    (_, _, line, *_) = overview_lines(
        [Shown(replace(run, outcome="interrupted", answer=None))] * 4, 120
    )
    assert line == f"  1  r  interrupted  {run.steps} steps"
    other = replace(run, task="another task\nin two lines", answer="5")
    printed = list(overview_lines(list(map(Shown, [run, run, run, other])), 120))
    assert printed[0] == "4 runs: 4 submitted"
    assert printed[1] == f"  {totals}"
    assert printed[2] == "  1  r  submitted  first task · 4"
    assert printed[5] == "  4  r  submitted  another task ⏎ in two lines · 5"


def test_very_many_runs_get_one_line_for_each_task_and_outcome(own_home: Path) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    keep(store, *sample("words"))
    run = replace(store.run("r"), task="one", results_dir=None)
    store.close()
    ended = [replace(run, id=f"r{number}") for number in range(30)]
    cut_off = [
        replace(run, id=f"c{number}", task="two", outcome="cancelled") for number in range(33)
    ]
    found = list(overview_lines([*map(Shown, ended), *map(Shown, cut_off)], 80))
    assert found[0] == "63 runs: 33 cancelled, 30 submitted"
    assert "  30 submitted  one" in found
    assert "  33 cancelled  two" in found
    assert "  `sandbox-tui sessions ls --limit 63` lists them" in found
    assert len(found) <= 8
    same = list(overview_lines([*map(Shown, ended)], 80))
    assert same[0] == "30 runs: 30 submitted · one"
    assert not any(line.startswith("  30 submitted") for line in same)


def test_runs_that_wait_are_counted_in_the_plural(own_home: Path) -> None:
    own_home.mkdir()
    with Store(own_home / "sessions.db") as store:
        keep(store, *sample("words"))
        run = replace(store.run("r"), id="counted")
    waits = replace(run, outcome="running", waits=True)
    paused = replace(run, outcome="running", paused=True)

    def first(*runs: RunSummary) -> str:
        return next(overview_lines(list(map(Shown, runs)), 120)).partition(" · ")[0]

    assert first(waits, waits, waits, run) == "4 runs: 3 wait for you, 1 submitted"
    assert first(waits, run, run, paused) == "4 runs: 2 submitted, 1 waits for you, 1 paused"


def test_the_last_lines_name_the_commands_that_open_the_runs(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(next_command, "is_detached", lambda _: True)
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    events, contents = sample("words")
    keep(store, events, contents)
    run = replace(store.run("r"), outcome="running")
    store.close()
    assert list(overview_lines([Shown(run)] * 2, 80))[4:] == [
        "  `sandbox-tui attach ID` opens one of them",
        "  `sandbox-tui attach` opens all detached runs side by side",
    ]
    mixed = [run, replace(run, outcome="submitted"), replace(run, outcome="interrupted")]
    assert list(overview_lines(list(map(Shown, mixed)), 80))[5:] == [
        "  `sandbox-tui attach ID` opens a running one",
        "  `sandbox-tui replay ID` replays an ended one",
        "  `sandbox-tui resume ID` resumes one that was cut off",
    ]


def test_a_run_that_submitted_no_answer_says_why(own_home: Path) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    keep(store, *sample("words"))
    run = replace(store.run("r"), outcome="submitted", answer=None)
    store.close()
    assert "  no answer: output/answer.txt was not written" in list(outcome_lines(Shown(run), 80))


def test_models_that_differ_answers_in_submit_and_folders_are_named(own_home: Path) -> None:
    own_home.mkdir()
    with Store(own_home / "sessions.db") as store:
        keep(store, *sample("words"))
        one = replace(store.run("r"), task="t", outcome="submitted", answer="4")
    said = replace(one, id="q", model="other", answer=None, said="5", results_dir="/out/q")
    runs = [Shown(replace(one, results_dir="/out/r")), Shown(said)]
    printed = list(overview_lines([*runs, *runs], 120))
    assert printed[2] == f"  1  r  submitted  {one.model} · 4"
    assert printed[3] == "  2  q  submitted  other · 5 · said in submit"
    assert printed[6] == "  results in /out/ID"
    only_said = list(overview_lines([Shown(said), Shown(said)], 120))
    assert only_said[2] == "  1  q  submitted  5"  # there is nothing to tell it from
    of_another_task = replace(said, task="another task")
    two_tasks = list(overview_lines([Shown(one), Shown(of_another_task)], 120))
    assert not any("said in submit" in line for line in two_tasks)
    elsewhere = [*runs, Shown(replace(one, id="s", results_dir="/mine"))]
    assert "  results of s in /mine" in list(overview_lines([*elsewhere, *runs], 120))
    assert next(summary_lines(runs, 120)).startswith("2 runs: ")  # the same table from two runs on


def test_an_answer_without_room_beside_its_run_keeps_to_the_column(own_home: Path) -> None:
    own_home.mkdir()
    with Store(own_home / "sessions.db") as store:
        keep(store, *sample("words"))
        run = replace(store.run("r"), task="t", outcome="submitted", answer="no", samples="s")
    long = replace(run, id="q", sample=2, answer="x" * 30)
    printed = list(overview_lines([Shown(replace(run, sample=1)), Shown(long)], 54))
    assert printed[3:5] == ["  2  q  submitted  sample 2", f"{' ' * 19}{'x' * 30}"]


def test_it_says_until_when_a_run_can_be_resumed(store: Store) -> None:
    """Its sandbox outlives this program for a time that is known; another program's is not."""
    lost = e.RunFinished(seq=2, t=1.0, reason="model_unavailable", error="away", totals=e.Totals())
    store.append("r", [started(), lost])
    until = read(store, "r").resumable_until
    assert until is not None
    assert GRACE_SECONDS < until - time.time() <= RESUMABLE_SECONDS
    printed = list(outcome_lines(Shown(store.run("r"), 0, time.time() + 1), 80))
    assert printed[-2].startswith("  resumable until ")
    assert printed[-2].endswith("; later:")
    assert printed[-1] == "  sandbox-tui fork r"
    store.set_owner("r", ProcessIdentity.no_process())
    shown = read(store, "r")
    assert shown.resumable_until is None
    last = ["  session r", "  sandbox-tui resume r"]
    last += ["  if its sandbox is gone:", "  sandbox-tui fork r"]
    assert list(outcome_lines(shown, 80))[-4:] == last
    times = [Shown(store.run("r"), 0, time.time() + 1)] * 4
    assert ", until " in list(overview_lines(times, 120))[-1]


def test_a_run_whose_sandbox_is_gone_is_forked_not_resumed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_behind, "is_gone", lambda *_: True)
    lost = e.RunFinished(seq=2, t=1.0, reason="model_unavailable", error="away", totals=e.Totals())
    store.append("r", [started(), lost])
    shown = read(store, "r")
    assert shown.resumable_until is None
    assert list(outcome_lines(shown, 80))[-3:] == [
        "  session r",
        "  sandbox-tui fork r",
        "  its sandbox is gone: a fork continues in a new one",
    ]
    assert (
        list(overview_lines([shown] * 4, 80))[-1] == "  `sandbox-tui fork ID` continues one of them"
    )


def test_a_long_answer_is_wrapped_at_words(own_home: Path) -> None:
    own_home.mkdir()
    with Store(own_home / "sessions.db") as store:
        keep(store, *sample("words"))
        run = replace(store.run("r"), outcome="submitted", answer=None, said="add.py adds now.")
    printed = list(outcome_lines(Shown(run), 60))
    at = next(number for number, line in enumerate(printed) if "add.py" in line)
    assert all(cell_len(line) <= 60 and line.startswith("  ") for line in printed[at : at + 2])
    words = " ".join(line.strip() for line in printed[at : at + 2])
    assert words == "add.py adds now. (said in submit; output/answer.txt was not written)"
    answer = replace(run, answer="two  blanks stay", said="")
    assert "  two  blanks stay" in list(outcome_lines(Shown(answer), 60))


def test_models_that_differ_are_named_in_a_narrow_terminal(own_home: Path) -> None:
    own_home.mkdir()
    with Store(own_home / "sessions.db") as store:
        keep(store, *sample("words"))
        run = replace(store.run("r"), id="20261125-232151-68h9b", outcome="cancelled", answer=None)
    runs = [Shown(replace(run, model=f"scripted-with-a-long-name-{name}")) for name in "ab"]
    printed = list(overview_lines(runs, 60))
    assert all(cell_len(line) <= 60 for line in printed)
    assert printed[2:5] == [
        f"  1  {run.id}  cancelled",
        "     scripted-with-a-long-name-a",
        f"     {run.steps} steps",
    ]
    assert "     scripted-with-a-long-name-b" in printed
