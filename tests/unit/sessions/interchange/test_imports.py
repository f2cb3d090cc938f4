"""Imported files: real ones from the field round-trip unchanged, hostile ones change nothing."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from sandbox_tui.core.base.errors import ImportRefused, RequestRefused, StoreError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem, fold
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.bundle_format import TABLES
from sandbox_tui.sessions.interchange.exports import EXPORTERS, Recording
from sandbox_tui.sessions.interchange.imports import format_found, import_file, read_file
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.sessions.relations.session_detail import ResultFile, read_detail
from sandbox_tui.sessions.store.tables.annotations import add_note, add_tag, notes_of, tags_of
from sandbox_tui.tui.cli.main import main
from tests.cost import assert_growth
from tests.examples import examples
from tests.unit.sample_run import SECRET, keep, sample

REAL = Path("/work/shared/data/trajectories")
NAMES = ("longcontext", "math", "poster", "travel")
PROGRAM = Path(sys.executable).with_name("sandbox-tui")


@pytest.fixture(params=NAMES)
def real(request: pytest.FixtureRequest) -> Path:
    path = REAL / f"trajectory_{request.param}.json"
    if not path.exists():
        pytest.skip(f"the published trajectories are not on this machine ({path})")
    return path


def export(store: Store, run_id: str, format_: str, **more: Any) -> bytes:
    (part, *_) = EXPORTERS[format_].write(Recording(store, run_id, **more))
    return part.data


def written(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def everything(store: Store) -> dict[str, list[dict[str, Any]]]:
    tables = ("runs", "events", "blobs", "run_blobs", "source_documents", "notes", "tags")
    return {table: store.rows(f"SELECT * FROM {table}") for table in tables}


# --- trajectory.json


def test_a_published_trajectory_comes_back_byte_for_byte(store: Store, real: Path) -> None:
    (run_id,) = import_file(store, real)
    assert export(store, run_id, "trajectory") == real.read_bytes()
    assert export(store, run_id, "trajectory", redactor=Redactor()) == real.read_bytes()


def test_a_published_trajectory_is_replayed(store: Store, real: Path, tmp_path: Path) -> None:
    (run_id,) = import_file(store, real)
    store.close()
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "s.db").rename(home / "sessions.db")
    done = subprocess.run(
        [PROGRAM, "replay", run_id, "--json"],
        capture_output=True, text=True, env={**os.environ, "SANDBOX_TUI_HOME": str(home)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    events = [e.from_json(line) for line in done.stdout.splitlines()]
    document = json.loads(real.read_text())
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert fold(events).status == "finished"
    items = [item for item in fold(events).items if isinstance(item, CallItem)]
    assert [
        (
            item.call.name,
            json.loads(item.call.arguments),
            item.finished and item.finished.observation,
        )
        for item in items
    ] == [
        (s["action"]["function"], s["action"]["parameters"], s["observation"])
        for s in document["steps"]
    ]
    taken = sum(step["metadata"]["exec_time"] for step in document["steps"])
    assert events[-1].t == pytest.approx(taken, abs=0.01)


def test_a_trajectory_that_does_not_say_how_it_ended_is_no_failure(
    store: Store, real: Path, tmp_path: Path
) -> None:
    document = json.loads(real.read_text())
    [whole] = import_file(store, real)
    assert store.run(whole).outcome == "submitted"
    document["steps"].pop()
    [cut] = import_file(store, written(tmp_path / "cut.json", document))
    assert (store.run(cut).outcome, store.run(cut).error) == ("imported", None)
    document["metadata"] |= {"outcome": "time_limit", "error": "Too slow."}
    [told] = import_file(store, written(tmp_path / "told.json", document))
    assert (store.run(told).outcome, store.run(told).error) == ("time_limit", "Too slow.")


def test_a_published_trajectory_shows_commands_and_output(store: Store, real: Path) -> None:
    (run_id,) = import_file(store, real)
    document = json.loads(real.read_text())
    screen = Screen(100, 30)
    for event in store.events(run_id):
        if isinstance(event, e.TerminalOutput):
            screen.feed(event.data)
    shown = "\n".join(screen.text(row) for row in range(screen.history_size + screen.lines))
    for step in document["steps"]:
        if step["action"]["function"] == "execute_bash":
            first = step["action"]["parameters"]["command"].split("\n")[0].strip()[:60]
            assert f"model ❯ {first}" in shown


def test_without_its_original_a_trajectory_loses_nothing_but_its_layout(
    store: Store, real: Path
) -> None:
    """The events alone reproduce everything except the file's own metadata."""
    (run_id,) = import_file(store, real)
    with store.transaction() as connection:
        connection.execute("DELETE FROM source_documents")
    made, was = json.loads(export(store, run_id, "trajectory")), json.loads(real.read_text())
    assert made["problem_statement"] == was["problem_statement"]
    for ours, theirs in zip(made["steps"], was["steps"], strict=True):
        assert {**ours, "metadata": None} == {**theirs, "metadata": None}
        assert ours["metadata"]["step"] == theirs["metadata"]["step"]
        assert ours["metadata"]["exec_time"] == pytest.approx(theirs["metadata"]["exec_time"])


