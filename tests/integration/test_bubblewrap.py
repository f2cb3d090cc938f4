"""The embedded sandbox: what it exposes of the host, what it leaves behind, and who can use it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox_tui.core.base.errors import SandboxLost
from sandbox_tui.core.base.process_identity import MAX_OPEN_FILES
from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.sandboxes.bubblewrap import killing
from sandbox_tui.core.sandboxes.bubblewrap import sandbox as bubblewrap_sandbox
from sandbox_tui.core.sandboxes.bubblewrap.supervisor import Supervisor
from sandbox_tui.core.sandboxes.bubblewrap.sweep import sweep
from sandbox_tui.core.sandboxes.bubblewrap.workspace import claim_folder, make_folder, remove_folder
from sandbox_tui.core.sandboxes.scripts.loader import STATE_DIR
from tests.integration.conftest import make, require
from tests.integration.test_sandbox_conformance import output_of_running
from tests.waiting import HANG_SECONDS


@contextlib.contextmanager
def folder_of(session: str) -> Iterator[Path]:
    """A sandbox's private folder, removed afterwards."""
    folder = make_folder(session, grace=0.0)
    try:
        yield folder
    finally:
        remove_folder(folder)


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("sandbox-tui-*/owner.json"))


async def test_little_of_the_host_is_seen() -> None:
    require("bubblewrap")
    before = folders()
    sandbox = make("bubblewrap")
    await sandbox.start()
    try:
        ask = "ls /etc/shadow /root/.ssh /home /work /var/run/docker.sock; touch /usr/x /etc/x"
        result = await sandbox.exec(f"{ask}; ls -A /root; cat /etc/passwd", timeout=HANG_SECONDS)
        assert b"shadow\n" not in result.stdout
        assert len(result.stdout.splitlines()) <= 4
        status = (await sandbox.exec("cat /proc/self/status", timeout=HANG_SECONDS)).stdout.decode()
        assert "CapEff:\t0000000000000000" in status
        assert "NoNewPrivs:\t1" in status
        routes = await sandbox.exec(
            "tail -n +2 /proc/net/route | wc -l; ls /proc", timeout=HANG_SECONDS
        )
        assert routes.stdout.startswith(b"0\n")
        assert sandbox.info["network"] == "none"
        pipes = "rm -rf /run/sandbox-tui-pipes; mv /run/sandbox-tui-pipes /run/x; ls -d /run/*pipes"
        kept = await sandbox.exec(pipes, timeout=HANG_SECONDS)
        assert kept.stdout == b"/run/sandbox-tui-pipes\n"
        made = folders() - before
        (here,) = (
            f for f in made if json.loads(f.read_bytes())["session"] == sandbox.spec.session_id
        )
    finally:
        await sandbox.close()
    assert not here.parent.exists()


