"""Forks whose program is killed with SIGKILL and that another program resumes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from sandbox_tui.core.agent.conversation_from_events import conversation
from sandbox_tui.core.agent.loop import messages_digest
from sandbox_tui.core.base.errors import ResumeRefused
from sandbox_tui.core.events import types as e
from sandbox_tui.core.lineage.fork_point import never_prepared
from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.core.lineage.recovery import recover
from sandbox_tui.sessions import RunRegistry, RunWorker, Store
from sandbox_tui.sessions.recording.fork_worker import ForkPlan, ForkWorker
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_resume import nothing_is_left, stored, to_the_end
from tests.integration.test_runs import KINDS, Start, only, request, settings, watch
from tests.waiting import HANG_SECONDS

CHILD = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from sandbox_tui.core.events import types as e
from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.fork_worker import ForkPlan, ForkWorker
from tests.integration.test_runs import settings

async def main(home, parent, at, url, kind, message, act):
    store = Store(Path(home) / "s.db")
    changes = {"model.base_url": url, "sandbox.snapshots": "off"}
    now = settings(kind, **changes, **{"sandbox.grace": 60.0})
    plan = ForkPlan(store, store.run(parent), at)
    asked = ForkRequest(run=replace(plan.request(now, changes), mode="auto"), message=message)
    worker = ForkWorker(plan, asked, store)
    scope = {"e": e, "worker": worker, "done": lambda: print("now", worker.run_id, flush=True)}
    exec(act, scope)
    worker.start()
    async for event in worker.watch():
        await scope["act"](event, worker.run)
    print("ended", worker.state.finished, worker.failure, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""
"""A program with one fork: `act` receives each event and calls `done` when it is to be killed."""

WHEN_CALL_4_RUNS = """
async def act(event, run):
    if isinstance(event, e.FilesChanged) and any(c.path == "/testbed/begun" for c in event.changes):
        done()
"""


@pytest.fixture
async def resume(tmp_path: Path) -> AsyncIterator[Callable[[str], RunWorker]]:
    """Resumes a session in this program."""
    workers = RunRegistry(Store(tmp_path / "s.db"))
    yield lambda session: workers.resume(workers.store.run(session), settings())
    await workers.stop("The test is over.")
    workers.store.close()


async def killed_fork(
    home: Path, parent: str, at: str, url: str, kind: str, act: str, message: str = ""
) -> str:
    """Fork in another program and kill it when `act` says so; returns the fork's id."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", CHILD, str(home), parent, at, url, kind, message, act),
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OPENAI_API_KEY": "sk-test"},
    )
    assert child.stdout is not None
    line = (await asyncio.wait_for(child.stdout.readline(), HANG_SECONDS)).decode().split()
    assert line[0] == "now"
    child.send_signal(signal.SIGKILL)
    await child.wait()
    return line[1]


@KINDS
@pytest.mark.parametrize("when", ["every", "off"])
async def test_a_killed_fork_continues_where_it_was(
    kind: str,
    when: str,
    scripted_server: Start,
    tmp_path: Path,
    cleared: list[str],
    resume: Callable[[str], RunWorker],
) -> None:
    """From a snapshot or from repeated calls: what the fork inherited survives the kill."""
    require(kind)
    first = scripted_server(
        s.call("execute_bash", command="mkdir sub; cd sub; export WHO=parent; echo 1 >a"),
        s.call("execute_bash", command="echo 2 >b"),
        s.call("execute_bash", command="echo later >c"),
        s.call("submit"),
    )
    wanted = request(first, kind, **{"sandbox.snapshots": when})
    _, store, parent = await watch(wanted, tmp_path)
    store.close()
    cleared.append(parent)
    second = scripted_server(
        s.call("execute_bash", command="echo 3 >d; touch /testbed/begun; sleep 300"),
        s.call("execute_bash", command="pwd; echo $WHO; cat a b d; ls"),
        s.call("submit"),
    )
    child = await killed_fork(
        tmp_path, parent, "step:2", second.url, kind, WHEN_CALL_4_RUNS, "look around"
    )
    before = stored(tmp_path, child)
    assert only(e.Forked, before)[0].repeats == (0 if when == "every" else 2)
    seen = await to_the_end(resume(child))
    assert seen[: len(before)] == before
    assert [event.seq for event in seen] == list(range(1, len(seen) + 1))
    (resumed,) = only(e.RunResumed, seen)
    assert resumed.lost == ("Call 3 was running; it is marked as interrupted.",)
    assert only(e.RunFinished, seen)[0].reason == "submitted"
    calls = {event.call: event for event in only(e.CallFinished, seen)}
    assert "/testbed/sub\nparent\n1\n2\n3\na\nb\nd" in calls[4].observation
    assert [event.step for event in only(e.ModelReplied, seen)] == [1, 2, 3, 4, 5]
    for asked in only(e.ModelAsked, seen):
        assert messages_digest(conversation(seen[: asked.seq])) == asked.digest
    sent = [message["content"] or "" for message in second.requests[1]["messages"]]
    assert sent[:3] == [m["content"] or "" for m in first.requests[1]["messages"]][:3]
    assert any("look around" in words for words in sent)
    await nothing_is_left(kind, child)


