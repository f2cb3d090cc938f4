"""Runs in separate processes: real programs, real sockets, real sandboxes."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.base.errors import FileRefused, ImageMissing, SandboxTuiError
from sandbox_tui.core.config.settings import data_dir
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.human.user_files import FileChangedMeanwhile
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, Store, replay
from sandbox_tui.sessions.remote import detached
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.detached import Job, begin
from sandbox_tui.sessions.remote.detached_log import MAX_LOG_BYTES, log_file, open_log
from sandbox_tui.sessions.remote.protocol import MAX_LINE_BYTES, Status, encode
from sandbox_tui.sessions.remote.resume_here import resume_here
from sandbox_tui.sessions.remote.sockets import (
    MAX_PATH_BYTES,
    answers,
    connect_to,
    is_detached,
    listen,
    socket_path,
)
from sandbox_tui.tui.format.outcome import outcome_words, short_outcome
from sandbox_tui.tui.widgets.preview.preview import MAX_WHOLE_BYTES
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import KINDS, Start, settings
from tests.waiting import HANG_SECONDS


def job(server: s.ScriptedServer, kind: str = "bubblewrap", mode: Any = "auto") -> Job:
    asked = {"model.name": "scripted", "model.base_url": server.url}
    output = data_dir() / "out"
    wanted = settings(kind, **asked)
    return Job.of(RunRequest(task="what is 6*7?", settings=wanted, mode=mode, output=output))


@pytest.fixture
async def watch() -> AsyncIterator[Callable[[str], Watching]]:
    """Opens `Watching` clients; ends all runs still in progress."""
    store = Store(data_dir() / "sessions.db")
    watching: list[Watching] = []

    def begin_watching(session: str) -> Watching:
        watching.append(Watching(RunClient(store.run(session), store)))
        return watching[-1]

    yield begin_watching
    for one in watching:
        one.task.cancel()
    for run in store.runs():
        if run.outcome == "running" and is_detached(run.id):
            worker = RunClient(run, store)
            await worker.stop("The test is over.")
            worker.leave()
    store.close()


class Watching:
    """A client without a screen that records the events it receives."""

    def __init__(self, worker: RunClient) -> None:
        self.worker = worker
        self.seen: list[e.AnyEvent] = []
        self.complaints: list[str] = []
        worker.complain = self.complaints.append
        self.task = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        async for event in self.worker.watch():
            self.seen.append(event)

    async def until(self, true: Callable[[], Any]) -> None:
        async with asyncio.timeout(HANG_SECONDS):
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
async def test_screens_attach_and_leave_while_the_run_continues(
    kind: str, scripted_server: Start, watch: Callable[[str], Watching]
) -> None:
    require(kind)
    server = scripted_server(CALLS, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, kind, "step"))
    assert is_detached(session)
    first = watch(session)
    await first.until(lambda: first.worker.state.pending)
    assert first.worker.steers
    assert first.worker.audience == "detached"
    assert first.run.approve(1)
    await first.until(
        lambda: 1 in first.worker.state.calls and first.worker.state.calls[1].finished
    )
    first.task.cancel()  # as if the screen had crashed
    await asyncio.wait([first.task])

    second = watch(session)
    await second.until(lambda: second.worker.state.pending and second.worker.steers)
    third = watch(session)  # only now: the first that connects steers
    await third.until(lambda: third.worker.state.pending)
    assert not third.worker.steers
    assert third.worker.audience == "watching"
    assert third.run.approve(2)
    await third.until(lambda: third.complaints)
    assert "take control first" in third.complaints[0]
    assert second.worker.state.pending is not None

    third.worker.take_over()
    await third.until(lambda: third.worker.steers)
    await second.until(lambda: not second.worker.steers)
    third.run.message("a word")
    third.run.approve(2)
    await third.until(lambda: third.worker.state.pending and third.worker.state.step == 2)
    third.run.set_mode("auto")
    await third.until(lambda: third.worker.state.mode == "auto")
    assert third.worker.state.pending is not None, "no change of the mode decides, from afar either"
    third.run.approve(3)
    for one in (second, third):
        await asyncio.wait_for(one.task, HANG_SECONDS)
        assert one.seen == stored(session)
        assert isinstance(one.seen[-1], e.RunFinished)
        assert one.seen[-1].reason == "submitted"
        assert one.worker.exit_code == 0
    assert not socket_path(session).exists()


async def test_a_screen_that_does_not_read_affects_no_other(
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
    await asyncio.wait_for(good.task, HANG_SECONDS)
    assert isinstance(good.seen[-1], e.RunFinished)
    assert good.seen[-1].reason == "submitted"
    deaf.close()
    rude.close()


async def test_files_and_shells_of_a_run_in_another_program(
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
    await asyncio.wait_for(screen.task, HANG_SECONDS)
    assert isinstance(screen.seen[-1], e.RunFinished)
    assert screen.seen[-1].reason == "cancelled"
    assert screen.seen[-1].error == "enough"


async def test_large_files_of_a_run_in_another_program_can_be_read(
    scripted_server: Start, watch: Callable[[str], Watching]
) -> None:
    require("bubblewrap")
    make = "for n in 7 8 9; do head -c ${n}M /dev/urandom > $n; sha256sum $n; done"
    server = scripted_server(s.call("execute_bash", command=make), s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, mode="step"))
    screen = watch(session)
    await screen.until(lambda: screen.worker.state.pending)
    screen.run.approve(1)
    await screen.until(
        lambda: screen.worker.state.pending and screen.worker.state.pending.call.number == 2
    )
    finished = screen.worker.state.calls[1].finished
    assert finished is not None
    digests = dict(
        reversed(line.split()) for line in re.findall(r"\w{64}  \d", finished.observation)
    )
    for name, size in (("7", 7 << 20), ("8", 8 << 20)):
        data = await screen.run.files.read(f"/testbed/{name}", max_bytes=MAX_WHOLE_BYTES)
        assert len(data) == size
        assert hashlib.sha256(data).hexdigest() == digests[name]
    # a request for more than fits returns what fits, and the connection to the run stays intact
    assert len(await screen.run.files.read("/testbed/9", max_bytes=1 << 40)) == 8 << 20
    assert screen.worker.steers
    await screen.worker.stop("enough")
    await asyncio.wait_for(screen.task, HANG_SECONDS)
    assert screen.worker.failure is None


async def test_an_unknown_message_is_not_the_end_of_the_run(
    scripted_server: Start, watch: Callable[[str], Watching]
) -> None:
    """Such as one sent by another version of the program."""
    require("bubblewrap")
    server = scripted_server(CALLS, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, mode="step"))
    store = Store(data_dir() / "sessions.db")
    real, told = socket_path(session), real_socket_set_aside(session)
    news = encode(Status(seq=0, steers=True, watchers=1, ready=True))
    for garbled in (b'{"is":"tidings"}\n', b"\xff\n", b"x" * (MAX_LINE_BYTES + 1) + b"\n"):

        async def say(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: bytes = garbled
        ) -> None:
            writer.write(news + line)
            await reader.read()
            writer.close()

        server_of_another_version = await asyncio.start_unix_server(say, str(real))
        worker = RunClient(store.run(session), store)
        async for _ in worker.watch():
            pass
        assert "cannot read what" in str(worker.failure)
        assert "has exited" not in str(worker.failure)
        server_of_another_version.close()
        await server_of_another_version.wait_closed()
    real.unlink(missing_ok=True)
    told.rename(real)
    store.close()
    screen = watch(session)
    await screen.until(lambda: screen.worker.state.pending)  # the run itself is unaffected


def real_socket_set_aside(session: str) -> Path:
    aside = socket_path(session).with_suffix(".aside")
    return socket_path(session).rename(aside)


def owner_of_session(session: str) -> int:
    store = Store(data_dir() / "sessions.db")
    (row,) = store.rows("SELECT owner_pid FROM runs WHERE id = ?", [session])
    store.close()
    return int(row["owner_pid"])


async def test_a_detached_program_outlives_hangups_and_its_death_is_reported(
    scripted_server: Start, watch: Callable[[str], Watching]
) -> None:
    require("bubblewrap")
    server = scripted_server(CALLS, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, mode="step"))
    pid = owner_of_session(session)
    assert os.getsid(pid) == pid, "a session of its own, that no terminal can hang up"
    for descriptor in (0, 1):
        assert Path(f"/proc/{pid}/fd/{descriptor}").readlink() == Path("/dev/null")
    assert Path(f"/proc/{pid}/fd/2").readlink() == log_file()
    assert log_file().read_text() == ""
    os.kill(pid, signal.SIGHUP)
    screen = watch(session)
    await screen.until(lambda: screen.worker.state.pending)
    os.kill(pid, signal.SIGKILL)
    await asyncio.wait_for(screen.task, HANG_SECONDS)
    assert "has exited" in str(screen.worker.failure)
    while answers(socket_path(session)):  # the kernel closes its socket slightly later
        await asyncio.sleep(0.01)

    again = await asyncio.to_thread(begin, Job(settings=settings(), resume=session))
    assert again == session
    screen = watch(session)
    await screen.until(lambda: screen.worker.state.pending)
    screen.run.set_mode("auto")
    pending = screen.worker.state.pending
    assert pending is not None
    screen.run.approve(pending.call.number)
    await asyncio.wait_for(screen.task, HANG_SECONDS)
    assert any(isinstance(event, e.RunResumed) for event in screen.seen)
    assert isinstance(screen.seen[-1], e.RunFinished)
    assert screen.seen[-1].reason == "submitted"


async def test_sigterm_shuts_it_down_cleanly(
    scripted_server: Start, watch: Callable[[str], Watching]
) -> None:
    require("bubblewrap")
    server = scripted_server(CALLS, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, mode="step"))
    screen = watch(session)
    await screen.until(lambda: screen.worker.state.pending)
    os.kill(owner_of_session(session), signal.SIGTERM)
    await asyncio.wait_for(screen.task, HANG_SECONDS)
    end = screen.seen[-1]
    assert isinstance(end, e.RunFinished)
    assert (end.reason, end.error) == ("cancelled", "The program received SIGTERM.")


@pytest.mark.parametrize(
    ("what", "said"),
    [("RunServer", "exited before the run started"), ("RunWorker", "exited before")],
)
def test_a_bug_in_a_detached_program_is_logged(
    scripted_server: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, said: str
) -> None:
    """The traceback is redacted and escaped as on a terminal."""
    require("bubblewrap")
    key = "sk-proj-abcdEFGH1234567890abcdefghij"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    script = tmp_path / "broken.py"
    script.write_text(
        "import os\nfrom sandbox_tui.sessions.remote import detached\n"
        "def broken(*arguments, **more):\n"
        "    raise KeyError('a defect \\x1b[31m of ' + os.environ['OPENAI_API_KEY'])\n"
        f"detached.{what} = broken\n"
        "raise SystemExit(detached.main())\n"
    )
    monkeypatch.setattr(detached, "COMMAND", [sys.executable, str(script)])
    with pytest.raises(SandboxTuiError, match=said):
        begin(job(scripted_server(CALLS)))
    output = log_file().read_text()
    assert "KeyError" in output
    assert "a defect" in output
    assert "in broken" in output
    assert key not in output
    assert "\x1b" not in output
    assert stat.S_IMODE(log_file().stat().st_mode) == 0o600


async def test_a_bug_in_a_command_is_reported_to_its_caller(
    scripted_server: Start,
    watch: Callable[[str], Watching],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The caller does not wait forever for its reply, and the run continues."""
    require("bubblewrap")
    script = tmp_path / "broken.py"
    script.write_text(
        "from sandbox_tui.core.run.human.user_files import UserFiles\n"
        "from sandbox_tui.sessions.remote import detached\n"
        "async def broken(self, path):\n    raise AttributeError('no such thing')\n"
        "UserFiles.exists = broken\n"
        "raise SystemExit(detached.main())\n"
    )
    monkeypatch.setattr(detached, "COMMAND", [sys.executable, str(script)])
    server = scripted_server(CALLS, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, mode="step"))
    screen = watch(session)
    await screen.until(lambda: screen.worker.state.pending)
    asking = asyncio.create_task(screen.run.files.exists("/testbed/notes"))
    await screen.until(lambda: asking.done() or log_file().read_text())
    with pytest.raises(SandboxTuiError, match="bug in sandbox-tui.*no such thing"):
        await asyncio.wait_for(asking, HANG_SECONDS)
    assert "in broken" in log_file().read_text()
    await screen.worker.stop("enough")
    await asyncio.wait_for(screen.task, HANG_SECONDS)


