"""Runs in programs of their own: real programs, real sockets, real sandboxes."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core import events as e
from sandbox_tui.core.config import data_dir
from sandbox_tui.core.errors import FileRefused, ImageMissing, SandboxTuiError
from sandbox_tui.core.human_files import FileChangedMeanwhile
from sandbox_tui.core.launch import RunRequest
from sandbox_tui.sessions import Store, replay
from sandbox_tui.sessions.detached import Job, begin
from sandbox_tui.sessions.remote import RemoteWorker
from sandbox_tui.sessions.sockets import answers, is_detached, socket_path
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import KINDS, Start, settings


def job(server: s.ScriptedServer, kind: str = "bubblewrap", mode: Any = "auto") -> Job:
    asked = {"model.name": "scripted", "model.base_url": server.url}
    output = data_dir() / "out"
    wanted = settings(kind, **asked)
    return Job.of(RunRequest(task="what is 6*7?", settings=wanted, mode=mode, output=output))


@pytest.fixture
async def watch() -> AsyncIterator[Callable[[str], Watching]]:
    """Screens without a screen; whatever still runs is ended."""
    store = Store(data_dir() / "sessions.db")
    watching: list[Watching] = []

    def begin_watching(session: str) -> Watching:
        watching.append(Watching(RemoteWorker(store.run(session), store)))
        return watching[-1]

    yield begin_watching
    for one in watching:
        one.task.cancel()
    for run in store.runs():
        if run.outcome == "running" and is_detached(run.id):
            worker = RemoteWorker(run, store)
            await worker.stop("The test is over.")
            worker.leave()
    store.close()


class Watching:
    """A screen that notes what it is shown."""

    def __init__(self, worker: RemoteWorker) -> None:
        self.worker = worker
        self.seen: list[e.AnyEvent] = []
        self.complaints: list[str] = []
        worker.complain = self.complaints.append
        self.task = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        async for event in self.worker.watch():
            self.seen.append(event)

    async def until(self, true: Callable[[], Any]) -> None:
        async with asyncio.timeout(60):
            while not true():
                assert not self.task.done() or true(), self.worker.failure
                await asyncio.sleep(0.01)

    @property
    def run(self) -> Any:
        run = self.worker.run
        assert run is not None
        return run


def stored(session: str) -> list[e.AnyEvent]:
    store = Store(data_dir() / "sessions.db")
    events = list(replay(store, session))
    store.close()
    return events


CALLS = s.calls(
    ("execute_bash", '{"command": "echo one; echo text > /testbed/notes"}'),
    ("execute_bash", '{"command": "echo two"}'),
)


@KINDS
async def test_screens_come_and_go_and_the_run_goes_on(
    kind: str, scripted_server: Start, watch: Callable[[str], Watching]
) -> None:
    require(kind)
    server = scripted_server(CALLS, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, kind, "step"))
    assert is_detached(session)
    first = watch(session)
    await first.until(lambda: first.worker.state.pending)
    assert first.worker.steers
    assert first.worker.company == "detached"
    assert first.run.approve(1)
    await first.until(
        lambda: 1 in first.worker.state.calls and first.worker.state.calls[1].finished
    )
    first.task.cancel()  # a screen that dies
    await asyncio.wait([first.task])

    second = watch(session)
    third = watch(session)
    await second.until(lambda: second.worker.state.pending and second.worker.steers)
    await third.until(lambda: third.worker.state.pending)
    assert not third.worker.steers
    assert third.worker.company == "watching"
    assert third.run.approve(2)
    await third.until(lambda: third.complaints)
    assert "take it over" in third.complaints[0]
    assert second.worker.state.pending is not None

    third.worker.take_over()
    await third.until(lambda: third.worker.steers)
    await second.until(lambda: not second.worker.steers)
    third.run.message("a word")
    third.run.approve(2)
    await third.until(lambda: third.worker.state.pending and third.worker.state.step == 2)
    third.run.resume()
    for one in (second, third):
        await asyncio.wait_for(one.task, 30)
        assert one.seen == stored(session)
        assert isinstance(one.seen[-1], e.RunFinished)
        assert one.seen[-1].reason == "submitted"
        assert one.worker.exit_code == 0
    assert not socket_path(session).exists()


async def test_a_screen_that_does_not_read_harms_nobody(
    scripted_server: Start, watch: Callable[[str], Watching]
) -> None:
    require("bubblewrap")
    flood = s.call("execute_bash", command="head -c 30000000 /dev/zero | tr '\\0' 'x'")
    server = scripted_server(flood, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server))
    _, deaf = await asyncio.open_unix_connection(str(socket_path(session)))
    deaf.transport.pause_reading()  # type: ignore[attr-defined]
    _, rude = await asyncio.open_unix_connection(str(socket_path(session)))
    rude.write(b"GET / HTTP/1.1\r\n\r\n")
    good = watch(session)
    await asyncio.wait_for(good.task, 90)
    assert isinstance(good.seen[-1], e.RunFinished)
    assert good.seen[-1].reason == "submitted"
    deaf.close()
    rude.close()


async def test_files_and_shells_of_a_run_elsewhere(
    scripted_server: Start, watch: Callable[[str], Watching], tmp_path: Path
) -> None:
    require("bubblewrap")
    server = scripted_server(CALLS, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, mode="step"))
    screen = watch(session)
    await screen.until(lambda: screen.worker.state.pending)
    run = screen.run
    run.approve(1)
    await screen.until(
        lambda: screen.worker.state.pending and screen.worker.state.pending.call.number == 2
    )
    files = run.files
    opened = await files.open("/testbed/notes")
    assert opened == b"text\n"
    await files.save("/testbed/notes", b"by hand\xff\n", opened=opened)
    assert await files.read("/testbed/notes", max_bytes=100) == b"by hand\xff\n"
    with pytest.raises(FileChangedMeanwhile) as changed:
        await files.save("/testbed/notes", b"again", opened=opened)
    assert changed.value.now == b"by hand\xff\n"
    with pytest.raises(FileRefused, match="does not exist"):
        await files.read("/testbed/none", max_bytes=1)
    assert await files.exists("/testbed/notes")
    assert await files.pull("/testbed/notes", tmp_path / "here") == []
    assert (tmp_path / "here" / "notes").read_bytes() == b"by hand\xff\n"
    (tmp_path / "mine").write_text("mine")
    assert await files.push(tmp_path / "mine", "/testbed") == "/testbed/mine"

    name = await run.open_shell(80, 24)
    for key in b"echo $((6*7))-typed\n":
        await run.type(name, bytes([key]))

    def printed() -> bytes:
        return b"".join(
            event.data
            for event in screen.seen
            if isinstance(event, e.TerminalOutput) and event.terminal == name
        )

    await screen.until(lambda: b"42-typed" in printed())
    await run.resize(name, 90, 20)
    await screen.until(lambda: screen.worker.state.terminals.get(name) == (90, 20))
    await run.freeze()
    await screen.until(lambda: run.frozen)
    await run.thaw()
    await screen.worker.stop("enough")
    await asyncio.wait_for(screen.task, 20)
    assert isinstance(screen.seen[-1], e.RunFinished)
    assert screen.seen[-1].reason == "cancelled"
    assert screen.seen[-1].error == "enough"


def owner_of_session(session: str) -> int:
    store = Store(data_dir() / "sessions.db")
    (row,) = store.rows("SELECT owner_pid FROM runs WHERE id = ?", [session])
    store.close()
    return int(row["owner_pid"])


async def test_a_detached_program_outlives_hangups_and_its_death_is_told(
    scripted_server: Start, watch: Callable[[str], Watching]
) -> None:
    require("bubblewrap")
    server = scripted_server(CALLS, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, mode="step"))
    pid = owner_of_session(session)
    assert os.getsid(pid) == pid, "a session of its own, that no terminal can hang up"
    for descriptor in (0, 1, 2):
        assert Path(f"/proc/{pid}/fd/{descriptor}").readlink() == Path("/dev/null")
    os.kill(pid, signal.SIGHUP)
    screen = watch(session)
    await screen.until(lambda: screen.worker.state.pending)
    os.kill(pid, signal.SIGKILL)
    await asyncio.wait_for(screen.task, 20)
    assert "is gone" in str(screen.worker.failure)
    while answers(socket_path(session)):  # the kernel puts its socket away a moment later
        await asyncio.sleep(0.01)

    again = await asyncio.to_thread(begin, Job(settings=settings(), resume=session))
    assert again == session
    screen = watch(session)
    await screen.until(lambda: screen.worker.state.pending)
    screen.run.resume()
    await asyncio.wait_for(screen.task, 30)
    assert any(isinstance(event, e.RunResumed) for event in screen.seen)
    assert isinstance(screen.seen[-1], e.RunFinished)
    assert screen.seen[-1].reason == "submitted"


async def test_sigterm_ends_it_in_order(
    scripted_server: Start, watch: Callable[[str], Watching]
) -> None:
    require("bubblewrap")
    server = scripted_server(CALLS, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, mode="step"))
    screen = watch(session)
    await screen.until(lambda: screen.worker.state.pending)
    os.kill(owner_of_session(session), signal.SIGTERM)
    await asyncio.wait_for(screen.task, 20)
    end = screen.seen[-1]
    assert isinstance(end, e.RunFinished)
    assert (end.reason, end.error) == ("cancelled", "The program got SIGTERM.")


def test_what_cannot_begin_says_why(scripted_server: Start) -> None:
    require("docker")
    server = scripted_server(CALLS)
    asked = {"model.name": "m", "model.base_url": server.url, "sandbox.image": "127.0.0.1:9/no:1"}
    wanted = settings("docker", **asked)
    with pytest.raises(SandboxTuiError, match="no image named") as error:
        begin(Job.of(RunRequest(task="x", settings=wanted)))
    assert error.value.exit_code == ImageMissing.exit_code
    with pytest.raises(SandboxTuiError, match="no session"):
        begin(Job(settings=settings(), resume="nonesuch"))


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """pytest's own may be too long for a socket: then its folder would be one that others share."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def test_the_socket_is_in_a_folder_of_ones_own(
    monkeypatch: pytest.MonkeyPatch, short_folder: Path
) -> None:
    from sandbox_tui.sessions import sockets

    monkeypatch.setattr(tempfile, "tempdir", str(short_folder))
    path = socket_path("20261121-104238-7fk2p")
    sockets.make_folder(path)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    stale = path.parent / "old.sock"
    stale.touch()
    sockets.make_folder(path)
    assert not stale.exists()
    path.parent.chmod(0o755)
    with pytest.raises(SandboxTuiError, match="nobody else may enter"):
        sockets.make_folder(path)
    deep = short_folder / ("d" * 90)
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    assert len(os.fsencode(socket_path("20261121-104238-7fk2p"))) <= sockets.LONGEST_PATH