STEP = {
    "thought": "t",
    "reasoning_content": "r",
    "action": {"function": "str_replace_editor", "parameters": {"command": "view", "path": "/x"}},
    "observation": "text",
    "metadata": {"step": 1, "exec_time": 1.5},
}


@pytest.mark.parametrize(
    ("observation", "code", "ok", "output"),
    [
        ("Exit code: 0\nExecution output of \\[execute_bash]:\n\\[STDOUT]\nhi\n", 0, True, "hi\n"),
        ("Exit code: 0\nExecution output of [execute_bash]:\n[STDOUT]\nhi\n", 0, True, "hi\n"),
        (
            "Exit code: Error: Exit code 3\nExecution output of \\[execute_bash]:\n\\[STDOUT]\na\n"
            "\\[STDERR]\nb",
            3, False, "a\nb",
        ),
        (
            "Exit code: -1\nExecution output of \\[execute_bash]:\n\\[STDOUT]\n"
            "The command took too long to execute (>120s)",
            -1, False, "The command took too long to execute (>120s)",
        ),
        ("Execution output of \\[str_replace_editor]:\nError: no", None, False, "Error: no"),
        ("No occurrences of x", None, False, "No occurrences of x"),
        ("File created at /x. ", None, True, "File created at /x. "),
    ],
)  # fmt: skip
def test_both_forms_of_an_observation(
    tmp_path: Path, observation: str, code: int | None, ok: bool, output: str
) -> None:
    action = {"function": "execute_bash", "parameters": {"command": "x"}}
    step = {**STEP, "observation": observation, "action": action}
    path = written(tmp_path / "x.json", {"problem_statement": "p", "steps": [step]})
    (session,) = read_file(path)
    (ended,) = [event for event in session.events if isinstance(event, e.CallFinished)]
    assert (ended.observation, ended.exit_code, ended.ok) == (observation, code, ok)
    shown = b"".join(event.data for event in session.events if isinstance(event, e.TerminalOutput))
    assert output.replace("\n", "\r\n").encode() in shown


def test_a_benchmark_is_a_session_a_problem(store: Store, tmp_path: Path) -> None:
    problem = {"problem_statement": "p", "trajectory": [STEP], "reward": 1.0, "agent_answer": "42"}
    path = written(tmp_path / "b.json", {"math_1": problem, "math_2": {**problem, "reward": 0}})
    first, second = import_file(store, path)
    assert store.run(first).answer == "42"
    back = json.loads(export(store, second, "trajectory"))
    assert back["steps"] == [STEP]
    assert back["reward"] == 0


def test_files_are_followed_as_far_as_the_editor_tells(tmp_path: Path) -> None:
    def edit(**parameters: Any) -> dict[str, Any]:
        return {**STEP, "action": {"function": "str_replace_editor", "parameters": parameters}}

    steps = [
        edit(command="create", path="/testbed/a b.py", file_text="one\ntwo\n"),
        edit(command="str_replace", path="/testbed/a b.py", old_str="two", new_str="TWO"),
        edit(command="insert", path="/testbed/a b.py", insert_line=1, new_str="half"),
        edit(command="str_replace", path="/testbed/other", old_str="a", new_str="b"),
        {**edit(command="create", path="/no", file_text="x"), "observation": "Error: no"},
    ]
    path = written(tmp_path / "x.json", {"problem_statement": "p", "steps": steps})
    (session,) = read_file(path)
    state = fold(session.events)  # type: ignore[arg-type]
    assert sorted(state.files) == ["/testbed/a b.py", "/testbed/other"]
    assert state.files["/testbed/a b.py"].run_mark == "created"
    assert state.files["/testbed/other"].last.blob is None
    digests = {hashlib.sha256(data).hexdigest(): data for data in session.contents}
    assert digests[state.files["/testbed/a b.py"].last.blob or ""] == b"one\nhalf\nTWO\n"


def test_our_own_trajectory_comes_back(store: Store, tmp_path: Path) -> None:
    keep(store, *sample("words"))
    path = tmp_path / "t.json"
    path.write_bytes(export(store, "r", "trajectory"))
    (again,) = import_file(store, path)
    run = store.run(again)
    assert (run.task, run.model, run.outcome, run.steps) == ("words", "m", "submitted", 2)
    assert run.started_at == store.run("r").started_at
    assert run.answer == store.run("r").answer is not None
    assert export(store, again, "trajectory") == path.read_bytes()