def test_the_log_of_bugs_does_not_grow_forever(own_home: Path) -> None:
    os.close(open_log())
    log_file().write_bytes(b"x" * (MAX_LOG_BYTES + 1))
    os.close(open_log())
    assert log_file().stat().st_size == 0
    assert log_file().with_name("detached.log.1").stat().st_size == MAX_LOG_BYTES + 1


def test_a_run_that_cannot_start_says_why(scripted_server: Start) -> None:
    require("docker")
    server = scripted_server(CALLS)
    asked = {"model.name": "m", "model.base_url": server.url, "sandbox.image": "127.0.0.1:9/no:1"}
    wanted = settings("docker", **asked)
    with pytest.raises(SandboxTuiError, match="no image named") as error:
        begin(Job.of(RunRequest(task="x", settings=wanted)))
    assert error.value.exit_code == ImageMissing.exit_code
    with pytest.raises(SandboxTuiError, match="no session"):
        begin(Job(settings=settings(), resume="nonesuch"))


async def test_a_run_resumed_here_is_no_longer_detached(
    scripted_server: Start, watch: Callable[[str], Watching]
) -> None:
    require("bubblewrap")
    server = scripted_server(CALLS, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, mode="step"))
    screen = watch(session)
    await screen.until(lambda: screen.worker.state.pending)
    os.kill(owner_of_session(session), signal.SIGKILL)
    await asyncio.wait_for(screen.task, HANG_SECONDS)
    while answers(socket_path(session)):  # the kernel closes its socket slightly later
        await asyncio.sleep(0.01)
    store = Store(data_dir() / "sessions.db")
    runs = RunRegistry(store)
    try:
        worker = resume_here(store.run(session), settings(), runs)
        async with asyncio.timeout(HANG_SECONDS):
            while worker.state.pending is None:
                await asyncio.sleep(0.01)
        run = store.run(session)
        assert outcome_words(run) == short_outcome(run) == "running"
    finally:
        await runs.stop("The test is over.")
        store.close()


