"""The processes of one embedded sandbox: bwrap and, in it, a supervisor that starts the others."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from sandbox_tui.core.base.errors import SandboxLost
from sandbox_tui.core.base.process_identity import initial_file_limit
from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.sandboxes.blocking_calls import run_shielded
from sandbox_tui.core.sandboxes.bubblewrap.bwrap_arguments import PIPES, namespace_arguments
from sandbox_tui.core.sandboxes.bubblewrap.cgroup import Cgroup
from sandbox_tui.core.sandboxes.bubblewrap.killing import kill_bwrap
from sandbox_tui.core.sandboxes.bubblewrap.owner_record import cgroup_name
from sandbox_tui.core.sandboxes.bubblewrap.pipes import PipeTransport
from sandbox_tui.core.sandboxes.command_environment import command_environment
from sandbox_tui.core.sandboxes.scripts.loader import STATE_DIR, script

DEFAULT_MEMORY_BYTES = 2 << 30

KILL_TIMEOUT_SECONDS = 10.0
"""Seconds for all processes to end after a KILL."""


class Supervisor:
    """Starts programs in a sandbox, each on its own named pipes (see supervisor.sh).

    Args:
        spec: the sandbox's spec.
        folder: its private folder.
    """

    def __init__(self, spec: SandboxSpec, folder: Path) -> None:
        self._spec = spec
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self._cgroup: Cgroup | None = None
        self._programs = 0
        self._restarting = asyncio.Lock()
        self._closed = False

    @property
    def process(self) -> asyncio.subprocess.Process | None:
        """The bwrap process."""
        return self._process

    @property
    def limits(self) -> dict[str, str]:
        """The limits enforced by the kernel, as display text."""
        return self._cgroup.limits if self._cgroup else {}

    async def start(self) -> None:
        """Start bwrap.

        Raises:
            OSError: it cannot be started.
        """
        spec = self._spec
        memory = spec.memory or DEFAULT_MEMORY_BYTES
        self._cgroup = Cgroup(cgroup_name(spec.session_id), pids=spec.pids, memory=memory)
        max_processes = "" if os.geteuid() == 0 else str(spec.pids)
        command = [
            "bwrap",
            *namespace_arguments(self._folder, spec, _environment(spec)),
            "bash",
            "-c",
            script("supervisor.sh"),
            "sandbox",
            *(PIPES, STATE_DIR, spec.working_dir),
            *(
                script("dispatcher.sh"),
                script("shell_state.sh"),
                str(initial_file_limit()),
                max_processes,
            ),
        ]
        starting = asyncio.create_task(_begin(self._cgroup.entering(command)))
        try:
            self._process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            # asyncio may wait forever if the start of a process is cancelled, so the process is
            # started first and then killed by `close`
            self._process = await starting
            raise

    async def restart(self, *, failed_process: asyncio.subprocess.Process | None) -> None:
        """Kill all processes and start again on the same folders, keeping files and shell state.

        Concurrent callers share one restart: `failed_process` is the process that failed them.

        Raises:
            SandboxLost: the sandbox has been closed.
        """
        await run_shielded(self._restart(failed_process))

    async def _restart(self, failed_process: asyncio.subprocess.Process | None) -> None:
        async with self._restarting:
            if self._closed:
                raise SandboxLost("The sandbox has been closed.")
            if self._process is failed_process:
                await self._kill()
                await self.start()

    async def close(self) -> None:
        """Kill all processes and prevent new ones from starting."""
        self._closed = True
        async with self._restarting:
            await self._kill()

    async def _kill(self) -> None:
        process = self._process
        if process is not None:
            await _end(process)
        if self._cgroup is not None:
            await self._cgroup.remove()

    async def open(self, program: str, *arguments: str) -> tuple[str, PipeTransport]:
        """Start a program; returns the name of its pipes and the connection to them.

        Raises:
            SandboxLost: bwrap has ended.
            OSError: a pipe cannot be created or opened.
        """
        process = self._process
        if process is None or process.returncode is not None or process.stdin is None:
            raise SandboxLost("The embedded sandbox has ended.")
        self._programs += 1
        name = str(self._programs)
        for pipe in self._pipes(name):
            os.mkfifo(pipe, 0o600)
        try:
            process.stdin.write(f"{' '.join([program, name, *arguments])}\n".encode())
            await process.stdin.drain()
        except OSError as error:
            raise SandboxLost("The embedded sandbox has ended.") from error
        return name, PipeTransport(self._folder / "pipes", name)

    def unlink(self, name: str) -> None:
        """Remove the names of pipes whose ends are all open."""
        for pipe in self._pipes(name):
            pipe.unlink(missing_ok=True)

    def _pipes(self, name: str) -> list[Path]:
        return [self._folder / "pipes" / f"{name}.{end}" for end in ("in", "out", "err")]


def _environment(spec: SandboxSpec) -> dict[str, str]:
    """Return the variables of all programs; tar gives unpacked files to the only user."""
    return {"TAR_OPTIONS": "--no-same-owner", **command_environment(spec)}


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill a bwrap and wait until nothing of its sandbox is left; its pipes are closed even if that
    takes too long, or the caller is cancelled."""
    assert process.stdin is not None
    assert process.stdout is not None
    if process.returncode is None:
        kill_bwrap(process.pid)
    process.stdin.close()  # ends a child that survived (see killing.py)
    try:
        await asyncio.wait_for(process.stdout.read(), KILL_TIMEOUT_SECONDS)
    except TimeoutError:
        _close_pipes(process)  # while they are open, `wait` does not return
    except asyncio.CancelledError:
        _close_pipes(process)
        raise
    await process.wait()
    with contextlib.suppress(OSError):
        await process.stdin.wait_closed()  # the event loop may end right after this


def _close_pipes(process: asyncio.subprocess.Process) -> None:
    """Close our ends of its pipes; asyncio has no public way while others hold them open."""
    process._transport.close()  # type: ignore[attr-defined] # pyright: ignore


async def _begin(command: Sequence[str]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,  # nothing is written to it; it closes with the last process
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # the group that `kill_bwrap` kills
    )