def test_the_size_of_a_file_without_content_is_not_made_up(store: Store, tmp_path: Path) -> None:
    """An edit of a file that the recording does not contain."""
    edit = {"command": "str_replace", "path": "/testbed/add.py", "old_str": "a", "new_str": "b"}
    step = {
        "thought": "",
        "action": {"function": "str_replace_editor", "parameters": edit},
        "observation": "The file has been edited.",
    }
    document = json.dumps({"problem_statement": "fix it", "steps": [step]})
    (run_id,) = import_file(store, written(tmp_path / "t.json", document))
    assert read_detail(store, store.run(run_id)).files == (
        ResultFile(name="/testbed/add.py", size=None),
    )
    assert not fold(store.events(run_id)).files["/testbed/add.py"].last.has_size
    assert "0 bytes" not in export(store, run_id, "markdown").decode()


# --- ATIF


def test_our_own_atif_comes_back(store: Store, tmp_path: Path) -> None:
    """Steps, calls, observations and figures survive, also without the imported document."""
    keep(store, *sample("words"))
    path = tmp_path / "t.json"
    path.write_bytes(export(store, "r", "atif"))
    (again,) = import_file(store, path)
    run, was = store.run(again), store.run("r")
    assert (run.task, run.model, run.outcome, run.steps) == ("words", "m", "submitted", 2)
    assert (run.answer, run.started_at) == (was.answer, pytest.approx(was.started_at, abs=0.001))
    assert export(store, again, "atif") == path.read_bytes()
    with store.transaction() as connection:
        connection.execute("DELETE FROM source_documents")
    assert atif_steps(store, again) == atif_steps(store, "r")


def test_a_published_trajectory_survives_as_atif(store: Store, real: Path, tmp_path: Path) -> None:
    (run_id,) = import_file(store, real)
    path = written(tmp_path / "t.json", export(store, run_id, "atif").decode())
    (again,) = import_file(store, path)
    calls = [(c.tool, json.loads(c.arguments), c.observation, c.ok) for c in store.calls(run_id)]
    assert calls
    assert calls == [
        (c.tool, json.loads(c.arguments), c.observation, c.ok) for c in store.calls(again)
    ]
    with store.transaction() as connection:
        connection.execute("DELETE FROM source_documents")
    assert atif_steps(store, again) == atif_steps(store, run_id)


def test_atif_of_another_program(store: Store, tmp_path: Path) -> None:
    """Results that name no call belong to the calls in order; the rest the agent was told."""
    called = {"tool_call_id": "a", "function_name": "bash", "arguments": {"command": "ls"}}
    uncalled = {"observation": {"results": [{"content": "$ echo"}]}}
    document = {
        "schema_version": "ATIF-v1.6",
        "session_id": "s",
        "agent": {"name": "terminus-2", "version": "2.0", "model_name": "qwen"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "mend it"},
            {
                **{"step_id": 2, "source": "agent", "message": "I look.", "tool_calls": [called]},
                "observation": {"results": [{"source_call_id": None, "content": "a.py"}]},
            },
            {"step_id": 3, "source": "agent", "message": "keys", **uncalled},
            {"step_id": 4, "source": "user", "message": "go on"},
            {"step_id": 5, "source": "agent", "message": "done", "tool_calls": [called]},
        ],
    }
    (run_id,) = import_file(store, written(tmp_path / "t.json", document))
    run = store.run(run_id)
    assert (run.task, run.model, run.outcome, run.steps) == ("mend it", "qwen", "imported", 3)
    assert [(c.number, c.observation, c.ok) for c in store.calls(run_id)] == [
        (1, "a.py", True),
        (2, "", None),
    ]
    told = [event.text for event in store.events(run_id) if isinstance(event, e.Delivered)]
    assert told == ["$ echo", "go on"]


def atif_steps(store: Store, run_id: str) -> list[dict[str, Any]]:
    """Return the steps of an export, without times and without who allowed the calls."""
    steps = json.loads(export(store, run_id, "atif"))["steps"]
    for step in steps:
        del step["timestamp"]
        for details in step.get("extra", {}).get("calls", {}).values():
            del details["decided_by"], details["verdict"]
        if "metrics" in step:
            del step["metrics"]["extra"]["latency_seconds"]
    return steps


# --- the others

