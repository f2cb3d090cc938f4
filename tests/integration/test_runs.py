"""Whole runs on real parts: a sandbox, a server on loopback, a database."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.open_run import open_run
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.sessions import Store, new_id, record, replay
from sandbox_tui.tui.screens.home.demo_request import demo_request
from tests import scripted_server as s
from tests.integration.conftest import TEST_IMAGE, require
from tests.waiting import HANG_SECONDS

PROGRAM = Path(sys.executable).with_name("sandbox-tui")
Start = Callable[..., s.ScriptedServer]
KINDS = pytest.mark.parametrize("kind", ["docker", "bubblewrap"])


def settings(kind: str = "bubblewrap", **more: Any) -> Any:
    return load({"sandbox.kind": kind, "sandbox.image": TEST_IMAGE, **more})


def request(server: s.ScriptedServer, kind: str = "bubblewrap", **more: Any) -> RunRequest:
    fields = {"model.name": "scripted", "model.base_url": server.url, **more}
    mode = fields.pop("mode", "auto")
    return RunRequest(task="what is 6*7?", settings=settings(kind, **fields), mode=mode)


async def watch(
    wanted: RunRequest, path: Path, act: Callable[[Run, e.AnyEvent], Any] | None = None
) -> tuple[list[e.AnyEvent], Store, str]:
    """Run to the end; `act` receives each event once it is stored."""
    store, run_id = Store(path / "s.db"), new_id()
    run = await open_run(wanted, run_id, store.blobs(run_id))
    seen: list[e.AnyEvent] = []
    async for event in record(run.events(), store, run_id):
        seen.append(event)
        if act is not None:
            done = act(run, event)
            if asyncio.iscoroutine(done):
                await done
    return seen, store, run_id


def only(kind: type, seen: list[e.AnyEvent]) -> list[Any]:
    return [event for event in seen if isinstance(event, kind)]


@KINDS
async def test_the_demo_solves_its_task(kind: str, tmp_path: Path) -> None:
    require(kind)
    wanted = demo_request(settings(kind), speed=0, output=tmp_path / "out")
    seen, store, run_id = await watch(wanted, tmp_path)
    end = seen[-1]
    assert isinstance(end, e.RunFinished)
    assert (end.reason, end.error, end.answer) == ("submitted", None, "Corvane 1914 8409\n")
    assert (tmp_path / "out" / "answer.txt").read_text() == "Corvane 1914 8409\n"
    assert (tmp_path / "out" / "grain.png").read_bytes().startswith(b"\x89PNG")
    assert [event.seq for event in seen] == list(range(1, len(seen) + 1))
    assert list(replay(store, run_id)) == seen
    assert end.totals.failed_calls == 2
    names = {change.path for event in only(e.FilesChanged, seen) for change in event.changes}
    assert {"/testbed/solve.py", "/testbed/output/grain.png"} <= names
    blob = next(
        change.blob
        for event in only(e.FilesChanged, seen)
        for change in event.changes
        if change.path == "/testbed/solve.py"
    )
    assert b"largest fall" in (store.get_blob(blob) or b"")
    store.close()


async def test_every_call_of_a_turn_gets_its_answer(scripted_server: Start, tmp_path: Path) -> None:
    wanted = [
        ("execute_bash", '{"command": "cd /tmp; export A=1"}'),
        ("execute_bash", '{"command": "pwd; echo $A"}'),
        ("execute_bash", "{not json"),
        ("execute_bash", "[1]"),
        ("no_such_tool", "{}"),
        ("str_replace_editor", '{"command": "insert", "path": "/tmp/none", "insert_line": "1"}'),
        (
            "str_replace_editor",
            '{"command": "view", "path": "/etc/passwd", "view_range": "[1, 1]"}',
        ),
        ("submit", "{}"),
        ("execute_bash", '{"command": "touch /testbed/output/after"}'),
    ]
    server = scripted_server(s.calls(*wanted))
    seen, store, _ = await watch(request(server), tmp_path)
    texts = [event.observation for event in only(e.CallFinished, seen)]
    assert len(texts) == len(wanted)
    assert "/tmp\n1" in texts[1]
    assert "not valid JSON" in texts[2]
    assert "JSON object" in texts[3]
    assert "no tool named" in texts[4]
    assert "required for insert" in texts[5]
    assert "     1\t" in texts[6]
    assert "     2\t" not in texts[6]
    assert "handed in before" in texts[8]
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    store.close()


async def test_what_is_sent_back_to_the_model(scripted_server: Start, tmp_path: Path) -> None:
    server = scripted_server(*s.demo_replies())
    seen, store, _ = await watch(request(server), tmp_path)
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    messages = server.requests[1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool"]
    assert messages[1]["content"].endswith("Steps Remaining: 100")
    assert messages[3]["tool_call_id"] == messages[2]["tool_calls"][0]["id"]
    assert messages[3]["content"].startswith("Exit code: 0\nExecution output of [execute_bash]:")
    assert messages[2]["reasoning_content"] == "A sandbox. First I see what is there."
    names = [tool["function"]["name"] for tool in server.requests[0]["tools"]]
    assert names == ["str_replace_editor", "execute_bash", "submit"]
    store.close()


async def test_a_person_steers(scripted_server: Start, tmp_path: Path) -> None:
    """Step, edit, reject, answer, inject (told and untold) and message, all in one run."""
    bash = [s.call("execute_bash", command=f"echo call {n}") for n in range(1, 6)]
    server = scripted_server(*bash, s.call("submit"), s.call("submit"))
    told: set[int] = set()

    def act(run: Run, event: e.AnyEvent) -> None:
        match event:
            case e.CallProposed(call=e.ToolCall(number=1)):
                asyncio.get_running_loop().call_soon(run.approve, 1)
            case e.CallProposed(call=e.ToolCall(number=2)):
                edited = json.dumps({"command": "echo edited"})
                asyncio.get_running_loop().call_soon(run.edit, 2, edited)
            case e.CallProposed(call=e.ToolCall(number=3)):
                asyncio.get_running_loop().call_soon(run.reject, 3, "do not")
            case e.CallProposed(call=e.ToolCall(number=4)):
                run.inject("export INJECTED=told; echo from a person")
                run.inject("echo quietly", tell=False)
            case e.HumanCommandFinished(id=item):
                told.add(item)
                if len(told) == 2:
                    run.message("use less wood")
                    run.answer(4, "answered by hand")
            case e.CallProposed(call=e.ToolCall(number=5)):
                run.step()
                asyncio.get_running_loop().call_soon(run.approve, 5)
            case e.CallProposed(call=e.ToolCall(number=6)):
                run.message("not so fast")
                run.set_mode("auto")
                asyncio.get_running_loop().call_soon(run.approve, 6)
            case _:
                pass

    seen, store, run_id = await watch(request(server, mode="step"), tmp_path, act)
    verdicts = [(d.call, d.verdict, d.by) for d in only(e.CallDecided, seen)]
    assert verdicts[:5] == [
        (1, "approve", "human"),
        (2, "edit", "human"),
        (3, "reject", "human"),
        (4, "answer", "human"),
        (5, "approve", "human"),
    ]
    texts = {event.call: event.observation for event in only(e.CallFinished, seen)}
    assert "A person edited this call" in texts[2]
    assert "\nedited" in texts[2]
    assert "They say: do not" in texts[3]
    assert texts[4] == "answered by hand"
    assert "Not handed in yet" in texts[6]
    after_four = server.requests[4]["messages"]
    last = after_four[-1]
    assert last["role"] == "user"
    assert "from a person" in last["content"]
    assert "use less wood" in last["content"]
    assert "quietly" not in json.dumps(after_four)
    assert "not so fast" in server.requests[6]["messages"][-1]["content"]
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    assert list(replay(store, run_id)) == seen
    store.close()


async def test_a_shell_is_recorded(scripted_server: Start, tmp_path: Path) -> None:
    server = scripted_server(s.call("execute_bash", command="cd /tmp"), s.call("submit"))
    state = {"typed": b""}

    async def act(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.CallProposed) and event.call.number == 2:
            await run.open_shell(80, 24)
            await run.type("shell", b"pwd; echo do''ne; exit\n")
        if isinstance(event, e.TerminalClosed):
            run.set_mode("auto")
            run.approve(2)
        if isinstance(event, e.CallProposed) and event.call.number == 1:
            run.approve(1)

    del state
    wanted = request(server, mode="step")
    seen, store, _ = await watch(wanted, tmp_path, lambda run, event: later(act(run, event)))
    shell = b"".join(x.data for x in only(e.TerminalOutput, seen) if x.terminal == "shell")
    assert b"/tmp\r\ndone\r\n" in shell
    assert only(e.TerminalInput, seen)[0].data.startswith(b"pwd")
    assert only(e.TerminalOpened, seen)[1].terminal == "shell"
    store.close()


_tasks: set[asyncio.Task[None]] = set()


def later(work: Any) -> None:
    """Run `work` as a task: a decision must not wait for the event that asks for it."""
    task = asyncio.get_running_loop().create_task(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


LIMITS = {
    "max_steps": ({"limits.max_steps": 2}, s.call("execute_bash", command="true")),
    "token_limit": ({"limits.token_limit": 110}, s.call("execute_bash", command="true")),
    "time_limit": ({"limits.time_limit": 1.0}, s.call("execute_bash", command="sleep 60")),
}


@pytest.mark.parametrize("reason", LIMITS)
async def test_limits_end_a_run_and_say_which(
    scripted_server: Start, tmp_path: Path, reason: str
) -> None:
    more, reply = LIMITS[reason]
    seen, store, run_id = await watch(request(scripted_server(reply), **more), tmp_path)
    assert seen[-1].reason == reason  # type: ignore[union-attr]
    assert "limit" in (store.run(run_id).error or "")
    store.close()


async def test_a_model_that_calls_nothing_is_told_so(
    scripted_server: Start, tmp_path: Path
) -> None:
    server = scripted_server(s.say("just words"), s.call("submit"))
    seen, store, _ = await watch(request(server), tmp_path)
    assert "called no tool" in server.requests[1]["messages"][-1]["content"]
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    store.close()


async def test_a_server_that_recovers_is_asked_again(
    scripted_server: Start, tmp_path: Path
) -> None:
    cut = s.Scripted(s.fragments(0, "execute_bash", '{"command": "ls"}', "a")[:2])
    server = scripted_server(s.failure(503, "busy", retry_after="0"), cut, s.call("submit"))
    seen, store, _ = await watch(request(server), tmp_path)
    assert [failed.attempt for failed in only(e.ModelFailed, seen)] == [1, 2]
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    store.close()


async def test_an_overfull_conversation_asks_for_less_and_then_ends(
    scripted_server: Start, tmp_path: Path
) -> None:
    server = scripted_server(s.failure(400, "maximum context length is 8192 tokens"))
    seen, store, _ = await watch(request(server, **{"limits.max_tokens": 16384}), tmp_path)
    assert [r["max_tokens"] for r in server.requests] == [16384, 8192, 4096]
    assert seen[-1].reason == "token_limit"  # type: ignore[union-attr]
    store.close()


async def test_cancelling_keeps_partial_results(scripted_server: Start, tmp_path: Path) -> None:
    server = scripted_server(
        s.call("execute_bash", command="echo 1 >output/part.txt; echo on; sleep 100")
    )

    def act(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.TerminalOutput) and b"on\r\n" in event.data:
            run.cancel("enough")

    seen, store, run_id = await watch(request(server), tmp_path, act)
    assert (seen[-1].reason, seen[-1].error) == ("cancelled", "enough")  # type: ignore[union-attr]
    assert only(e.CallFinished, seen)[-1].interrupted
    assert (Path(seen[-1].output or "") / "part.txt").read_text() == "1\n"  # type: ignore[union-attr]
    assert store.run(run_id).outcome == "cancelled"
    store.close()


# --- the command


def program(*arguments: str, home: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(PROGRAM), *arguments],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        cwd=home.parent,
        env={**os.environ, "SANDBOX_TUI_HOME": str(home)},
        **more,
    )


@KINDS
def test_run_against_a_server(
    kind: str, scripted_server: Start, own_home: Path, tmp_path: Path
) -> None:
    require(kind)
    server = scripted_server(*s.demo_replies())
    done = program(
        *("run", "what is 6*7?", "--base-url", server.url, "--model", "scripted", "--json"),
        *("--sandbox", kind, "--image", TEST_IMAGE, "--output", str(tmp_path / "out")),
        home=own_home,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out" / "answer.txt").read_text() == "42\n"
    events = [e.from_json(line) for line in done.stdout.splitlines()]
    assert isinstance(events[0], e.RunStarted)
    again = program("replay", "last", "--json", home=own_home)
    assert again.stdout == done.stdout
    listed = program("sessions", "ls", home=own_home).stdout
    assert "submitted" in listed
    shown = program("sessions", "show", "last", home=own_home).stdout
    assert "what is 6*7?" in shown
    removed = program("sessions", "rm", "last", "--yes", home=own_home)
    assert removed.returncode == 0
    assert program("sessions", "ls", "--json", home=own_home).stdout == ""


def test_run_against_a_server_that_fails(scripted_server: Start, own_home: Path) -> None:
    server = scripted_server(s.failure(401, "no such key"))
    done = program(
        *("run", "x", "--base-url", server.url, "--model", "m", "--sandbox", "bubblewrap"),
        *("--headless",),
        home=own_home,
    )
    assert done.returncode == 5
    assert "The server rejected the API key" in done.stderr
    assert "ended: model error" in done.stdout
    store = Store(own_home / "sessions.db")
    run = store.runs()[0]
    assert run.outcome == "model_error"
    assert "OPENAI_API_KEY" in (run.error or "")
    store.close()


def test_tools_labels_and_seed_of_the_command_line(scripted_server: Start, own_home: Path) -> None:
    """Each sample has its own seed; a fork keeps its parent's or takes another."""
    server = scripted_server(*[s.call("submit")] * 4)
    against = ("--base-url", server.url, "--model", "m", "--headless")
    asked = (
        "--tool",
        "submit",
        "--tool",
        "execute_bash",
        "--label",
        "suite=nightly",
        "--seed",
        "7",
    )
    labels = ("--label", "note=a=b", "--samples", "2", "--sandbox", "bubblewrap")
    done = program("run", "x", *against, *asked, *labels, home=own_home)
    assert done.returncode == 0, done.stderr
    assert sorted(request["seed"] for request in server.requests) == [7, 8]
    offered = [tool["function"]["name"] for tool in server.requests[0]["tools"]]
    assert offered == ["submit", "execute_bash"]
    shown = program("sessions", "show", "last", home=own_home).stdout
    assert "labels    suite=nightly, note=a=b" in shown
    name = json.loads(program("sessions", "ls", "--json", home=own_home).stdout.splitlines()[0])[
        "id"
    ]
    # The two samples end in any order, so the parent's seed is read from its own record.
    shown = program("sessions", "show", name, home=own_home).stdout
    parent = int(re.findall(r"^seed +(\d+)$", shown, re.MULTILINE)[0])
    for given, seed in (((), parent), (("--seed", "40"), 40)):
        forked = program(
            *("fork", name, "--at", "step:1", "--headless", "--yes", "--message", "again", *given),
            home=own_home,
        )
        assert forked.returncode == 0, forked.stderr
        assert server.requests[-1]["seed"] == seed + 1  # the request of its second step
        assert [tool["function"]["name"] for tool in server.requests[-1]["tools"]] == offered


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["run", "x"], 2, "No model is set"),
        (["run", "x", "--model", "m"], 2, "no OpenAI API key"),
        (["run", "x", "--model", "m", "--base-url", "http:///v1"], 2, "is not an address"),
        (["run", " ", "--model", "m", "--base-url", "http://127.0.0.1:9"], 2, "no task"),
        (
            ["run", "x", "--model", "m", "--base-url", "http://u", "--extra-body", "{"],
            2,
            "not valid JSON",
        ),
        (["run", "x", "--model", "m", "--base-url", "http://u", "--input", "/nope"], 2, "/nope"),
        (
            ["run", "x", "--model", "m", "--base-url", "http://u", "--tool", "nope"],
            2,
            "no tool named",
        ),
        (["run", "x", "--model", "m", "--base-url", "http://u", "--label", "a"], 2, "KEY=VALUE"),
        (["demo", "--prompts", "nope"], 2, "no prompt pack"),
        (["demo", "--sandbox", "docker", "--image", "no-such:1"], 3, "no-such:1"),
        (["replay", "nope"], 2, "no session"),
        (["sessions", "show", "last"], 2, "no sessions yet"),
    ],
)
def test_bad_input_gets_one_clear_sentence(
    own_home: Path, arguments: list[str], code: int, words: str
) -> None:
    if code == 3:
        require("docker")
    done = (
        program(*arguments, "--headless", home=own_home)
        if arguments[0] != "sessions"
        else (program(*arguments, home=own_home))
    )
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith("sandbox-tui: ")
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGQUIT, 131)],
)
def test_signals_shut_a_headless_run_down_cleanly(
    own_home: Path, scripted_server: Start, number: int, code: int
) -> None:
    server = scripted_server(s.call("execute_bash", command="echo begun; sleep 100"))
    child = subprocess.Popen(
        [
            *(str(PROGRAM), "run", "x", "--base-url", server.url, "--model", "m"),
            *("--sandbox", "bubblewrap", "--json"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=own_home.parent,
        env={**os.environ, "SANDBOX_TUI_HOME": str(own_home)},
    )
    assert child.stdout is not None
    for line in child.stdout:
        if "CallStarted" in line:
            break
    child.send_signal(number)
    rest, _ = child.communicate(timeout=HANG_SECONDS)
    assert child.returncode == code
    last = e.from_json(rest.splitlines()[-1])
    assert isinstance(last, e.RunFinished)
    assert last.reason == ("disconnected" if number == signal.SIGHUP else "cancelled")


@KINDS
def test_kill_9_keeps_what_was_seen_and_leaves_no_container(kind: str, own_home: Path) -> None:
    require(kind)
    child = subprocess.Popen(
        [
            *(str(PROGRAM), "demo", "--speed", "3", "--json", "--sandbox", kind),
            *("--image", TEST_IMAGE),
        ],
        stdout=subprocess.PIPE,
        text=True,
        cwd=own_home.parent,
        env={**os.environ, "SANDBOX_TUI_HOME": str(own_home), "SANDBOX_TUI_SANDBOX_GRACE": "2"},
    )
    assert child.stdout is not None
    lines: list[str] = []
    for line in child.stdout:
        lines.append(line)
        if "CallFinished" in line and len(lines) > 60:
            break
    child.kill()
    lines += child.stdout.readlines()
    child.wait()
    child.stdout.close()
    store = Store(own_home / "sessions.db")
    run = store.runs()[0]
    assert run.outcome == "interrupted"
    whole = [line.encode().rstrip(b"\n") for line in lines if line.endswith("\n")]
    stored = [e.to_json(event) for event in store.events(run.id)]
    assert stored[: len(whole)] == whole
    store.close()
    if kind == "docker":
        from tests.integration.test_docker_lifecycle import eventually, ours

        engine = connect()
        try:
            eventually(lambda: ours(engine, run.id) == [])
        finally:
            engine.close()
