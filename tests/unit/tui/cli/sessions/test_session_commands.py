"""`sandbox-tui sessions` and related commands, on a real database in a separate home."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.resume_worker import set_owner
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.annotations import add_tag
from sandbox_tui.sessions.store.tables.calls import interrupted_calls_of
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.cli.sessions import export_import
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.event_streams import started
from tests.unit.sample_run import keep as keep_sample
from tests.unit.sample_run import sample

BASH = '{"command": "%s"}'
RUN, FORK = "20261120-101112-abcde", "20261121-131415-fghij"


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def keep(store: Store, run_id: str, *, ended: bool = True, **more: object) -> None:
    first = msgspec.structs.replace(started(run_id, task="count the boats"), **more)
    store.append(run_id, [first])
    if ended:
        end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
        store.append(run_id, [end])


@pytest.mark.parametrize("name", ["", "2", "202", "abcde", "de"])
def test_nothing_is_deleted_by_a_name_that_says_too_little(store: Store, name: str) -> None:
    keep(store, RUN)
    for command in (["rm", name, "--yes"], ["rm", RUN, name, "--yes"]):
        done = run("sessions", *command)
        assert done.exit_code == 2, done.output
        assert [one.id for one in store.runs()] == [RUN]
    assert run("snapshots", "prune", name, "--yes").exit_code == 2
    assert run("sessions", "show", "").exit_code == 2


def test_a_session_is_deleted_by_its_id_and_by_how_it_begins(store: Store) -> None:
    for name in (RUN, "20261120"):
        keep(store, RUN)
        assert run("sessions", "rm", name, "--yes").exit_code == 0
        assert store.runs() == []


@pytest.mark.parametrize("command", [["resume"], ["attach"], ["stop"]])
def test_a_session_on_another_machine_names_it_and_the_options(
    store: Store, command: list[str]
) -> None:
    """For example with a home that machines share, or a container recreated under another name."""
    keep(store, RUN, ended=False)
    set_owner(store, RUN, ProcessIdentity(1, "2", "login-1"))
    assert "running on login-1" in run("sessions", "ls").output
    done = run(*command, RUN)
    assert done.exit_code != 0
    assert "running in a program on login-1, as far as can be told from here" in done.output
    assert done.output.count("\n") == 1
    assert run("sessions", "rm", RUN, "--yes").exit_code == 0


def test_the_time_of_a_running_session_goes_on_while_nothing_is_recorded(store: Store) -> None:
    keep(store, RUN, ended=False, started_at=time.time() - 3600)
    assert re.search(r" 1:00:0\d ", run("sessions", "ls").output)
    assert re.search(r"^time +1:00:0\d$", run("sessions", "show", RUN).output, re.MULTILINE)


def test_a_session_that_is_being_recorded_is_not_deleted(store: Store) -> None:
    keep(store, RUN, ended=False)
    keep(store, FORK)
    done = run("sessions", "rm", FORK, RUN, "--yes")
    assert done.exit_code == 2
    assert "is still running" in done.output
    assert len(store.runs()) == 2
    set_owner(store, RUN, ProcessIdentity(1, "gone", ProcessIdentity.this_process().host))
    assert run("sessions", "rm", RUN, "--yes").exit_code == 0


def test_the_question_before_deleting_names_what_stays(store: Store) -> None:
    keep(store, RUN)
    keep(store, FORK, parent=RUN, parent_seq=1)
    asked = CliRunner().invoke(main, ["sessions", "rm", RUN], input="n\n")
    assert asked.exit_code == 130
    assert f"Delete “count the boats” ({RUN}), about " in asked.output
    assert "Its fork is kept. This cannot be undone." in asked.output
    assert len(store.runs()) == 2


def test_interrupted_calls_are_counted_apart(store: Store) -> None:
    call = e.ToolCall(number=1, step=1, id="a", name="execute_bash", arguments="{}")
    store.append(
        RUN,
        [
            started(RUN, task="count the boats"),
            e.CallProposed(seq=2, t=1.0, call=call),
            e.CallFinished(seq=3, t=2.0, call=1, observation="", ok=False, interrupted=True),
        ],
    )
    shown = run("sessions", "show", RUN).output
    assert "0 failed, 1 interrupted\n" in shown
    assert "   1  interrupted  " in shown
    assert interrupted_calls_of(store, RUN) == 1


def test_the_list_says_what_its_columns_are_and_when_each_began(store: Store) -> None:
    keep(store, RUN, started_at=1795169472.0)
    keep(store, FORK, started_at=1795169472.0, parent=RUN, parent_seq=1)
    head, newest, oldest = run("sessions", "ls").output.splitlines()
    assert head.split() == [
        "session",
        *("fork", "of"),
        "started",
        "outcome",
        "steps",
        "tokens",
        "time",
        "model",
        "task",
    ]
    assert newest.startswith(FORK)
    assert oldest.startswith(RUN)
    at = head.index("fork of")
    assert newest[at:].split()[0] == RUN[-5:]
    assert not oldest[at : at + len("fork of")].strip()
    for line, day in ((newest, "21"), (oldest, "20")):
        at = head.index("started")
        assert re.match(rf"2026-11-{day} \d\d:\d\d  ", line[at:]), line
        assert line[head.index("outcome") :].startswith("submitted")
        assert line[head.index("task") :] == "count the boats"


def test_missing_values_have_no_line(store: Store) -> None:
    keep(store, RUN, ended=False)
    shown = run("sessions", "show", RUN).output
    names = [line.split()[0] for line in shown.splitlines()]
    assert not {"parent", "answer", "cost", "results", "title"} & set(names)
    assert not re.search("none|unknown", shown)
    keep(store, FORK, parent=RUN, parent_seq=1)
    assert f"fork of   {RUN} at event 1" in run("sessions", "show", FORK).output
    assert re.search(
        r"^started   2026-11-21 \d\d:\d\d:15 ", run("sessions", "show", FORK).output, re.MULTILINE
    )


def test_a_fork_is_shown_with_its_step_and_what_it_changed(store: Store) -> None:
    call = e.ToolCall(number=1, step=4, id="c", name="execute_bash", arguments=BASH % "echo old")
    store.append(RUN, [started(RUN), e.CallProposed(seq=2, t=1.0, call=call)])
    first = msgspec.structs.replace(started(FORK), run_id=FORK, parent=RUN, parent_seq=1)
    change = e.Forked(parent=RUN, parent_seq=1, step=4, snapshot=None, repeats=0, model="other")
    own: list[e.AnyEvent] = [
        change,
        e.HumanMessage(id=1, text="look again"),
        e.CallProposed(call=call),
        e.CallDecided(call=1, verdict="edit", by="human", arguments=BASH % "echo new"),
        e.CallFinished(call=1, observation="new", ok=True),
    ]
    numbered = [msgspec.structs.replace(event, seq=seq) for seq, event in enumerate(own, 2)]
    store.append(FORK, [first, *numbered])
    shown = run("sessions", "show", FORK).output
    assert f"fork of   {RUN}, in step 4, with the model other\n" in shown
    assert "message   look again\n" in shown
    assert "call 1    changed: old → new\n" in shown
    assert re.search(r"^   1  ok .* bash echo new  \(edited by you\)$", shown, re.MULTILINE)


def test_a_call_that_timed_out_is_shown_as_such(store: Store) -> None:
    call = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments=BASH % "sleep 60")
    own: list[e.AnyEvent] = [
        e.CallProposed(call=call),
        e.CallDecided(call=1, verdict="approve", by="auto"),
        e.CallFinished(call=1, observation="late", ok=False, exit_code=130, timed_out=True),
    ]
    numbered = [msgspec.structs.replace(event, seq=seq) for seq, event in enumerate(own, 2)]
    store.append(RUN, [started(RUN), *numbered])
    shown = run("sessions", "show", RUN).output
    assert re.search(r"^   1  timed out .* bash sleep 60$", shown, re.MULTILINE)
    assert json.loads(run("sessions", "show", RUN, "--json").stdout)["call_list"][0]["timed_out"]


def test_a_run_that_submitted_without_an_answer_says_why(store: Store) -> None:
    keep(store, RUN)
    shown = run("sessions", "show", RUN).output
    assert "answer    no answer: output/answer.txt was not written\n" in shown


def test_samples_of_one_task_are_told_apart(store: Store) -> None:
    for number, answer in ((1, "41"), (2, "42")):
        labels = {SAMPLES: "x", SAMPLE: str(number)}
        first = msgspec.structs.replace(
            started(task="count the boats"), settings=e.RunSettings(labels=labels)
        )
        end = e.RunFinished(
            seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals(), answer=answer
        )
        name = f"{RUN[:-1]}{number}"
        store.append(name, [msgspec.structs.replace(first, run_id=name), end])
    for command in (("ls",), ("search", "boats"), ("search", "outcome:submitted")):
        shown = run("sessions", *command).output
        for number, answer in ((1, "41"), (2, "42")):
            words = f"sample {number} · answer: {answer} · count the boats"
            assert words in shown, shown


def test_stdout_takes_the_cast_of_one_terminal(store: Store, tmp_path: Path) -> None:
    def printed(seq: int, terminal: str) -> e.TerminalOutput:
        return e.TerminalOutput(seq=seq, t=1.0, terminal=terminal, data=b"hello")

    store.append(RUN, [started(RUN), printed(2, "model")])
    one = run("sessions", "export", RUN, "-f", "asciicast", "-o", "-")
    assert one.exit_code == 0
    assert "hello" in one.stdout
    store.append(RUN, [printed(3, "user-1")])
    both = run("sessions", "export", RUN, "-f", "asciicast", "-o", "-")
    assert both.exit_code == 2
    assert both.output == (
        "sandbox-tui: This export has 2 files, one for each terminal, and stdout takes one: "
        "name a folder with --output.\n"
    )
    folder = run("sessions", "export", RUN, "-f", "asciicast", "-o", str(tmp_path))
    assert folder.output.count(".cast") == 2


def test_several_sessions_are_exported_to_a_folder(store: Store, tmp_path: Path) -> None:
    for name in ("r1", "r2"):
        keep(store, name)
    export = ("sessions", "export", "r1", "r2", "r1", "-f", "markdown", "-o")
    folder = tmp_path / "new" / "exports"
    done = run(*export, str(folder))
    assert done.exit_code == 0, done.output
    assert sorted(file.name for file in folder.iterdir()) == ["r1.md", "r2.md"]
    (folder / "r1.md").unlink()
    again = run(*export, str(folder))
    assert again.exit_code == 2
    assert again.stderr.count("already exists; --force overwrites it.") == 1
    assert (folder / "r1.md").exists(), "the others are written"
    assert run(*export, str(folder), "--force").exit_code == 0
    to_file = run(*export, str(folder / "r1.md"))
    assert "r1.md is a file: name a folder." in to_file.stderr
    to_stdout = run(*export, "-")
    assert to_stdout.exit_code == 2
    assert "stdout takes one session: name a folder with --output." in to_stdout.stderr


def test_doctor_makes_no_database(own_home: Path) -> None:
    assert re.search(r"sessions +none yet", run("doctor").output)
    assert not own_home.exists()
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    for number in range(3):
        keep(store, f"r{number}")
    store.close()
    assert re.search(r"sessions +3 in ", run("doctor").output)


def test_without_tags_and_notes_stdout_is_empty(store: Store) -> None:
    keep(store, RUN)
    tags, notes = run("sessions", "tag", RUN), run("sessions", "note", RUN)
    assert (tags.stdout, tags.stderr) == ("", "No tags.\n")
    assert (notes.stdout, notes.stderr) == ("", "No notes.\n")


def test_removing_no_tag_is_a_mistake(store: Store) -> None:
    keep(store, RUN)
    done = run("sessions", "tag", RUN, "--remove")
    assert done.exit_code == 2
    assert "Give the TAGS to --remove." in done.output


def test_samples_of_evaluations_are_listed_on_request_and_are_never_the_last(store: Store) -> None:
    keep(store, RUN, started_at=1.0)
    keep(store, FORK, started_at=2.0)
    keep(store, "20261122-131415-klmno", started_at=3.0)
    enter_eval(store, 5e8)
    waiting = ledger.results(store, EVAL_ID)[-1]
    ledger.claim(store, EVAL_ID, waiting.key, "20261122-131415-klmno")
    shown = run("sessions", "ls")
    assert [line[:21] for line in shown.stdout.splitlines()[1:]] == [FORK, RUN]
    assert "1 session of evaluations and trainings is not listed" in shown.stderr
    assert len(run("sessions", "ls", "--json").output.splitlines()) == 2
    one = run("sessions", "ls", "--limit", "1")
    assert "1 of 2 sessions; --limit N shows more." in one.stderr
    every = run("sessions", "ls", "--all")
    assert len(every.stdout.splitlines()) == 1 + 3
    assert not every.stderr
    assert f"session   {FORK}" in run("sessions", "show", "last").output


def test_a_session_is_shown_with_its_calls(store: Store) -> None:
    keep_sample(store, *sample("zebra"), run_id=RUN)
    shown = run("sessions", "show", RUN).output
    calls = shown[shown.index("task  ") :].splitlines()[1:]
    assert len(calls) == len(store.calls(RUN))
    assert re.search(r"^   2  ok +0\.01s  edit create a\.py \+1$", shown, re.MULTILINE)


def test_a_session_is_shown_as_json(store: Store) -> None:
    keep_sample(store, *sample())
    add_tag(store, "r", "good")
    enter_eval(store, time.time())
    row = ledger.results(store, EVAL_ID)[0]
    ledger.finish(
        store, EVAL_ID, msgspec.structs.replace(row, run_id="r", status="finished", score=0.5)
    )
    shown = json.loads(run("sessions", "show", "r", "--json").stdout)
    assert shown["id"] == "r"
    assert shown["tags"] == ["good"]
    assert shown["verdict"]["score"] == 0.5
    assert [call["number"] for call in shown["call_list"]] == list(range(1, shown["calls"] + 1))


@pytest.mark.parametrize("command", ["suites", "scorers"])
def test_names_are_listed_as_json(own_home: Path, command: str) -> None:
    listed = run("eval", command, "--json").stdout.splitlines()
    assert all(json.loads(line)["description"] for line in listed)
    lines = run("eval", command).stdout.splitlines()
    assert [json.loads(line)["name"] for line in listed] == [line.split()[0] for line in lines]


def test_what_a_session_does_not_have_is_a_wrong_request(store: Store) -> None:
    """Exit code 6 would mean that the database failed."""
    keep(store, RUN)
    for words, problem in (
        (("note", RUN, "--step", "44", "x"), "There is no step 44"),
        (("note", RUN, " "), "A note cannot be empty."),
        (("note", RUN, "--remove", "9"), "This session has no note 9."),
        (("tag", RUN, "x" * 99), "A tag is one word"),
        (("export", RUN, "-f", "svg", "-o", "-"), "no terminal to draw"),
        (("export", RUN, "-f", "asciicast", "-o", "-"), "no terminal to export"),
        (("rename", "nothing", "title"), "There is no session"),
    ):
        done = run("sessions", *words)
        assert problem in done.output
        assert done.exit_code == 2, done.output


def test_renaming_prints_the_title_that_holds(store: Store) -> None:
    keep(store, RUN)
    assert run("sessions", "rename", RUN, "two", "boats").stdout == "two boats\n"
    assert run("sessions", "rename", RUN).stdout == "count the boats\n"


def test_on_a_terminal_a_match_says_in_which_session_it_is(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(store, RUN)
    run("sessions", "note", RUN, "mind", "the", "gap")
    assert "·" not in run("sessions", "search", "gap").stdout, "programs read lines as before"
    monkeypatch.setattr(export_import, "_is_on_terminal", lambda: True)
    (line,) = run("sessions", "search", "gap").stdout.splitlines()
    assert line.startswith(RUN)
    assert line.endswith("note         count the boats · mind the gap")
    assert "·" not in run("sessions", "search", "boats").stdout


def test_all_snapshots_are_not_removed_if_a_session_is_named(store: Store) -> None:
    done = CliRunner().invoke(main, ["snapshots", "prune", "last", "--all", "--yes"])
    assert done.exit_code == 2
    assert "Name SESSIONS or use --all, not both." in done.output