def test_removing_touches_nothing_that_links_lead_to(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    mine.chmod(0o644)
    folder = make_folder("none", 0.0)
    locked = folder / "work" / "locked"
    locked.mkdir()
    (locked / "link").symlink_to(mine)
    (locked / "up").symlink_to(tmp_path)
    locked.chmod(0o500)
    remove_folder(folder)
    assert not folder.exists()
    assert mine.read_text() == "mine"
    assert mine.stat().st_mode & 0o777 == 0o644


def leave(folder: Path, host: str = "", *, seconds_ago: float = 0.0) -> None:
    """Make the folder look as if its program ended that long ago."""
    deed = json.loads((folder / "owner.json").read_text())
    deed["owner"] = [999_999_999, "1", host or deed["owner"][2]]
    (folder / "owner.json").write_text(json.dumps(deed))
    then = time.time() - seconds_ago
    os.utime(folder / "owner.json", (then, then))


def test_the_sweep_removes_only_what_killed_programs_left_after_their_grace() -> None:
    gone, alive, elsewhere, fresh = (make_folder("none", 60.0) for _ in range(4))
    leave(gone, seconds_ago=61)
    leave(elsewhere, "another-host", seconds_ago=61)
    leave(fresh, seconds_ago=50)
    try:
        assert gone in sweep()
        assert not gone.exists()
        assert all(folder.exists() for folder in (alive, elsewhere, fresh))
    finally:
        for folder in (alive, elsewhere, fresh):
            remove_folder(folder)


def test_a_folder_that_was_left_is_adopted_once_and_kept_from_the_sweep() -> None:
    folder = make_folder("some-session", 60.0)
    try:
        leave(folder, seconds_ago=3600)
        (folder / "pipes" / "1.in").touch()
        assert claim_folder("some-session", 60.0) == folder
        assert list((folder / "pipes").iterdir()) == []
        assert folder not in sweep()
        with pytest.raises(SandboxLost, match="gone"):
            claim_folder("another-session", 60.0)
    finally:
        remove_folder(folder)


PROGRAM = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.sandboxes.bubblewrap.availability import bubblewrap_problem
from sandbox_tui.core.sandboxes.bubblewrap.sandbox import BubblewrapSandbox
async def main():
    problem = bubblewrap_problem()
    if problem:
        print("cannot", problem)
        return
    sandbox = BubblewrapSandbox(SandboxSpec(session_id="plain-user"))
    await sandbox.start()
    try:
        result = await sandbox.exec("id -u; whoami; cd /tmp; echo x >y; echo $((6 * 7))", timeout=240)
        await sandbox.write_file("/testbed/f", b"data")
        back = await sandbox.read_file("/testbed/f")
        shell = await sandbox.open_shell(80, 24)
        await shell.close()
        print(result.stdout.decode().split(), back.decode(), sandbox.info)
    finally:
        await sandbox.close()
asyncio.run(main())
"""


def test_a_plain_user_can_use_it(tmp_path: Path) -> None:
    require("bubblewrap")
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv, to become a plain user")
    python = Path("/usr/bin/python3")
    if not python.exists():
        pytest.skip("needs a Python that every user may run")
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    library = tmp_path / "library"
    (library / "sandbox_tui").mkdir(parents=True)
    for name in ("__init__.py",):
        (library / "sandbox_tui" / name).touch()
    shutil.copytree(Path(__file__).parents[2] / "core", library / "sandbox_tui" / "core")
    for name in (
        "msgspec",
        "platformdirs",
        "tomlkit",
        "wcwidth",
        "pyte",
        "docker",
        "requests",
        "urllib3",
        "yaml",
    ):
        if (Path(packages) / name).exists():
            shutil.copytree(Path(packages) / name, library / name)
    shutil.copy(Path(packages) / "typing_extensions.py", library)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() == "root" and str(folder).startswith(tempfile.gettempdir() + "/"):
            folder.chmod(0o755)
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    done = subprocess.run(
        [*command, str(python), "-c", PROGRAM, str(library)],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TMPDIR": tempfile.gettempdir()},
    )
    if done.stdout.startswith("cannot"):
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("['65534', 'user', '42'] data"), done.stdout


def namespaces_over(folder: Path) -> list[str]:
    """Process ids of every bwrap started on a sandbox's folder."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if words[0] == b"bwrap" and os.fsencode(folder / "work") in words:
                found.append(process.name)
    return found


async def test_only_one_caller_restarts_an_ended_namespace() -> None:
    require("bubblewrap")
    sandbox: Any = make("bubblewrap")
    await sandbox.start()
    try:
        folder = sandbox._folder
        before = namespaces_over(folder)
        assert before
        for pid in before:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        await sandbox._supervisor.process.wait()
        for channel in await asyncio.gather(*(sandbox._open_channel(STATE_DIR) for _ in range(3))):
            assert (await channel.run(b"e", b"echo on", timeout=HANG_SECONDS)).stdout == b"on\n"
            channel.close()
        assert len(namespaces_over(folder)) == len(before)
    finally:
        await sandbox.close()
    assert namespaces_over(folder) == []


async def test_a_start_that_is_killed_at_once_leaves_no_process() -> None:
    """bwrap's child waits for the id maps; after one kill in three it used to sleep forever."""
    require("bubblewrap")
    with folder_of("killed-at-once") as folder:
        for _ in range(20):
            supervisor = Supervisor(SandboxSpec(session_id="killed-at-once"), folder)
            await supervisor.start()
            await supervisor.close()
            assert namespaces_over(folder) == []


async def test_a_closed_sandbox_leaves_no_pipe_open() -> None:
    """Otherwise asyncio warns about it if the event loop ends right after."""
    require("bubblewrap")
    with folder_of("closed-pipes") as folder:
        for _ in range(5):
            supervisor = Supervisor(SandboxSpec(session_id="closed-pipes"), folder)
            await supervisor.start()
            process = supervisor.process
            assert process is not None
            assert process.stdin is not None
            await supervisor.close()
            waiting = asyncio.ensure_future(process.stdin.wait_closed())
            await asyncio.sleep(0)
            assert waiting.done(), "the pipe is still open"
            assert waiting.exception() is None or isinstance(waiting.exception(), OSError)


async def test_the_sweep_ends_what_a_killed_program_left_half_started() -> None:
    require("bubblewrap")
    folder = make_folder("half-started", grace=0.0)
    supervisor = Supervisor(SandboxSpec(session_id="half-started"), folder)
    await supervisor.start()
    try:
        assert supervisor.process
        leave(folder, seconds_ago=1)
        assert folder in sweep()
        await asyncio.wait_for(supervisor.process.wait(), HANG_SECONDS)
    finally:
        await supervisor.close()


async def test_the_sweep_ends_a_child_that_began_after_the_processes_were_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    require("bubblewrap")
    with folder_of("forked-late") as folder:
        for _ in range(20):
            supervisor = Supervisor(SandboxSpec(session_id="forked-late"), folder)
            await supervisor.start()
            process = supervisor.process
            assert process
            assert process.stdout
            listed = SimpleNamespace(glob=lambda _, pid=process.pid: [Path(f"/proc/{pid}")])
            with monkeypatch.context() as patched:
                patched.setattr(killing, "Path", lambda _, listed=listed: listed)
                while not is_bwrap(process.pid):  # the cgroup is entered first
                    await asyncio.sleep(0)
                killing.kill_left_over(folder)
            assert process.stdin
            process.stdin.close()  # as the killed program's was
            # its children hold the other end
            await asyncio.wait_for(process.stdout.read(), HANG_SECONDS)
            await supervisor.close()


def is_bwrap(pid: int) -> bool:
    return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"bwrap")