@KINDS
async def test_a_fork_killed_while_its_sandbox_was_prepared_says_so(
    kind: str, scripted_server: Start, tmp_path: Path, resume: Callable[[str], RunWorker]
) -> None:
    """It can then be forked again from its own record, even with its parent deleted."""
    require(kind)
    server = scripted_server(
        s.call("execute_bash", command="echo 1 >a"),
        s.call("execute_bash", command="sleep 2; echo 2 >b"),
        s.call("submit"),
    )
    _, store, parent = await watch(request(server, kind, **{"sandbox.snapshots": "off"}), tmp_path)
    act = "async def act(event, run):\n    if isinstance(event, e.Repeated): done()"
    other = scripted_server(s.call("execute_bash", command="cat a b"), s.call("submit"))
    child = await killed_fork(tmp_path, parent, "step:2", other.url, kind, act)
    assert never_prepared(stored(tmp_path, child))
    store.delete(parent)
    at = store.run(child).parent_seq
    for _ in range(2):
        with pytest.raises(ResumeRefused, match=f"fork {child} --at seq:{at}"):
            await to_the_end(resume(child))
    assert store.run(child).outcome == "interrupted"
    plan = ForkPlan(store, store.run(child), f"seq:{at}")
    again = ForkWorker(plan, _asks(plan, other.url, kind), store)
    again.start()
    seen = await to_the_end(again)
    assert "1\n2" in only(e.CallFinished, seen)[2].observation
    assert only(e.RunFinished, seen)[0].reason == "submitted"
    store.close()


def _asks(plan: ForkPlan, url: str, kind: str) -> ForkRequest:
    changes = {"model.base_url": url, "sandbox.snapshots": "off"}
    return ForkRequest(run=plan.request(settings(kind, **changes), changes))


async def test_a_submission_before_the_fork_does_not_end_it(
    scripted_server: Start, tmp_path: Path, cleared: list[str], resume: Callable[[str], RunWorker]
) -> None:
    """Forked after the end, and killed while its first reply streams in."""
    require("bubblewrap")
    server = scripted_server(s.call("execute_bash", command="echo 1 >a"), s.call("submit"))
    wanted = request(server, **{"sandbox.snapshots": "every", "limits.time_limit": 600.0})
    _, store, parent = await watch(wanted, tmp_path)
    store.close()
    cleared.append(parent)
    other = scripted_server(
        s.stream(s.chunk({"content": "I begin to"}), 3600.0),
        s.call("execute_bash", command="cat a"),
        s.call("submit"),
    )
    act = "async def act(event, run):\n    if isinstance(event, e.ModelDelta): done()"
    act = act.replace("ModelDelta)", "ModelDelta) and event.step == 3")
    child = await killed_fork(tmp_path, parent, "end", other.url, "bubblewrap", act, "once more")
    before = stored(tmp_path, child)
    past = recover(before)
    assert past is not None
    assert not past.checkpoint.submitted
    assert past.checkpoint.cost == 0
    assert past.run_started_at == only(e.Forked, before)[0].t > 0
    left = past.time_left(60.0)
    assert left is not None
    assert abs(left - (60.0 - (before[-1].t - past.run_started_at))) < 0.001
    seen = await to_the_end(resume(child))
    assert only(e.RunFinished, seen)[0].reason == "submitted"
    assert [event.step for event in only(e.ModelReplied, seen)] == [1, 2, 3, 4]
    assert other.requests[0] == other.requests[1]