TOOL_CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "bash", "arguments": '{"command": "ls"}'},
}
MINI = {
    "info": {
        "model_stats": {"instance_cost": 0.1, "api_calls": 1},
        "config": {"model": {"model_name": "some/model"}, "environment": {"image": "img"}},
        "exit_status": "Submitted",
        "submission": "the patch",
    },
    "messages": [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": [{"type": "text", "text": "mend it"}]},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [TOOL_CALL],
            "extra": {
                "actions": [{"command": "ls", "tool_call_id": "c1"}],
                "cost": 0.1,
                "timestamp": 1000.0,
                "response": {"usage": {"prompt_tokens": 7, "completion_tokens": 3}},
            },
        },
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": "<returncode>2</returncode>\n<output>\nno\n</output>",
            "extra": {"raw_output": "no\n", "returncode": 2, "timestamp": 1002.5},
        },
        {"role": "exit", "content": "x", "extra": {"exit_status": "Submitted"}},
    ],
    "trajectory_format": "mini-swe-agent-1.1",
}


def test_mini_swe_agent_with_tools(store: Store, tmp_path: Path) -> None:
    (run_id,) = import_file(store, written(tmp_path / "whatever", MINI))
    run = store.run(run_id)
    assert (run.model, run.outcome, run.answer) == ("some/model", "submitted", "the patch")
    assert (run.task, run.steps, run.calls, run.failed_calls) == ("mend it", 1, 1, 1)
    assert (run.input_tokens, run.output_tokens, run.cost) == (7, 3, 0.1)
    assert run.tokens == "7 in, 3 out"
    (item,) = fold(store.events(run_id)).calls.values()
    assert (item.call.name, item.call.arguments) == ("execute_bash", '{"command": "ls"}')
    assert item.finished is not None
    assert (item.finished.exit_code, item.finished.duration) == (2, 2.5)


def test_mini_swe_agent_of_version_1(store: Store, tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "mend it"},
        {"role": "assistant", "content": "THOUGHT: look\n\n```bash\nls -la\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\na.py\n</output>"},
        {"role": "assistant", "content": "no block here"},
        {"role": "user", "content": "Please give one block."},
    ]
    document = {"info": {"exit_status": "LimitsExceeded", "submission": ""}, "messages": messages}
    (run_id,) = import_file(store, written(tmp_path / "v1", document))
    run = store.run(run_id)
    assert (run.outcome, run.steps, run.calls, run.answer) == ("cost_limit", 2, 1, None)
    assert run.tokens == "", "the file does not say how many"
    assert "- tokens: not recorded\n" in export(store, run_id, "markdown").decode()
    (item,) = fold(store.events(run_id)).calls.values()
    assert json.loads(item.call.arguments) == {"command": "ls -la"}
    assert item.finished is not None
    assert item.finished.exit_code == 0


def test_swe_agent(store: Store, tmp_path: Path) -> None:
    document = {
        "environment": "swe_main",
        "trajectory": [
            {"action": "ls\n", "observation": "a.py\n", "response": "I look. ls", "thought": "I look.", "execution_time": 0.5},
            {"action": "submit", "observation": "", "thought": "done", "execution_time": 0.1},
        ],
        "history": [
            {"role": "system", "content": "be good"},
            {"role": "user", "content": "a demonstration", "is_demo": True},
            {"role": "user", "content": [{"type": "text", "text": "mend it"}]},
        ],
        "info": {"exit_status": "submitted", "submission": "diff"},
        "replay_config": json.dumps({"agent": {"model": {"name": "gpt"}}, "problem_statement": {"text": "the bug"}}),
    }  # fmt: skip
    (run_id,) = import_file(store, written(tmp_path / "x.traj", document))
    run = store.run(run_id)
    assert (run.task, run.model, run.outcome, run.answer) == ("the bug", "gpt", "submitted", "diff")
    names = [item.call.name for item in fold(store.events(run_id)).calls.values()]
    assert names == ["execute_bash", "submit"]
    assert run.seconds == pytest.approx(0.6)


V2 = '{"version": 2, "width": 40, "height": 5, "timestamp": 77, "title": "Demo"}\n'
V3 = '{"version": 3, "term": {"cols": 40, "rows": 5}}\n'


@pytest.mark.parametrize(
    ("text", "times"),
    [
        (f'{V2}[0.5, "o", "a"]\n[1.5, "o", "b"]\n[2.0, "r", "50x6"]\n', [0.5, 1.5, 2.0]),
        (f'{V3}[0.5, "o", "a"]\n# a comment\n[1.0, "o", "b"]\n[0.5, "r", "50x6"]\n', [0.5, 1.5, 2.0]),
        (f'{V3}[0.5, "o", "a"]\n[1.0, "o", "b"]\n[0.5, "r", "50x6"]\n[1, "o", "cut of', [0.5, 1.5, 2.0]),
    ],
)  # fmt: skip
def test_asciicasts(store: Store, tmp_path: Path, text: str, times: list[float]) -> None:
    (run_id,) = import_file(store, written(tmp_path / "x.cast", text))
    events = list(store.events(run_id))
    assert [event.t for event in events[2:-1]] == times
    assert [event.data for event in events if isinstance(event, e.TerminalOutput)] == [b"a", b"b"]
    assert store.run(run_id).model == ""
    assert store.run(run_id).outcome == "imported", "nothing in it says how it ended"
    assert fold(events).status == "imported"
    assert events[-2] == e.TerminalResized(
        seq=events[-2].seq, t=2.0, terminal="shell", cols=50, rows=6
    )


