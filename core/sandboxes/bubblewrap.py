"""The embedded sandbox: Linux namespaces made by `bwrap`, for machines without a Docker engine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from ..errors import SandboxLost, SandboxTuiError, SandboxUnavailable
from . import folder_snapshots
from .base import (
    LISTED_FILES,
    ExecResult,
    FileEntry,
    Listing,
    OutputSink,
    SandboxSpec,
    Shell,
    Size,
    TerminalReader,
)
from .cgroup import Cgroup
from .channel import Channel, Exec
from .copying import fetch, send
from .environment import command_environment
from .files import Files
from .frozen_time import FrozenTime
from .keep_state import bring_back
from .namespace import PIPES, namespace_arguments
from .pipes import PipeShell, PipeTransport
from .private_folder import PREFIX, Touch, adopt_folder, make_folder, remove_folder, sweep
from .scripts import STATE_DIR, install, quote, script, take_up
from .terminal_reader import find_terminal_reader

START_TIMEOUT = 10.0
THAW_TRIES, THAW_EVERY = 20, 0.02
INSTALL = "Install it (Debian: apt-get install bubblewrap), or start a Docker engine."


class BubblewrapSandbox:
    """One set of namespaces over private folders on the host, which go when the run is over.

    The system is read-only, /etc holds only what programs need, and there is no network unless it
    was asked for. It dies with the program.
    """

    kind = "bubblewrap"

    def __init__(self, spec: SandboxSpec, *, because: str = "") -> None:
        self.spec = spec
        self._because = because
        self.info: dict[str, str] = {}
        self._folder: Path | None = None
        self._touch: Touch | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._cgroup: Cgroup | None = None
        self._pipes = 0
        self._clock = FrozenTime()
        self._files = Files(self._open_channel, default_dir=spec.working_dir, clock=self._clock)
        # short questions that must not wait until a large file has been read
        self._aside = Files(self._open_channel, default_dir=spec.working_dir, clock=self._clock)
        self._exec = Exec(self._open_channel, self._files, self.thaw, pids=spec.pids)
        self._closed = False

    def say_what_is_waited_for(self, tell: Callable[[str], None] | None) -> None:
        """See `Sandbox.say_what_is_waited_for`: nothing comes between this one and us."""

    # --- life

    async def start(self) -> None:
        """See `Sandbox.start`."""
        await self._require_bubblewrap()
        await asyncio.to_thread(sweep)
        spec = self.spec
        self._folder = await asyncio.to_thread(make_folder, spec.session_id, spec.grace)
        self._touch = Touch(self._folder, spec.grace)
        try:
            if self.spec.snapshot:
                await asyncio.to_thread(folder_snapshots.restore, self.spec.snapshot, self._folder)
            await self._begin()
            folders = b" ".join(map(quote, (spec.working_dir, spec.input_dir, spec.output_dir)))
            await self._files.control(b"mkdir -p %b" % folders)
            await install(self._files.control)
            if spec.snapshot:
                await bring_back(self._files.control)
        except SandboxLost as error:
            await self.close()
            raise SandboxUnavailable(f"The embedded sandbox did not start: {error}") from error
        except BaseException:
            await self.close()
            raise
        self.info = self._describe()

    async def adopt(self) -> None:
        """See `Sandbox.adopt`. All its processes ended with the program before."""
        await self._require_bubblewrap()
        spec = self.spec
        folder = await asyncio.to_thread(adopt_folder, spec.session_id, spec.grace)
        self._folder = folder
        self._touch = Touch(folder, spec.grace)
        try:
            await self._begin()
            await install(self._files.control)
            # process ids of the namespace before mean others in this one
            await self._files.control(f"rm -f {STATE_DIR}/*.pid".encode())
            self._exec.take_up(await take_up(self._files.control))
        except BaseException as error:
            self._folder = None  # the folders stay for another try
            await self.close()
            if isinstance(error, SandboxTuiError) or not isinstance(error, Exception):
                raise
            raise SandboxLost(f"The sandbox cannot be taken over: {error}.") from error
        self.info = self._describe()

    async def _require_bubblewrap(self) -> None:
        problem = await asyncio.to_thread(bubblewrap_problem)
        if problem:
            raise SandboxUnavailable(problem)

    async def _begin(self) -> None:
        spec, folder = self.spec, self._root
        memory = spec.memory or 2 << 30
        self._cgroup = Cgroup(f"{PREFIX}{spec.session_id}", pids=spec.pids, memory=memory)
        processes = "" if os.geteuid() == 0 else str(spec.pids)
        command = [
            "bwrap",
            *namespace_arguments(folder, spec, _environment(spec)),
            "bash",
            "-c",
            script("supervisor.sh"),
            "sandbox",
            *(PIPES, STATE_DIR, spec.working_dir),
            *(script("dispatcher.sh"), script("carry.sh"), processes),
        ]
        self._process = await asyncio.create_subprocess_exec(
            *self._cgroup.entering(command),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,  # nobody writes there; its end is that of all inside
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )

    async def close(self) -> None:
        """See `Sandbox.close`."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(SandboxTuiError):
            await self.thaw()
        await self._exec.close()
        self._files.close()
        self._aside.close()
        await self._kill()
        if self._touch is not None:
            self._touch.stop()
        if self._folder is not None:
            await asyncio.to_thread(remove_folder, self._folder)

    async def _kill(self) -> None:
        process = self._process
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        if process is not None and process.stdout is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.stdout.read(), START_TIMEOUT)
            await process.wait()
        if self._cgroup is not None:
            await self._cgroup.remove()

    @property
    def _root(self) -> Path:
        if self._folder is None:
            raise SandboxLost("The sandbox has not been started.")
        return self._folder

    def _describe(self) -> dict[str, str]:
        shared = self.spec.network == "bridge"
        limits = self._cgroup.limits if self._cgroup else {}
        info = {
            "system": "this machine's, read-only",
            "network": "this machine's: its loopback services are in reach" if shared else "none",
            "memory": limits.get("memory", "not limited"),
            "processes": limits.get("processes", f"{self.spec.pids} of this user"),
        }
        return {**info, "chosen": self._because} if self._because else info

    # --- commands

    async def exec(
        self,
        command: str,
        *,
        timeout: float,
        on_output: OutputSink | None = None,
        tty: Size | None = None,
    ) -> ExecResult:
        """See `Sandbox.exec`."""
        return await self._exec.run(command, timeout=timeout, on_output=on_output, tty=tty)

    async def type(self, data: bytes) -> bool:
        """See `Sandbox.type`."""
        return await self._exec.type(data)

    async def terminal_reader(self) -> TerminalReader | None:
        """See `Sandbox.terminal_reader`."""
        return await find_terminal_reader(self._aside.control, self._exec.running)

    async def interrupt(self) -> bool:
        """See `Sandbox.interrupt`."""
        return self._exec.interrupt()

    async def open_shell(self, cols: int, rows: int) -> Shell:
        """See `Sandbox.open_shell`."""
        name = await self._ask("shell", cols, rows)
        transport = PipeTransport(self._pipe_folder, name)
        return PipeShell(transport, self._aside.control, name)

    async def freeze(self) -> None:
        """See `Sandbox.freeze` and freeze.sh."""
        if not self._clock.frozen:
            await self._stand_still(briefly=False)

    async def _stand_still(self, *, briefly: bool) -> None:
        await self._files.control(script("freeze.sh").encode(), builtin=True)
        self._clock.stop(briefly=briefly)

    async def thaw(self) -> None:
        """See `Sandbox.thaw` and thaw.sh."""
        if not self._clock.frozen:
            return
        self._clock.go_on()
        none = 0
        for _ in range(THAW_TRIES):
            done = await self._files.control(script("thaw.sh").encode(), builtin=True)
            none = none + 1 if done.stdout == b"0\n" else 0
            if none == 2:  # twice: one of them may have stopped itself just after it was looked at
                return
            await asyncio.sleep(THAW_EVERY)

    async def snapshot(self, tag: str, *, most_bytes: int) -> tuple[str, int]:
        """See `Sandbox.snapshot`: copies of the private folders."""
        await self._stand_still(briefly=True)
        try:
            return await asyncio.to_thread(
                folder_snapshots.save, self._root, self.spec.session_id, tag, most_bytes
            )
        finally:
            await self.thaw()

    async def _open_channel(self) -> Channel:
        try:
            return await self._try_channel()
        except SandboxLost:
            if self._closed:
                raise
            await self._restart()
            return await self._try_channel()

    async def _restart(self) -> None:
        """End all processes and begin anew on the same folders: files and shell state are kept."""
        await self._kill()
        await self._begin()

    async def _try_channel(self) -> Channel:
        name = await self._ask("dispatcher")
        channel = Channel(PipeTransport(self._pipe_folder, name), self._clock)
        ready = await channel.run(b"e", b":", timeout=START_TIMEOUT)
        self._unlink(name)
        if ready.exit_code != 0:
            channel.close()
            raise SandboxLost("The embedded sandbox does not answer.")
        return channel

    async def _ask(self, what: str, *size: int) -> str:
        """Have the supervisor start something on pipes of its own; their name."""
        process = self._process
        if process is None or process.returncode is not None or process.stdin is None:
            raise SandboxLost("The embedded sandbox has ended.")
        self._pipes += 1
        name = str(self._pipes)
        for end in ("in", "out", "err"):
            os.mkfifo(self._pipe_folder / f"{name}.{end}", 0o600)
        words = " ".join([what, name, *map(str, size)])
        try:
            process.stdin.write(f"{words}\n".encode())
            await process.stdin.drain()
        except OSError as error:
            raise SandboxLost("The embedded sandbox has ended.") from error
        return name

    def _unlink(self, name: str) -> None:
        """Both ends are open: nothing in the sandbox needs to find the pipes any more."""
        for end in ("in", "out", "err"):
            (self._pipe_folder / f"{name}.{end}").unlink(missing_ok=True)

    @property
    def _pipe_folder(self) -> Path:
        return self._root / "pipes"

    # --- files

    async def read_file(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """See `Sandbox.read_file`."""
        return await self._files.read(path, max_bytes=max_bytes)

    async def write_file(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        """See `Sandbox.write_file`."""
        await self._files.write(path, data, exclusive=exclusive)

    async def stat(self, path: str) -> FileEntry | None:
        """See `Sandbox.stat`."""
        return await self._files.stat(path)

    async def list_files(self, path: str, *, limit: int = LISTED_FILES) -> Listing:
        """See `Sandbox.list_files`."""
        return await self._files.list(path, limit=limit)

    async def changed_files(self, path: str, before: Listing) -> Listing:
        """See `Sandbox.changed_files`."""
        return await self._files.changed(path, before, limit=LISTED_FILES)

    async def copy_in(self, source: Path, path: str) -> None:
        """See `Sandbox.copy_in`."""
        await send(self._files, source, path)

    async def copy_out(self, path: str, target: Path) -> list[str]:
        """See `Sandbox.copy_out`."""
        return await fetch(self._files, path, target)


def _environment(spec: SandboxSpec) -> dict[str, str]:
    """As everywhere, and: files from an archive belong to the one user there is."""
    return {"TAR_OPTIONS": "--no-same-owner", **command_environment(spec)}


def bubblewrap_problem() -> str:
    """Why the embedded sandbox cannot be used here, as a sentence; empty when it can."""
    program = shutil.which("bwrap")
    if program is None:
        return f"There is no `bwrap` on this machine. {INSTALL}"
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
    command.append("true")
    try:
        done = subprocess.run(command, capture_output=True, timeout=START_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"`bwrap` does not work here: {error}."
    if done.returncode == 0:
        return ""
    words = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
    return f"`bwrap` may not make namespaces here ({words}). Start a Docker engine instead."
