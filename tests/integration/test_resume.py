"""Runs whose program is killed with SIGKILL and that another program resumes, on real sandboxes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.agent.conversation_from_events import conversation
from sandbox_tui.core.agent.loop import messages_digest
from sandbox_tui.core.agent.model_messages import LOST, LOST_PROCESSES
from sandbox_tui.core.base.errors import ResumeRefused, SandboxNotLeft
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.core.sandboxes.docker.container_owner import owner_of
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.core.sandboxes.docker.sweep import sweep
from sandbox_tui.sessions import RunRegistry, RunWorker, Store, replay
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import KINDS, Start, only, settings
from tests.waiting import HANG_SECONDS

CHILD = """
import asyncio, sys
from pathlib import Path
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store, RunRegistry
from tests.integration.test_runs import settings

async def main(home, url, kind, mode, act):
    workers = RunRegistry(Store(Path(home) / "s.db"))
    asked = {"model.name": "scripted", "model.base_url": url, "sandbox.grace": 60.0}
    worker = workers.begin(RunRequest(
        task="what is 6*7?", settings=settings(kind, **asked), mode=mode, output=Path(home) / "out"
    ))
    scope = {"e": e, "asyncio": asyncio, "worker": worker, "done": lambda: print("now", flush=True)}
    exec(act, scope)
    async for event in worker.watch():
        await scope["act"](event, worker.run)
    print("ended", worker.state.finished, worker.failure, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""
"""A program with one run: `act` receives each event and calls `done` when it is to be killed."""

KILLED_WHILE_IT_SLEEPS = """
async def act(event, run):
    if isinstance(event, e.CallStarted) and event.call == 3:
        run.message("hello from before")
    if isinstance(event, e.FilesChanged) and any(c.path == "/testbed/begun" for c in event.changes):
        done()
"""


async def killed(
    home: Path, server: s.ScriptedServer, kind: str, act: str, mode: str = "auto"
) -> str:
    """Run in another program and kill it when `act` says so; returns the session's id."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", CHILD, str(home), server.url, kind, mode, act),
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OPENAI_API_KEY": "sk-of-before"},
    )
    assert child.stdout is not None
    line = (await asyncio.wait_for(child.stdout.readline(), HANG_SECONDS)).decode().strip()
    assert line == "now"
    child.send_signal(signal.SIGKILL)
    await child.wait()
    store = Store(home / "s.db")
    (run,) = store.runs()
    store.close()
    assert run.outcome == "interrupted"
    return run.id


@pytest.fixture
async def resume(tmp_path: Path) -> AsyncIterator[Callable[[str], RunWorker]]:
    """Resumes a session in this program."""
    workers = RunRegistry(Store(tmp_path / "s.db"))

    def go_on(session: str) -> RunWorker:
        return workers.resume(workers.store.run(session), settings())

    yield go_on
    await workers.stop("The test is over.")
    workers.store.close()


async def to_the_end(
    worker: RunWorker, act: Callable[[e.AnyEvent], Any] | None = None
) -> list[e.AnyEvent]:
    seen: list[e.AnyEvent] = []

    async def watch() -> None:
        async for event in worker.watch():
            seen.append(event)
            if act is not None:
                act(event)

    await asyncio.wait_for(watch(), HANG_SECONDS)
    if worker.failure is not None:
        raise worker.failure
    return seen


def stored(home: Path, session: str) -> list[e.AnyEvent]:
    store = Store(home / "s.db")
    events = list(replay(store, session))
    store.close()
    return events


SLEEPS = s.calls(
    ("execute_bash", '{"command": "cd /tmp; export A=seven; f() { echo from-f; }; umask 027"}'),
    ("execute_bash", '{"command": "nohup sleep 777 >/dev/null 2>&1 & echo started"}'),
    ("execute_bash", '{"command": "cd /; export A=lost; touch /testbed/begun; sleep 555"}'),
    ("execute_bash", '{"command": "pwd; echo A=$A; f; umask"}'),
)
SEEN = "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline | grep '^sleep [57]'; done; ls /testbed"
LOOKS = s.call("execute_bash", command=SEEN)


@KINDS
async def test_a_killed_run_continues_where_it_was(
    kind: str, scripted_server: Start, tmp_path: Path, resume: Callable[[str], RunWorker]
) -> None:
    require(kind)
    server = scripted_server(SLEEPS, LOOKS, s.call("submit"))
    session = await killed(tmp_path, server, kind, KILLED_WHILE_IT_SLEEPS)
    before = stored(tmp_path, session)
    seen = await to_the_end(resume(session))
    assert seen[: len(before)] == before
    assert [event.seq for event in seen] == list(range(1, len(seen) + 1))
    assert seen == stored(tmp_path, session)
    assert only(e.RunFinished, seen)[0].reason == "submitted"
    (resumed,) = only(e.RunResumed, seen)
    assert resumed == seen[len(before)]
    assert resumed.lost[0] == "Call 3 was running; it is marked as interrupted."
    assert len(resumed.lost) == (1 if kind == "docker" else 2)
    assert "current settings" in resumed.changed[0]
    assert 0 < resumed.away < 60

    texts = {event.call: event for event in only(e.CallFinished, seen)}
    assert texts[3].observation == LOST
    assert texts[3].interrupted
    state = texts[4].observation.split("[STDOUT]")[1].split()
    assert state == ["/tmp", "A=seven", "from-f", "0027"]
    assert "sleep 555" not in texts[5].observation
    assert ("sleep 777" in texts[5].observation) == (kind == "docker")
    assert "begun" in texts[5].observation

    (delivered,) = only(e.Delivered, seen)
    assert "hello from before" in delivered.text
    named = [line for line in delivered.text.splitlines() if line.startswith("- ")]
    ended = ["- nohup sleep 777 >/dev/null 2>&1 & echo started"]
    assert (LOST_PROCESSES in delivered.text) == (kind == "bubblewrap")
    assert named == ([] if kind == "docker" else ended)
    for asked in only(e.ModelAsked, seen):
        assert messages_digest(conversation(seen[: asked.seq])) == asked.digest
    sent = server.requests[1]["messages"]
    assert [m["role"] for m in sent[2:]] == ["assistant", "tool", "tool", "tool", "tool", "user"]
    assert sent[5]["content"] == LOST
    # the second program does not have this key: a self-hosted server needs none
    assert server.authorizations[0] == "Bearer sk-of-before"
    assert server.authorizations[1] != server.authorizations[0]
    await nothing_is_left(kind, session)


async def nothing_is_left(kind: str, session: str) -> None:
    if kind != "docker":
        return
    client = connect()
    try:
        label = f"sandbox-tui.session={session}"
        assert client.containers.list(all=True, ignore_removed=True, filters={"label": label}) == []
    finally:
        client.close()


WAITS = """
async def act(event, run):
    if isinstance(event, e.CallHeld):
        if event.call == 1:
            run.approve_always(1, ["echo *"])
        else:
            done()
"""


async def test_a_call_that_waited_for_a_person_still_waits(
    scripted_server: Start, tmp_path: Path, resume: Callable[[str], RunWorker]
) -> None:
    require("bubblewrap")
    server = scripted_server(
        s.calls(
            ("execute_bash", '{"command": "echo one"}'),
            ("execute_bash", '{"command": "echo two"}'),
            ("execute_bash", '{"command": "touch /testbed/three"}'),
        ),
        s.call("execute_bash", command="echo four"),
        s.call("submit"),
    )
    session = await killed(tmp_path, server, "bubblewrap", WAITS, "ask")
    assert len(server.requests) == 1
    worker = resume(session)

    def approve(event: e.AnyEvent) -> None:
        if isinstance(event, e.CallHeld) and worker.run is not None:
            worker.run.approve(event.call)

    seen = await to_the_end(worker, approve)
    assert [event.call for event in only(e.CallHeld, seen)] == [1, 3, 3]  # submit needs no approval
    assert len(only(e.CallProposed, seen)) == 5
    assert only(e.RunFinished, seen)[0].reason == "submitted"
    assert worker.state.files["/testbed/three"].run_mark == "created"


async def test_a_reply_that_was_streaming_is_asked_for_again(
    scripted_server: Start, tmp_path: Path, resume: Callable[[str], RunWorker]
) -> None:
    require("bubblewrap")
    server = scripted_server(s.stream(s.chunk({"content": "I begin to"}), 3600.0), s.call("submit"))
    act = """
async def act(event, run):
    if isinstance(event, e.ModelDelta):
        done()
"""
    session = await killed(tmp_path, server, "bubblewrap", act)
    seen = await to_the_end(resume(session))
    asked = only(e.ModelAsked, seen)
    assert [event.step for event in asked] == [1, 1]
    assert asked[0].digest == asked[1].digest
    assert server.requests[0] == server.requests[1]
    assert "A reply was being written" in only(e.RunResumed, seen)[0].lost[0]


async def test_a_frozen_container_continues(
    scripted_server: Start, tmp_path: Path, resume: Callable[[str], RunWorker]
) -> None:
    require("docker")
    server = scripted_server(s.call("execute_bash", command="echo x; sleep 500"), s.call("submit"))
    act = """
async def act(event, run):
    if isinstance(event, e.TerminalOutput) and b"x" in event.data.split(b"sleep 500")[-1]:
        asyncio.get_running_loop().create_task(run.freeze())
    if isinstance(event, e.SandboxFrozen):
        done()
"""
    session = await killed(tmp_path, server, "docker", act)
    worker = resume(session)

    def go_on(event: e.AnyEvent) -> None:
        if isinstance(event, e.CallFinished) and event.call == 1 and worker.run is not None:
            assert worker.run.gate.mode == "paused"
            worker.run.resume()

    seen = await to_the_end(worker, go_on)
    assert only(e.SandboxThawed, seen)[0].by == "program"
    assert only(e.RunFinished, seen)[0].reason == "submitted"


async def test_another_programs_sweep_leaves_an_adopted_container_alone(
    scripted_server: Start, tmp_path: Path, resume: Callable[[str], RunWorker]
) -> None:
    require("docker")
    server = scripted_server(SLEEPS, s.call("submit"))
    session = await killed(tmp_path, server, "docker", KILLED_WHILE_IT_SLEEPS)
    worker = resume(session)
    while worker.run is None or worker.run.phase is Phase.STARTING:
        await asyncio.sleep(0.01)
    await worker.run.freeze()
    client = connect()
    try:
        (container,) = client.containers.list(filters={"label": f"sandbox-tui.session={session}"})
        assert owner_of(container).pid == os.getpid()
        assert container.labels["sandbox-tui.pid"] != str(os.getpid())
        await asyncio.to_thread(sweep)
        container.reload()
        assert container.status == "paused", "it is ours, and was not let go on"
    finally:
        client.close()
    await worker.run.thaw()

    def approve(event: e.AnyEvent) -> None:
        if isinstance(event, e.CallHeld) and worker.run is not None:
            worker.run.approve(event.call)

    await to_the_end(worker, approve)


@KINDS
async def test_it_says_why_when_the_sandbox_is_gone(
    kind: str, scripted_server: Start, tmp_path: Path, resume: Callable[[str], RunWorker]
) -> None:
    require(kind)
    server = scripted_server(SLEEPS, s.call("submit"))
    session = await killed(tmp_path, server, kind, KILLED_WHILE_IT_SLEEPS)
    before = stored(tmp_path, session)
    if kind == "docker":
        client = connect()
        (container,) = client.containers.list(filters={"label": f"sandbox-tui.session={session}"})
        container.remove(force=True)
        client.close()
        why = "the container of this session is gone: it was killed or removed from outside"
    else:
        from sandbox_tui.core.sandboxes.bubblewrap.workspace import claim_folder, remove_folder

        remove_folder(claim_folder(session, 1.0))
        why = f"the sandbox's folders are gone.*`sandbox-tui fork {session}` continues it in a new"
    for _ in range(2):  # nothing was changed, so it can be retried
        with pytest.raises(SandboxNotLeft, match=why) as refused:
            await to_the_end(resume(session))
        assert refused.value.exit_code == 8
    assert stored(tmp_path, session) == before
    store = Store(tmp_path / "s.db")
    assert store.run(session).outcome == "interrupted"
    store.close()


async def test_finished_and_running_sessions_are_not_resumed(
    scripted_server: Start, tmp_path: Path, resume: Callable[[str], RunWorker]
) -> None:
    require("bubblewrap")
    server = scripted_server(SLEEPS, s.call("submit"))
    session = await killed(tmp_path, server, "bubblewrap", KILLED_WHILE_IT_SLEEPS)
    seen = await to_the_end(resume(session))
    assert isinstance(seen[-1], e.RunFinished)
    with pytest.raises(ResumeRefused, match="has ended"):
        resume(session)


async def test_only_one_of_two_programs_resumes_it(scripted_server: Start, tmp_path: Path) -> None:
    require("bubblewrap")
    server = scripted_server(SLEEPS, s.call("submit"))
    session = await killed(tmp_path, server, "bubblewrap", KILLED_WHILE_IT_SLEEPS)
    program = Path(sys.executable).with_name("sandbox-tui")
    (tmp_path / "sessions.db").symlink_to(tmp_path / "s.db")
    both = [
        await asyncio.create_subprocess_exec(
            *(program, "resume", session, "--json"),
            env={**os.environ, "SANDBOX_TUI_HOME": str(tmp_path)},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        for _ in range(2)
    ]
    results = await asyncio.gather(*(one.communicate() for one in both))
    codes = sorted(one.returncode or 0 for one in both)
    assert codes == [0, 8], results
    events = [event for event in stored(tmp_path, session) if isinstance(event, e.RunResumed)]
    assert len(events) == 1
    winner = next(out for (out, _), one in zip(results, both, strict=True) if one.returncode == 0)
    assert json.loads(winner.splitlines()[-1])["reason"] == "submitted"
