"""The common base of all kinds of sandboxes, which run everything through dispatchers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxUnavailable
from sandbox_tui.core.base.io_types import Size
from sandbox_tui.core.sandboxes.base import (
    MAX_LISTED_FILES,
    ExecResult,
    FileEntry,
    Listing,
    OutputSink,
    Sandbox,
    SandboxSpec,
    Shell,
    TerminalReader,
)
from sandbox_tui.core.sandboxes.concurrency_limits import ConcurrencyLimits
from sandbox_tui.core.sandboxes.protocol.control_channel import ControlChannel
from sandbox_tui.core.sandboxes.protocol.dispatcher_channel import Channel
from sandbox_tui.core.sandboxes.protocol.file_copying import copy_in, copy_out
from sandbox_tui.core.sandboxes.protocol.file_ops import FileOperations
from sandbox_tui.core.sandboxes.protocol.model_shell import Exec
from sandbox_tui.core.sandboxes.protocol.pausable_clock import PausableClock
from sandbox_tui.core.sandboxes.protocol.stateless_exec import StatelessExec
from sandbox_tui.core.sandboxes.protocol.stdin_probe import find_terminal_reader
from sandbox_tui.core.sandboxes.scripts.loader import STATE_DIR, install_bashrc, quote

T = TypeVar("T")


class DispatcherSandbox(Sandbox):
    """A sandbox whose commands, files and shells use channels to dispatchers inside it.

    Each kind defines how a channel is opened, and how the sandbox starts, freezes and ends.

    Args:
        spec: the requested spec.
    """

    def __init__(self, spec: SandboxSpec) -> None:
        self.spec = spec
        self.info: dict[str, str] = {}
        self._because = ""
        self._limits = ConcurrencyLimits()
        self._has_started = False
        self._closed = False
        self._clock = PausableClock()
        self._control = ControlChannel(self._open_carried, self._clock)
        # for short queries, which must not wait until a large file has been read
        self._quick_control = ControlChannel(self._open_carried, self._clock)
        self._files = FileOperations(self._control, default_dir=spec.working_dir)
        self._exec = Exec(self._open_carried, self._control, self.thaw, pids=spec.pids)
        self._clean = StatelessExec(self._open_channel, self._quick_control, self.thaw)

    @abstractmethod
    async def _open_channel(self, state_dir: str) -> Channel:
        """Open a channel to a new dispatcher whose shell state is in `state_dir`."""

    @abstractmethod
    async def _open_shell(self, cols: int, rows: int) -> Shell:
        """Open a user's shell."""

    async def _guard(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work` in the sandbox; a subclass may wait for an outage to end and retry."""
        return await work()

    def _open_carried(self) -> Awaitable[Channel]:
        return self._open_channel(STATE_DIR)

    # --- life cycle

    def explain(self, because: str) -> None:
        """Show in `info` why this kind of sandbox was chosen; `because` is empty if it was
        requested."""
        self._because = because
        if self.info:
            self.info = self._with_reason(self.info)

    def _with_reason(self, info: dict[str, str]) -> dict[str, str]:
        return {**info, "chosen": self._because} if self._because else info

    def limit_concurrency(self, limits: ConcurrencyLimits) -> None:
        """Share these limits on starting, listing files and closing with other sandboxes."""
        self._limits = limits

    async def connect(self) -> None:
        """Connect to the sandbox's host ahead of `start`, which connects if needed.

        Raises:
            SandboxUnavailable: the host does not answer.
        """

    async def assign(self, session_id: str) -> None:
        """Assign a started sandbox to another session.

        Raises:
            SandboxError: it has ended.
        """
        self.spec = replace(self.spec, session_id=session_id)

    @override
    async def start(self) -> None:
        if not self._has_started:  # a warm spare has already started
            async with self._limits.start:
                await self._start()
            self._has_started = True

    @abstractmethod
    async def _start(self) -> None:
        """Create and prepare the sandbox."""

    async def _prepare(self) -> None:
        """Create the three directories and install what shells need.

        Raises:
            SandboxUnavailable: the file system cannot be used.
        """
        spec = self.spec
        folders = b" ".join(map(quote, (spec.working_dir, spec.input_dir, spec.output_dir)))
        result = await self._control.run(b"mkdir -p %b" % folders)
        if result.exit_code != 0:
            words = result.stderr.decode("utf-8", "replace").strip()
            raise SandboxUnavailable(f"The image cannot be used as a sandbox: {words}")
        await install_bashrc(self._control.run)

    async def _close_channels(self) -> None:
        await self._exec.close()
        self._control.close()
        self._quick_control.close()

    # --- commands

    @override
    async def exec(
        self,
        command: str,
        *,
        timeout: float,
        on_output: OutputSink | None = None,
        tty: Size | None = None,
    ) -> ExecResult:
        return await self._guard(
            lambda: self._exec.run(command, timeout=timeout, on_output=on_output, tty=tty)
        )

    @override
    async def run(
        self, argv: Sequence[str], *, user: str = "", cwd: str = "", timeout: float
    ) -> ExecResult:
        where = cwd or self.spec.working_dir
        return await self._guard(
            lambda: self._clean.run(argv, user=user, cwd=where, timeout=timeout)
        )

    @override
    async def write_stdin(self, data: bytes) -> bool:
        return await self._exec.write_stdin(data)

    @override
    async def terminal_reader(self) -> TerminalReader | None:
        return await find_terminal_reader(self._quick_control.run, self._exec.running)

    @override
    async def interrupt(self) -> bool:
        return self._exec.interrupt()

    @override
    async def open_shell(self, cols: int, rows: int) -> Shell:
        return await self._guard(lambda: self._open_shell(cols, rows))

    # --- files

    @override
    async def read_file(self, path: str, *, max_bytes: int | None = None) -> bytes:
        return await self._guard(lambda: self._files.read(path, max_bytes=max_bytes))

    @override
    async def write_file(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        await self._guard(lambda: self._files.write(path, data, exclusive=exclusive))

    @override
    async def stat(self, path: str) -> FileEntry | None:
        return await self._guard(lambda: self._files.stat(path))

    @override
    async def list_files(self, path: str, *, limit: int = MAX_LISTED_FILES) -> Listing:
        async with self._limits.listing:
            return await self._guard(lambda: self._files.list(path, limit=limit))

    @override
    async def changed_files(self, path: str, before: Listing) -> Listing:
        async with self._limits.listing:
            return await self._guard(
                lambda: self._files.changed(path, before, limit=MAX_LISTED_FILES)
            )

    @override
    async def copy_in(self, source: Path, path: str) -> None:
        await self._guard(lambda: copy_in(self._control, source, path))

    @override
    async def copy_out(self, path: str, target: Path) -> list[str]:
        return await self._guard(lambda: copy_out(self._control, self._files, path, target))