def test_an_asciicast_that_was_cut_off_says_so(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path / "x.cast", f'{V2}[0.5, "o", "a"]\n[1.5, "o", "b')
    (run_id,) = import_file(store, path)
    assert format_found(store.run(run_id)) == (
        "asciicast v2, without calls, tokens and files, cut off in line 3"
    )
    assert [note.text for note in notes_of(store, run_id)] == ["x.cast was cut off in line 3."]
    (whole,) = import_file(store, written(tmp_path / "y.cast", f'{V3}[0.5, "o", "a"]\n'))
    assert format_found(store.run(whole)) == "asciicast v3, without calls, tokens and files"
    assert notes_of(store, whole) == []


def test_an_asciicast_has_no_conversation_to_export(store: Store, tmp_path: Path) -> None:
    (run_id,) = import_file(store, written(tmp_path / "x.cast", f'{V2}[0.5, "o", "a"]\n'))
    with pytest.raises(RequestRefused, match="has no conversation to train on"):
        export(store, run_id, "chat-jsonl")
    assert b"- model:" not in export(store, run_id, "markdown")


def test_our_own_asciicast_comes_back(store: Store, tmp_path: Path) -> None:
    events, contents = sample("words")
    keep(store, events, contents)
    path = tmp_path / "x.cast"
    path.write_bytes(export(store, "r", "asciicast"))
    (again,) = import_file(store, path)
    printed = [x.data for x in store.events(again) if isinstance(x, e.TerminalOutput)]
    wanted = [x.data for x in events if isinstance(x, e.TerminalOutput) and x.terminal == "model"]
    assert b"".join(printed) == b"".join(wanted)


# --- bundles


def bundle(store: Store, path: Path, run_id: str = "r", **more: Any) -> Path:
    path.write_bytes(export(store, run_id, "bundle", **more))
    return path


def test_a_bundle_holds_everything(store: Store, tmp_path: Path) -> None:
    events, contents = sample("wörds \u2028")
    run_id = keep(store, events, contents, "20261121-104238-7fk2p")
    store.rename(run_id, "a title")
    add_tag(store, run_id, "good")
    add_note(store, run_id, 1, "a note", written_at=5.0)
    path = bundle(store, tmp_path / "x.sbx", run_id)
    other = Store(tmp_path / "other.db")
    assert import_file(other, path) == [run_id]  # the same id, so that forks find their parents
    assert list(other.events(run_id))[1:] == events[1:]
    assert {name["digest"] for name in other.rows("SELECT digest FROM blobs")} == {
        name["digest"] for name in store.rows("SELECT digest FROM blobs")
    }
    assert other.run(run_id).title == "a title"
    assert tags_of(other, run_id) == ["good"]
    assert [(n.step, n.text, n.written_at) for n in notes_of(other, run_id)] == [(1, "a note", 5.0)]
    with pytest.raises(ImportRefused, match="is already here"):
        import_file(other, path)
    other.close()


def test_a_bundle_keeps_the_original(store: Store, real: Path, tmp_path: Path) -> None:
    (run_id,) = import_file(store, real)
    other = Store(tmp_path / "other.db")
    (again,) = import_file(other, bundle(store, tmp_path / "x.sbx", run_id))
    assert export(other, again, "trajectory") == real.read_bytes()
    other.close()


def test_a_redacted_bundle_is_whole(store: Store, tmp_path: Path) -> None:
    keep(store, *sample("words", SECRET))
    path = bundle(store, tmp_path / "x.sbx", redactor=Redactor())
    other = Store(tmp_path / "other.db")
    (run_id,) = import_file(other, path)
    kept = [other.get_blob(row["digest"]) for row in other.rows("SELECT digest FROM blobs")]
    assert len(kept) == 2
    assert not any(SECRET.encode() in (data or b"") for data in kept)
    named = [
        c.blob for x in other.events(run_id) if isinstance(x, e.FilesChanged) for c in x.changes
    ]
    assert other.get_blob(named[0] or "") is not None
    other.close()