@pytest.fixture
def short_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with a short path; sockets of a long one, such as pytest's, go to a shared folder."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("SANDBOX_TUI_HOME", folder)
        yield Path(folder)


RUN = "20261121-104238-7fk2p"


def test_the_socket_is_in_a_private_folder(short_home: Path) -> None:
    with listen(RUN) as line:
        path = Path(line.getsockname())
        assert path == socket_path(RUN)
        assert path.is_relative_to(short_home)
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with listen("20261121-104238-other"):
            assert path.exists(), "only what nobody listens at is cleared away"
    with listen("20261121-104238-third"):
        assert not path.exists()


def test_the_socket_is_found_with_any_temporary_folder(
    short_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with listen(RUN) as line:
        for name in ("TMPDIR", "XDG_RUNTIME_DIR"):
            monkeypatch.setenv(name, str(tmp_path))
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        assert is_detached(RUN)
        with connect_to(RUN).socket as other:
            assert other.getpeername() == line.getsockname()


def test_a_home_too_long_for_a_socket(short_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = short_home / ("d" * 90)
    deep.mkdir()
    monkeypatch.setenv("SANDBOX_TUI_HOME", str(deep))
    with listen(RUN) as line, connect_to(RUN).socket:
        assert len(os.fsencode(line.getsockname())) <= MAX_PATH_BYTES
        assert is_detached(RUN)
    socket_path(RUN).unlink()


def test_no_connection_is_made_in_a_folder_open_to_others(short_home: Path) -> None:
    with listen(RUN) as line:
        socket_path(RUN).parent.chmod(0o777)
        with pytest.raises(SandboxTuiError, match="only you can access"):
            connect_to(RUN)
        with pytest.raises(BlockingIOError):
            line.accept()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_nothing_is_sent_to_another_users_program(short_home: Path) -> None:
    (short_home / "sockets").mkdir(mode=0o700)
    path = short_home / "sockets" / f"{RUN}.sock"
    code = (
        "import os, socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]);"
        "os.setuid(65534); s.listen(); print('listens', flush=True);"
        "sys.stdout.write(repr(s.accept()[0].recv(100)))"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "listens\n"
    with pytest.raises(SandboxTuiError, match=r"another user \(uid 65534\)"):
        connect_to(RUN)
    received, _ = other.communicate(timeout=HANG_SECONDS)
    assert received == "b''"


def test_many_programs_that_start_at_once_keep_their_sockets(short_home: Path) -> None:
    """Each removes what killed programs left, but never a socket that another is just creating."""
    code = (
        "import sys; from sandbox_tui.sessions.remote.sockets import listen\n"
        "sys.stdin.readline(); line = listen(sys.argv[1]); print('.', flush=True)\n"
        "sys.stdin.readline()"
    )
    names = [f"20261121-104238-{n:05}" for n in range(12)]
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", code, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    for program in programs:
        assert program.stdout is not None
        assert program.stdout.readline() == ".\n"
    assert [name for name in names if not answers(socket_path(name))] == []
    for program in programs:
        program.communicate("end\n", timeout=HANG_SECONDS)


async def test_a_stopped_program_is_reported(
    scripted_server: Start, watch: Callable[[str], Watching]
) -> None:
    require("bubblewrap")
    server = scripted_server(CALLS, s.call("submit"))
    session = await asyncio.to_thread(begin, job(server, mode="step"))
    pid = owner_of_session(session)
    os.kill(pid, signal.SIGSTOP)
    try:
        screen = watch(session)
        await asyncio.wait_for(screen.task, HANG_SECONDS)
        assert "kill -CONT" in str(screen.worker.failure)
        store = Store(data_dir() / "sessions.db")
        worker = RunClient(store.run(session), store)
        await worker.stop("enough")
        assert "kill -CONT" in str(worker.failure)
        store.close()
    finally:
        os.kill(pid, signal.SIGCONT)
