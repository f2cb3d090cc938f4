"""A channel: the host's side of one dispatcher, which runs one command at a time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from mmap import mmap
from typing import Protocol

from sandbox_tui.core.base.errors import SandboxError, SandboxLost
from sandbox_tui.core.base.io_types import Stream
from sandbox_tui.core.sandboxes.base import ExecResult, OutputSink
from sandbox_tui.core.sandboxes.protocol.framing import Mark
from sandbox_tui.core.sandboxes.protocol.pausable_clock import PausableClock
from sandbox_tui.core.sandboxes.protocol.pending_command import PendingCommand

MAX_CAPTURE_BYTES = 16 << 20
"""Maximum bytes kept of each stream of one command; the rest is only counted."""

MAX_STDIN_BYTES = 16 << 10
"""Maximum bytes written to one command's terminal: less than a pipe holds, so that the dispatcher
never waits for a program that does not read."""

END_SIGNALS = (("INT", 0.4), ("TERM", 0.6), ("KILL", 0.3), ("KILL", 0.5))
"""Signals that end a command, and the seconds to wait after each; less than 2 in total."""

Buffer = bytes | mmap
"""Bytes to send; a large payload is mapped from its file."""


class Transport(Protocol):
    """A byte connection to a dispatcher."""

    async def write(self, data: Buffer) -> None:
        """Send to its stdin; raises OSError if the connection is closed."""
        ...

    async def read(self) -> tuple[Stream, bytes] | None:
        """Return the next piece of its stdout or stderr, or None if both have ended."""
        ...

    def close(self) -> None:
        """Close the connection; the dispatcher ends."""
        ...


class Channel:
    """One dispatcher.

    Args:
        transport: the connection to it.
        clock: the clock for time limits.

    Attributes:
        broken: the connection ended, or a command could not be ended; use another channel.
        last_pid: process id of the last command; None if it is not known to have started.
        last_survivors: number of processes it left behind.
    """

    def __init__(self, transport: Transport, clock: PausableClock) -> None:
        self._transport = transport
        self._clock = clock
        self._thaw: Callable[[], Awaitable[None]] | None = None
        self._command: PendingCommand | None = None
        self.last_pid: int | None = None
        self.last_survivors = 0
        self._reader = asyncio.create_task(self._read())
        self.broken = False

    async def run(
        self,
        op: bytes,
        argument: bytes,
        *,
        call: int = 0,
        payload: Buffer = b"",
        timeout: float | None = None,
        sink: OutputSink | None = None,
        cap: int = MAX_CAPTURE_BYTES,
        thaw: Callable[[], Awaitable[None]] | None = None,
    ) -> ExecResult:
        """Run one request to its end (see dispatcher.sh for `op`).

        A frozen command cannot be ended, so `thaw` is awaited before a command is ended early.

        Raises:
            SandboxLost: the connection was lost before anything was sent.
        """
        command = self._command = PendingCommand(sink, cap, self._clock)
        command.stdin_budget = MAX_STDIN_BYTES if op in (b"t", b"T") else 0
        self._thaw = thaw
        fields = (op, command.nonce, b"%d" % call, b"%d" % len(payload), argument)
        try:
            await self._send(b"\0".join(fields) + b"\0")
            if payload:
                await self._send(payload)
            timed_out, interrupted = await self._wait(command, call, timeout)
        except asyncio.CancelledError:
            await asyncio.shield(self._end(command, call))
            raise
        finally:
            self._command = None
            self.last_pid = command.pid
        return command.result(timed_out=timed_out, interrupted=interrupted)

    @property
    def pid(self) -> int | None:
        """Process id of the running command."""
        return None if self._command is None else self._command.pid

    async def write_stdin(self, data: bytes) -> bool:
        """Write to the running command's terminal; False if it has none, or its buffer is full."""
        command, data = self._command, data.replace(b"\0", b"")
        if command is None or len(data) > command.stdin_budget:
            return False
        command.stdin_budget -= len(data)
        await self._send(b"i\0-\0" + b"0\0" * 2 + data + b"\0")
        return True

    def interrupt(self) -> bool:
        """End the running command; False if none is running."""
        if self._command is None:
            return False
        self._command.interrupt()
        return True

    def close(self) -> None:
        """Close the connection, which ends the dispatcher."""
        self.broken = True
        self._reader.cancel()
        self._transport.close()

    async def retire(self, call: int) -> None:
        """Tell the dispatcher to end once no process of `call` is left, and wait for that.

        It must not end earlier: Docker would stop reading, and a background server would be killed
        by its own output.
        """
        with contextlib.suppress(SandboxLost):
            await self._send(b"w\0-\0%d\0" % call + b"0\0\0")
        with contextlib.suppress(asyncio.CancelledError):
            await self._reader
        self.close()

    async def _send(self, data: Buffer) -> None:
        try:
            await self._transport.write(data)
        except (OSError, RuntimeError) as error:
            self.broken = True
            raise SandboxLost("The connection into the sandbox is gone.") from error

    async def _wait(
        self, command: PendingCommand, call: int, timeout: float | None
    ) -> tuple[bool, bool]:
        """Wait for a command to end, or end it; returns (timed out, interrupted)."""
        await command.timer.wait(command.changed, timeout)
        if command.ended.is_set():
            return False, False
        interrupted = command.interrupted
        await self._end(command, call)
        return not interrupted, interrupted

    async def _end(self, command: PendingCommand, call: int) -> None:
        """End a command; if that fails, the channel is broken."""
        self.last_survivors = 0
        if self._thaw is not None:
            with contextlib.suppress(SandboxError):
                await self._thaw()
        command.detach_sink()
        for signal, grace in END_SIGNALS:
            if command.pid is not None:
                fields = (b"k", signal.encode(), b"%d" % call, b"0", b"%d" % command.pid)
                with contextlib.suppress(SandboxLost):
                    await self._send(b"\0".join(fields) + b"\0")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(command.ended.wait(), grace)
                return
        self.broken = True

    async def _read(self) -> None:
        """Read until the connection ends."""
        try:
            while (piece := await self._transport.read()) is not None:
                await self._take(*piece)
        except OSError:
            pass
        finally:
            self.broken = True
            self._transport.close()
            if self._command is not None:
                self._command.end()

    async def _take(self, stream: Stream, data: bytes) -> None:
        command = self._command
        if command is None:  # late output of processes that a command left behind
            return
        for part in command.scanners[stream].feed(data):
            if isinstance(part, Mark):
                self._take_mark(command, stream, part)
            elif stream in command.open:
                await command.take(stream, part)

    def _take_mark(self, command: PendingCommand, stream: Stream, mark: Mark) -> None:
        fields = mark.fields
        if fields[0] == b"B":
            command.pid = int(fields[1])
            return
        command.open.discard(stream)
        command.refused = fields[0] == b"N"
        if len(fields) == 4:
            command.exit_code = int(fields[1])
            command.survivors = int(fields[2])
            command.saved = fields[3] == b"1"
            self.last_survivors = command.survivors
        if not command.open:
            command.end()