SPOILT = {
    "an event": "UPDATE events SET data = x'7b7d', packed = 0 WHERE seq = 3",
    "an event's bytes": "UPDATE events SET data = x'00ff', packed = 1 WHERE seq = 3",
    "text for bytes": "UPDATE events SET data = 'text' WHERE seq = 3",
    "a hole": "DELETE FROM events WHERE seq = 3",
    "a content": "UPDATE contents SET data = x'00', packed = 0",
    "a newer format": "UPDATE about SET value = '99' WHERE name = 'format'",
    "no format": "DELETE FROM about WHERE name = 'format'",
    "a view": "CREATE VIEW v AS SELECT 1",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON tags BEGIN DELETE FROM notes; END",
    "another program's": "PRAGMA application_id = 1",
    "a missing table": "DROP TABLE tags",
    "a note on no step": "INSERT INTO notes VALUES (99, 'x', 1)",
    "a note without a number": "INSERT INTO notes VALUES ('x', 'x', 1)",
}


@pytest.mark.parametrize("what", sorted(SPOILT))
def test_a_spoilt_bundle_changes_nothing(store: Store, tmp_path: Path, what: str) -> None:
    keep(store, *sample("words"))
    path = bundle(store, tmp_path / "x.sbx")
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute(SPOILT[what])
        raw.commit()
    other = Store(tmp_path / "other.db")
    before = everything(other)
    with pytest.raises((ImportRefused, StoreError)):
        import_file(other, path)
    assert everything(other) == before
    other.close()


def test_a_bundle_that_unpacks_to_too_much(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox_tui.sessions.interchange.imports.bundle.MAX_ROW_BYTES", 1 << 20)
    keep(store, *sample("x" * 2_000_000))
    path = bundle(store, tmp_path / "x.sbx")
    assert path.stat().st_size < 500_000
    with pytest.raises(ImportRefused, match="cannot be unpacked"):
        read_file(path)


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 2**17), st.integers(0, 255)), min_size=1, max_size=20))
def test_a_bundle_with_any_bytes_changed(
    store: Store, tmp_path: Path, changes: list[tuple[int, int]]
) -> None:
    if not store.runs():
        keep(store, *sample("words"))
    data = bytearray(export(store, "r", "bundle"))
    for at, byte in changes:
        data[at % len(data)] = byte
    path = tmp_path / "x.sbx"
    path.write_bytes(data)
    with contextlib.suppress(ImportRefused):
        for session in read_file(path):
            fold(session.events)  # type: ignore[arg-type]


# --- hostile files

DEEP = "[" * 100_000
REFUSED: dict[str, str | bytes] = {
    "nothing": "",
    "blanks": " \n ",
    "a picture": b"\x89PNG\r\n\x1a\n\0\0",
    "prose": "Dear reader",
    "half of JSON": '{"problem_statement": "x", "steps": [',
    "other JSON": '{"a": 1}',
    "a list": "[1, 2]",
    "a number": "7",
    "deep": DEEP,
    "deep and closed": '{"problem_statement": "x", "steps": ' + "[" * 500 + "]" * 500 + "}",
    "a long number": '{"problem_statement": "x", "steps": [' + "9" * 100_000 + "]}",
    "steps that are none": '{"problem_statement": "x", "steps": [1]}',
    "a cast without size": '{"version": 2}\n[1, "o", "x"]\n',
    "a cast of odd size": '{"version": 2, "width": 99999999, "height": -1}\n',
    "a cast with a broken line": f'{V2}[1, "o"\n[2, "o", "x"]\n',
    "a cast with odd events": f'{V2}[1, "o", "x"]\n{{"a": 1}}\n[1, "o", "x"]\n',
    "a cast that goes back": f'{V2}[-1, "o", "x"]\n[1, "o", "x"]\n',
    "an empty database": b"SQLite format 3\0" + b"\0" * 84,
    "utf-16": '{"problem_statement": "x", "steps": []}'.encode("utf-16"),
}


@pytest.mark.parametrize("what", sorted(REFUSED))
def test_a_file_that_is_none_of_these_changes_nothing(
    store: Store, tmp_path: Path, what: str
) -> None:
    path = tmp_path / "file.json"
    content = REFUSED[what]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = everything(store)
    with pytest.raises(ImportRefused) as caught:
        import_file(store, path)
    assert everything(store) == before
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert "file.json" in sentence or "bundle" in sentence
    assert len(sentence) < 400