@contextlib.contextmanager
def no_file_can_be_opened() -> Iterator[None]:
    """Limit open files to just above the highest descriptor in use, and use up the free ones."""
    gc.collect()  # unreferenced files would otherwise free descriptors in the meantime
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(entry.name) for entry in Path("/proc/self/fd").iterdir())
    taken: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1, hard))
    try:
        with contextlib.suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in taken:
            os.close(descriptor)


async def test_too_many_open_files_are_named_and_end_nothing() -> None:
    require("bubblewrap")
    sandbox = make("bubblewrap")
    await sandbox.start()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        await sandbox.exec("sleep 4248 >/dev/null 2>&1 &", timeout=HANG_SECONDS)
        with no_file_can_be_opened(), pytest.raises(SandboxLost, match="Too many files are open"):
            await sandbox.open_shell(80, 24)
        left = "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -o '424[8]'"
        assert (await sandbox.exec(left, timeout=HANG_SECONDS)).stdout == b"4248\n"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        await sandbox.close()


async def test_folders_that_somebody_removed_are_named() -> None:
    require("bubblewrap")
    sandbox: Any = make("bubblewrap")
    await sandbox.start()
    try:
        shutil.rmtree(sandbox._folder)
        with pytest.raises(SandboxLost, match="cannot be used: No such file"):
            await sandbox.open_shell(80, 24)
    finally:
        await sandbox.close()


async def test_commands_may_have_as_many_files_open_as_the_program_might_at_first() -> None:
    require("bubblewrap")
    script = """
import asyncio, resource
from sandbox_tui.core.base.process_identity import raise_file_limit
from tests.integration.conftest import make
resource.setrlimit(resource.RLIMIT_NOFILE, (300, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
raise_file_limit()
async def main():
    sandbox = make("bubblewrap")
    await sandbox.start()
    try:
        result = await sandbox.exec("ulimit -n", timeout=240)
        print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], result.stdout.decode().strip())
    finally:
        await sandbox.close()
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_SECONDS,
    )
    ours, inside = map(int, done.stdout.split())
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert ours == (MAX_OPEN_FILES if hard < 0 else min(hard, MAX_OPEN_FILES))
    assert inside == 300


async def test_a_channel_that_opens_while_bwrap_ends_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A command whose channel was closed asks on a new one, which nobody answers any more."""
    require("bubblewrap")
    sandbox = make("bubblewrap")
    await sandbox.start()
    monkeypatch.setattr(bubblewrap_sandbox, "START_TIMEOUT_SECONDS", 2 * HANG_SECONDS)
    output_seen, running = output_of_running(sandbox, "echo begun; sleep 1000", timeout=1000)
    await asyncio.wait_for(output_seen.wait(), HANG_SECONDS)
    await sandbox.close()
    result = await asyncio.wait_for(running, HANG_SECONDS)
    assert result.exit_code is None
