"""What the program prints about its runs when it ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from sandbox_tui.sessions import Store
from sandbox_tui.tui.cli.show_app import outcome_lines, overview_lines
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
    first = next(outcome_lines(run, width))
    assert cell_len(first) <= min(width, 120)
    assert first.endswith("…") is (len(task) > 20)


def test_interrupted_calls_are_counted_apart(own_home: Path) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    keep(store, *sample("words"))
    run = store.run("r")
    store.close()
    figures = [line for line in outcome_lines(run, 80, 1) if " calls" in line]
    assert ", 1 interrupted · " in figures[0]
    assert "interrupted" not in "".join(outcome_lines(run, 80))


@pytest.mark.parametrize(("width", "lines"), [(60, 2), (80, 1)])
def test_the_command_does_not_wrap(own_home: Path, width: int, lines: int) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    keep(store, *sample("words"))
    run = replace(store.run("r"), id="20261125-232151-68h9b")
    store.close()
    last = list(outcome_lines(run, width))[-lines:]
    assert all(cell_len(line) <= width for line in last)
    assert last[0].startswith(f"  session {run.id}")
    assert last[-1].endswith(f"sandbox-tui replay {run.id}")


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
    lines = list(overview_lines([*runs, failed], width))
    assert lines[0].startswith("6 runs: 5 submitted, 1 cancelled")
    assert all(cell_len(line) <= max(width, 45) for line in lines)
    assert all(run.id in line for run, line in zip(runs, lines[1:6], strict=True))
    assert "cancelled" in lines[6]
    if width == 300:
        assert lines[2].endswith("forty …")
        assert lines[6].endswith("cancelled  (not submitted) for")
    assert "replay" in lines[-1]


def test_the_lines_name_the_tasks_if_they_differ(own_home: Path) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    keep(store, *sample("words"))
    run = replace(store.run("r"), task="first task", answer="4")
    store.close()
    same = list(overview_lines([run] * 4, 120))
    assert same[:2] == ["4 runs: 4 submitted · first task", "  r  submitted  4"]
    (_, line, *_) = overview_lines([replace(run, outcome="interrupted", answer=None)] * 4, 120)
    assert line == f"  r  interrupted  {run.steps} steps"
    other = replace(run, task="another task\nin two lines", answer="5")
    lines = list(overview_lines([run, run, run, other], 120))
    assert lines[0] == "4 runs: 4 submitted"
    assert lines[1] == "  r  submitted  first task · 4"
    assert lines[4] == "  r  submitted  another task · 5"


def test_the_last_lines_name_the_commands_that_open_the_runs(own_home: Path) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    events, contents = sample("words")
    keep(store, events, contents)
    run = replace(store.run("r"), outcome="running")
    store.close()
    assert list(overview_lines([run, run], 80))[3:] == [
        "  `sandbox-tui attach ID` opens one of them"
    ]
    mixed = [run, replace(run, outcome="submitted"), replace(run, outcome="interrupted")]
    assert list(overview_lines(mixed, 80))[4:] == [
        "  `sandbox-tui attach ID` opens a running one",
        "  `sandbox-tui replay ID` opens an ended one",
        "  `sandbox-tui resume ID` resumes one that was cut off",
    ]


def test_a_run_that_submitted_no_answer_says_why(own_home: Path) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    keep(store, *sample("words"))
    run = replace(store.run("r"), outcome="submitted", answer=None)
    store.close()
    assert "  no answer: output/answer.txt was not written" in list(outcome_lines(run, 80))