def test_pipes_and_devices_are_refused_without_waiting(store: Store, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero"), tmp_path / "missing"):
        with pytest.raises(ImportRefused, match=r"is not a file|cannot be read"):
            import_file(store, path)


def test_a_file_that_is_too_large(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as stream:
        stream.truncate(65 << 20)
    with pytest.raises(ImportRefused, match="too large"):
        import_file(store, path)


def test_no_file_takes_long(store: Store, tmp_path: Path) -> None:
    texts = ["```bash", "<output>", "[STDERR]\n", "Exit code: ", "\x1b["]
    for text in texts:

        def read(size: int, text: str = text) -> None:
            content = text * (size // len(text))
            reply = {"role": "assistant", "content": content}
            swe = {"problem_statement": text, "steps": [{**STEP, "observation": content}]}
            mini = {**MINI, "messages": [reply, {"role": "user", "content": content}, reply]}
            for document in (swe, mini):
                read_file(written(tmp_path / "x", document))

        assert_growth(read, 20_000, 200_000, below=40)


def test_one_bad_file_does_not_keep_out_the_others(tmp_path: Path) -> None:
    good = written(tmp_path / "good", MINI)
    bad = written(tmp_path / "bad\x1b[31m", "no")
    done = subprocess.run(
        [PROGRAM, "sessions", "import", bad, good], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout.startswith(f"{good}: ")
    assert "mend it" in done.stdout
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr


def test_each_of_several_files_is_named(store: Store, tmp_path: Path) -> None:
    (run_id,) = import_file(store, written(tmp_path / "t.json", MINI))
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    for path in (one, other):
        path.write_bytes(export(store, run_id, "bundle"))
    here = f"This session is already here: {run_id}.\n"
    both, alone = (
        CliRunner().invoke(main, ["sessions", "import", *map(str, paths)])
        for paths in ((one, other), (one,))
    )
    assert both.stdout.startswith(f"{one}: {run_id}  ")
    assert both.stderr == f"sandbox-tui: {other}: {here}"
    assert alone.stderr == f"sandbox-tui: {here}"
    assert (both.exit_code, alone.exit_code) == (0, 0)


def test_stdin_is_imported(store: Store, tmp_path: Path) -> None:
    (run_id,) = import_file(store, written(tmp_path / "t.json", MINI))
    piped = export(store, run_id, "bundle")
    done = CliRunner().invoke(main, ["sessions", "import", "-"], input=piped)
    assert done.exit_code == 0
    assert done.stdout.startswith(f"{run_id}  ")
    nothing = CliRunner().invoke(main, ["sessions", "import", "-"], input=b"")
    assert (nothing.exit_code, nothing.stderr) == (2, "sandbox-tui: stdin is empty.\n")


def test_what_cannot_be_imported_is_named_with_its_folder(tmp_path: Path) -> None:
    """The known formats are listed once, and an export to read is told from other files."""
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    first, second = (written(folder / "config.json", {"a": 1}) for folder in folders)
    page = written(tmp_path / "page.html", "<html>")
    given = ["sessions", "import", *map(str, (first, second, page))]
    lines = CliRunner().invoke(main, given).stderr.splitlines()
    words = "is not a recording in a format that can be imported."
    assert lines[0].startswith(f"sandbox-tui: {first} {words} Known formats: ")
    assert lines[1] == f"sandbox-tui: {second} {words}"
    assert lines[2].startswith(f"sandbox-tui: {page} {words} An export to read cannot")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
NAMES_OF_FIELDS = (
    "role content tool_calls extra actions command function name action arguments parameters "
    "observation metadata step exec_time thought id output returncode raw_output path file_text "
    "response usage cost message tool_call_id function_name results source_call_id timestamp "
    "metrics reasoning_content"
)
NAMED = st.sampled_from(NAMES_OF_FIELDS.split())
OBJECT = st.dictionaries(NAMED, JSON | st.dictionaries(NAMED, JSON, max_size=4), max_size=8)
ROLES = st.sampled_from(["system", "user", "assistant", "tool", "exit"])
MESSAGE = st.builds(lambda role, rest: {**rest, "role": role}, ROLES, OBJECT)
ATIF_STEP = st.builds(lambda source, rest: {**rest, "source": source}, st.sampled_from(["system", "user", "agent"]), OBJECT)  # fmt: skip
DOCUMENT = st.one_of(
    st.fixed_dictionaries({"problem_statement": st.text(max_size=5), "steps": st.lists(OBJECT, max_size=4)}),
    st.fixed_dictionaries({"problem_statement": st.text(max_size=5), "steps": st.lists(OBJECT, max_size=4), "metadata": JSON}),
    st.dictionaries(st.text(max_size=5), st.fixed_dictionaries({"trajectory": st.lists(OBJECT, max_size=3)}), max_size=3),
    st.fixed_dictionaries({"trajectory_format": st.just("mini-swe-agent-1.1"), "messages": st.lists(MESSAGE, max_size=6), "info": JSON}),
    st.fixed_dictionaries({"schema_version": st.just("ATIF-v1.4"), "steps": st.lists(ATIF_STEP, max_size=4), "agent": JSON, "extra": JSON}),
    st.fixed_dictionaries({"trajectory": st.lists(OBJECT.map(lambda o: {"action": "ls", "observation": "", **o}), max_size=4), "history": JSON, "info": JSON, "replay_config": JSON}),
    JSON,
)  # fmt: skip


@examples(50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example({"problem_statement": "", "steps": []})
@given(DOCUMENT)
def test_any_document_is_imported_or_refused(tmp_path: Path, document: Any) -> None:
    """An accepted document can be stored, shown and exported; others are refused."""
    path = written(tmp_path / "any.json", document)
    (tmp_path / "any.db").unlink(missing_ok=True)
    store = Store(tmp_path / "any.db")
    with contextlib.suppress(ImportRefused):
        for run_id in import_file(store, path):
            fold(store.events(run_id))
            for name in ("markdown", "html", "atif", "bundle", "trajectory"):
                assert export(store, run_id, name)
            if store.run(run_id).has_conversation:
                assert export(store, run_id, "chat-jsonl")
            else:
                with pytest.raises(RequestRefused, match="has no conversation to train on"):
                    export(store, run_id, "chat-jsonl")
    store.close()


LINE = st.one_of(
    st.tuples(st.floats(0, 5), st.sampled_from("oirmxz"), st.text(max_size=20)).map(json.dumps),
    st.tuples(JSON, JSON, JSON).map(json.dumps),
    st.text(max_size=20),
)


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([V2, V3]), st.lists(LINE, max_size=8))
def test_any_asciicast_is_imported_or_refused(tmp_path: Path, head: str, lines: list[str]) -> None:
    path = tmp_path / "any.cast"
    path.write_text(head + "\n".join(lines), encoding="utf-8", errors="replace")
    with contextlib.suppress(ImportRefused):
        (session,) = read_file(path)
        fold(session.events)  # type: ignore[arg-type]


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_any_bytes_are_imported_or_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(data)
    with contextlib.suppress(ImportRefused):
        read_file(path)


def test_the_tables_of_a_bundle_make_no_index_of_their_own() -> None:
    """Bundles are checked by the names of their tables, so there must be no implicit indexes."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        for statement in TABLES.values():
            db.execute(statement)
        names = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
    assert names == set(TABLES)


def test_a_recording_that_changes_its_size_without_an_end_is_refused(
    store: Store, tmp_path: Path
) -> None:
    """Each resize lays out the whole screen again, in the replay and in every export."""
    path = tmp_path / "x.cast"
    header = json.dumps({"version": 2, "width": 80, "height": 24})
    sizes = [json.dumps([n * 0.01, "r", f"{1 + n % 1000}x24"]) for n in range(2_001)]
    path.write_text("\n".join([header, *sizes[:2_000]]) + "\n")
    assert len(import_file(store, path)) == 1
    path.write_text("\n".join([header, *sizes]) + "\n")
    with pytest.raises(ImportRefused, match="more than 2000 times"):
        import_file(store, path)


def test_the_file_and_its_format_are_recorded(store: Store, tmp_path: Path) -> None:
    events, contents = sample("words", SECRET)
    run_id = keep(store, events, contents)
    document = tmp_path / "poster.atif.json"
    document.write_bytes(export(store, run_id, "atif"))
    with Store(tmp_path / "other.db") as other:
        (from_bundle,) = import_file(other, bundle(store, tmp_path / "poster.sbx", run_id))
        (from_atif,) = import_file(other, document)
        found = [other.run(one) for one in (from_bundle, from_atif)]
    assert [(run.imported_from, run.import_format) for run in found] == [
        ("poster.sbx", "bundle"),
        ("poster.atif.json", "atif"),
    ]
    assert "without the files" in format_found(found[1])
    assert store.run(run_id).imported_from is None


def test_the_command_line_says_that_a_session_is_imported(store: Store, tmp_path: Path) -> None:
    events, contents = sample("words", SECRET)
    run_id = keep(store, events, contents)
    document = tmp_path / "poster.atif.json"
    document.write_bytes(export(store, run_id, "atif"))
    done = CliRunner().invoke(main, ["sessions", "import", str(document)])
    assert " · ATIF of Harbor, without the files that commands wrote" in done.stdout
    imported_id = done.stdout.split()[0]
    shown = CliRunner().invoke(main, ["sessions", "show", imported_id]).stdout
    assert "\nimported  from poster.atif.json · ATIF of Harbor, without" in shown
    heading, *rows = CliRunner().invoke(main, ["sessions", "ls"]).stdout.splitlines()
    (row,) = (row for row in rows if row.startswith(imported_id))
    assert row[heading.index("imported") :].startswith("atif ")


def test_a_file_whose_name_is_no_utf8_is_imported(store: Store, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.json")
    written(path, {"problem_statement": "x", "steps": []})
    (run_id,) = import_file(store, path)
    name = store.run(run_id).imported_from
    assert name is not None
    assert name.startswith("caf\ufffd")
