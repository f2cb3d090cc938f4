"""The embedded sandbox: Linux namespaces made by `bwrap`, for machines without a Docker engine."""

from __future__ import annotations

import asyncio
import contextlib
import errno
from collections.abc import Callable
from pathlib import Path

from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxLost, SandboxTuiError, SandboxUnavailable
from sandbox_tui.core.sandboxes.base import SandboxSpec, Shell
from sandbox_tui.core.sandboxes.blocking_calls import in_thread, in_thread_with_undo, run_shielded
from sandbox_tui.core.sandboxes.bubblewrap.availability import bubblewrap_problem
from sandbox_tui.core.sandboxes.bubblewrap.owner_record import OwnerRecord, cgroup_name
from sandbox_tui.core.sandboxes.bubblewrap.pipes import PipeShell
from sandbox_tui.core.sandboxes.bubblewrap.snapshots import FolderSnapshots
from sandbox_tui.core.sandboxes.bubblewrap.supervisor import Supervisor
from sandbox_tui.core.sandboxes.bubblewrap.workspace import (
    claim_folder,
    make_folder,
    remove_folder,
    renew_folder,
)
from sandbox_tui.core.sandboxes.dispatcher_sandbox import DispatcherSandbox
from sandbox_tui.core.sandboxes.heartbeat import Heartbeat
from sandbox_tui.core.sandboxes.protocol.dispatcher_channel import Channel
from sandbox_tui.core.sandboxes.scripts.loader import (
    STATE_DIR,
    end_foreground,
    install_bashrc,
    reset_process_state,
    script,
)

START_TIMEOUT_SECONDS = 10.0
"""Seconds a new dispatcher has to answer."""

MAX_THAW_ATTEMPTS = 20
THAW_SECONDS = 0.02


