"""The user's file operations on a real run: pull, push and edit, told to the model or not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import HumanItem, fold
from sandbox_tui.core.run.human.user_files import FileChangedMeanwhile
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.steering import RunEnded
from sandbox_tui.sessions import replay
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import only, request, watch

Start = Callable[..., s.ScriptedServer]
KINDS = pytest.mark.parametrize("kind", ["docker", "bubblewrap"])
MADE = r"""mkdir -p d/deep; printf 'one\ntwo\n' >a.txt; echo x >d/deep/x; ln -s /etc/passwd d/link
mkfifo d/pipe; printf 'odd' >"$(printf 'od\033]0;d\nname')" """


async def at_the_second_call(
    server: s.ScriptedServer,
    kind: str,
    tmp_path: Path,
    act: Callable[[Run], Awaitable[None]],
) -> list[e.AnyEvent]:
    """A run that pauses at its second call while `act` works, then continues to its end."""
    failed: list[BaseException] = []
    tasks: set[asyncio.Task[None]] = set()

    async def work(run: Run) -> None:
        try:
            await act(run)
        except BaseException as error:
            failed.append(error)
        finally:
            run.set_mode("auto")
            run.approve(2)

    def on_event(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.CallProposed) and event.call.number == 1:
            run.approve(1)
        if isinstance(event, e.CallProposed) and event.call.number == 2:
            tasks.add(asyncio.create_task(work(run)))

    seen, store, run_id = await watch(request(server, kind, mode="step"), tmp_path, on_event)
    if failed:
        raise failed[0]
    assert list(replay(store, run_id)) == seen
    store.close()
    return seen


@KINDS
async def test_pull(kind: str, scripted_server: Start, tmp_path: Path) -> None:
    require(kind)
    server = scripted_server(
        s.call("execute_bash", command=MADE),
        s.call("execute_bash", command="true"),
        s.call("submit"),
    )
    out = tmp_path / "out"

    async def act(run: Run) -> None:
        assert await run.files.pull("/testbed/a.txt", out) == []
        assert await run.files.pull("/testbed/a.txt", out) == []
        left = await run.files.pull("/testbed/d", out / "d", tell=True)
        assert len(left) == 2
        assert await run.files.pull("/testbed/od\x1b]0;d\nname", out) == []
        with pytest.raises(FileRefused, match="does not exist in the sandbox"):
            await run.files.pull("/testbed/none", out)
        with pytest.raises(FileRefused, match="does not exist in the sandbox"):
            await run.files.pull("/testbed/d/pipe", out)
        assert await run.files.pull("/testbed/d/link", out) != []

    seen = await at_the_second_call(server, kind, tmp_path, act)
    names = sorted(path.name for path in out.iterdir())
    assert names == ["a-2.txt", "a.txt", "d", "od␛]0;d␊name"]
    assert (out / "a.txt").read_bytes() == b"one\ntwo\n"
    assert [p.name for p in (out / "d").rglob("*")] == ["deep", "x"]
    told = [event.told_to_model for event in only(e.HumanFile, seen)]
    assert told == [False, False, True, False, False]
    words = json.dumps(server.requests[2]["messages"])
    assert "copied /testbed/d out" in words
    assert "a.txt out" not in words


@KINDS
async def test_push(kind: str, scripted_server: Start, tmp_path: Path) -> None:
    require(kind)
    server = scripted_server(
        s.call("execute_bash", command="true"),
        s.call("execute_bash", command="cat input/new.txt in/deep/f"),
        s.call("submit"),
    )
    (tmp_path / "new.txt").write_text("from the host\n")
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "f").write_text("deep inside\n")
    (folder / "leads-out").symlink_to("/etc/shadow")

    async def act(run: Run) -> None:
        put = await run.files.push(tmp_path / "new.txt", "/testbed/input")
        assert put == "/testbed/input/new.txt"
        assert await run.files.exists(put)
        assert await run.files.push(folder, "/testbed", tell=False) == "/testbed/in"
        assert not await run.files.exists("/testbed/in/leads-out")
        with pytest.raises(FileRefused, match="cannot be read"):
            await run.files.push(tmp_path / "none", "/testbed")

    seen = await at_the_second_call(server, kind, tmp_path, act)
    assert "from the host\ndeep inside" in only(e.CallFinished, seen)[1].observation
    changed = [event for event in only(e.FilesChanged, seen) if event.by == "human"]
    assert {"/testbed/input/new.txt", "/testbed/in/deep/f"} <= {
        change.path for event in changed for change in event.changes
    }
    words = json.dumps(server.requests[2]["messages"])
    assert "put /testbed/input/new.txt into your sandbox" in words
    assert "put /testbed/in " not in words
    items = [item for item in fold(seen).items if isinstance(item, HumanItem)]
    assert [item.file.action for item in items if item.file] == ["push", "push"]
    assert [item.delivered for item in items] == [True, False]


@KINDS
async def test_edit_by_hand(kind: str, scripted_server: Start, tmp_path: Path) -> None:
    require(kind)
    server = scripted_server(
        s.call("execute_bash", command=MADE),
        s.call("execute_bash", command="cat a.txt"),
        s.call("submit"),
    )
    path = "/testbed/a.txt"

    async def act(run: Run) -> None:
        opened = await run.files.open(path)
        assert opened == b"one\ntwo\n"
        run.inject("echo three >>a.txt; cat a.txt", tell=False)
        while (await run.files.open(path)) == opened:
            await asyncio.sleep(0.02)
        with pytest.raises(FileChangedMeanwhile, match="changed while you edited it") as caught:
            await run.files.save(path, b"mine\n", opened=opened)
        assert caught.value.now == b"one\ntwo\nthree\n"
        await run.files.save(path, b"one\n2\nthree\n", opened=caught.value.now)
        run.inject("rm a.txt", tell=False)
        while await run.files.exists(path):
            await asyncio.sleep(0.02)
        with pytest.raises(FileChangedMeanwhile, match="was deleted"):
            await run.files.save(path, b"mine\n", opened=b"one\n2\nthree\n")
        await run.files.save(path, b"mine\n", opened=None, tell=False)

    seen = await at_the_second_call(server, kind, tmp_path, act)
    assert "mine" in only(e.CallFinished, seen)[1].observation
    first, second = only(e.HumanFile, seen)
    assert (first.action, first.told_to_model) == ("edit", True)
    assert "-two\n+2" in first.diff
    assert not second.told_to_model
    words = server.requests[2]["messages"][-1]["content"]
    assert "A person edited /testbed/a.txt in your sandbox:" in words
    assert "-two\n+2" in words
    assert "mine" not in words
    state = fold(seen)
    assert state.files[path].by == "human"


async def test_not_after_the_end(scripted_server: Start, tmp_path: Path) -> None:
    server = scripted_server(s.call("submit"))
    runs: list[Run] = []
    seen, store, _ = await watch(request(server), tmp_path, lambda run, _: runs.append(run))
    assert isinstance(seen[-1], e.RunFinished)
    with pytest.raises(RunEnded):
        await runs[0].files.read("/testbed/a.txt", max_bytes=10)
    with pytest.raises(RunEnded):
        await runs[0].files.push(tmp_path, "/testbed")
    store.close()