class BubblewrapSandbox(DispatcherSandbox):
    """A set of namespaces over private folders on the host, removed when the run is over.

    The system is read-only, /etc holds only what programs need, and there is no network unless
    requested. All processes end with the program.
    """

    kind = "bubblewrap"
    outlives = False

    def __init__(self, spec: SandboxSpec) -> None:
        super().__init__(spec)
        self._folder: Path | None = None
        self._supervisor: Supervisor | None = None
        self._heartbeat: Heartbeat | None = None

    @override
    def on_outage(self, tell: Callable[[str], None] | None) -> None:
        pass  # there is no connection between the program and its own child processes

    # --- life cycle

    @override
    async def assign(self, session_id: str) -> None:
        folder, cgroup = self._folder, cgroup_name(self.spec.session_id)
        if folder is None or self._closed:
            raise SandboxLost("The sandbox has been closed.")
        record = OwnerRecord.of_this_process(session_id, self.spec.grace, cgroup=cgroup)
        await in_thread(record.write, folder)
        await super().assign(session_id)

    @override
    async def _start(self) -> None:
        await self._require_bubblewrap()
        try:
            await self._use(await in_thread_with_undo(self._make_folder, remove_folder))
            await self._prepare()
            if self.spec.snapshot:
                await reset_process_state(self._control.run)
        except BaseException as error:
            await run_shielded(self.close())
            if isinstance(error, SandboxLost | OSError):
                problem = f"The embedded sandbox did not start: {_describe_error(error)}"
                raise SandboxUnavailable(problem) from error
            raise
        self.info = self._describe()

    def _make_folder(self) -> Path:
        """Return the private folder, with the content of the snapshot (blocking)."""
        folder = make_folder(self.spec.session_id, self.spec.grace)
        try:
            if self.spec.snapshot:
                self._require_snapshots().restore(self.spec.snapshot, folder)
        except BaseException:
            remove_folder(folder)
            raise
        return folder

    @override
    async def reattach(self) -> None:
        # all processes ended with the earlier program; only the folders remain
        await self._require_bubblewrap()
        spec = self.spec
        folder = await in_thread(claim_folder, spec.session_id, spec.grace)
        try:
            await self._use(folder)
            await install_bashrc(self._control.run)
            # process ids of the earlier namespace denote other processes in this one
            await self._control.run(f"rm -f {STATE_DIR}/*.pid".encode())
            self._exec.continue_count(await end_foreground(self._control.run))
        except BaseException as error:
            self._folder = None  # keep the folders for another attempt
            await self.close()
            if isinstance(error, SandboxTuiError) or not isinstance(error, Exception):
                raise
            problem = f"The sandbox cannot be reattached: {_describe_error(error)}"
            raise SandboxLost(problem) from error
        self.info = self._describe()

    async def _require_bubblewrap(self) -> None:
        problem = await in_thread(bubblewrap_problem)
        if problem:
            raise SandboxUnavailable(problem)

    async def _use(self, folder: Path) -> None:
        """Start the processes on these folders."""
        self._folder = folder
        self._heartbeat = Heartbeat(lambda: renew_folder(folder), self.spec.grace)
        self._heartbeat.start()
        self._supervisor = Supervisor(self.spec, folder)
        await self._supervisor.start()

    @override
    async def leave(self, seconds: float = 0.0) -> None:
        folder, self._folder = self._folder, None
        closed = self._closed
        await self.close()
        if folder is not None and not closed:
            kept = max(self.spec.grace, seconds)
            record = OwnerRecord.without_owner(self.spec.session_id, kept)
            await in_thread(record.write, folder)

    @override
    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(SandboxTuiError):
            await self.thaw()
        await self._close_channels()
        if self._supervisor is not None:
            await self._supervisor.close()
        if self._heartbeat is not None:
            self._heartbeat.stop()
        if self._folder is not None:
            async with self._limits.removal:
                await in_thread(remove_folder, self._folder)

    def _describe(self) -> dict[str, str]:
        shared = self.spec.network == "bridge"
        limits = self._supervisor.limits if self._supervisor else {}
        return self._with_reason(
            {
                "system": "this machine's, read-only",
                "network": "this machine's; its loopback services can be reached"
                if shared
                else "none",
                "memory": limits.get("memory", "unlimited"),
                "processes": limits.get("processes", f"{self.spec.pids} for this user"),
            }
        )

    # --- freezing

    @override
    async def freeze(self) -> None:
        if not self._clock.frozen:
            await self._freeze(briefly=False)

    async def _freeze(self, *, briefly: bool) -> None:
        await run_shielded(self._stop_processes(briefly=briefly), lambda _: self.thaw())

    async def _stop_processes(self, *, briefly: bool) -> None:
        await self._control.run(script("freeze.sh").encode(), builtin=True)
        self._clock.pause(briefly=briefly)

    @override
    async def thaw(self) -> None:
        if self._clock.frozen:
            await run_shielded(self._continue_processes())

    async def _continue_processes(self) -> None:
        self._clock.resume()
        clean_passes = 0
        for _ in range(MAX_THAW_ATTEMPTS):
            done = await self._control.run(script("thaw.sh").encode(), builtin=True)
            clean_passes = clean_passes + 1 if done.stdout == b"0\n" else 0
            if clean_passes == 2:  # a process may stop itself just after the first
                return
            await asyncio.sleep(THAW_SECONDS)

    # --- snapshots

    @override
    async def snapshot(self, tag: str, *, max_bytes: int) -> tuple[str, int]:
        return await run_shielded(
            self._snapshot(tag, max_bytes), lambda made: self.remove_snapshot(made[0])
        )

    async def _snapshot(self, tag: str, max_bytes: int) -> tuple[str, int]:
        snapshots, folder = self._require_snapshots(), self._folder
        if folder is None:
            raise SandboxLost("The sandbox has not been started.")
        await self._freeze(briefly=True)
        try:
            return await in_thread(snapshots.save, folder, self.spec.session_id, tag, max_bytes)
        finally:
            await self.thaw()

    @override
    async def remove_snapshot(self, name: str) -> bool:
        return await in_thread(self._require_snapshots().remove, name)

    def _require_snapshots(self) -> FolderSnapshots:
        if self.spec.snapshot_dir is None:
            raise SandboxUnavailable("This sandbox has no folder for snapshots.")
        return FolderSnapshots(self.spec.snapshot_dir)

    # --- channels

    @override
    async def _open_shell(self, cols: int, rows: int) -> Shell:
        try:
            name, transport = await self._started().open("shell", str(cols), str(rows))
        except OSError as error:
            raise SandboxLost(_describe_error(error)) from error
        return PipeShell(transport, self._quick_control.run, name)

    @override
    async def _open_channel(self, state_dir: str) -> Channel:
        supervisor = self._started()
        process = supervisor.process
        try:
            try:
                return await self._try_channel(state_dir)
            except SandboxLost:
                await supervisor.restart(failed_process=process)
                return await self._try_channel(state_dir)
        except OSError as error:  # too many open files, or the folders have been removed
            raise SandboxLost(_describe_error(error)) from error

    async def _try_channel(self, state_dir: str) -> Channel:
        supervisor = self._started()
        carried = state_dir == STATE_DIR
        name, transport = await supervisor.open(
            *(("dispatcher",) if carried else ("clean", state_dir.rpartition("/")[2]))
        )
        channel = Channel(transport, self._clock)
        closing = asyncio.create_task(_close_after(supervisor.process, channel))
        try:
            ready = await channel.run(b"e", b":", timeout=START_TIMEOUT_SECONDS)
        except BaseException:
            channel.close()
            raise
        finally:
            closing.cancel()
        supervisor.unlink(name)
        if ready.exit_code != 0:
            channel.close()
            raise SandboxLost("The embedded sandbox does not answer.")
        return channel

    def _started(self) -> Supervisor:
        if self._supervisor is None:
            raise SandboxLost("The sandbox has not been started.")
        return self._supervisor


async def _close_after(process: asyncio.subprocess.Process | None, channel: Channel) -> None:
    """Close a channel when bwrap ends: a pipe that nobody has opened yet does not report that."""
    if process is not None:
        await process.wait()
    channel.close()


def _describe_error(error: BaseException) -> str:
    """Return an error as one sentence."""
    if not isinstance(error, OSError):
        return str(error).rstrip(".") + "."
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "Too many files are open at once: end some runs, or raise the limit (`ulimit -n`)."
    return f"Its folders cannot be used: {error.strerror or error}."
