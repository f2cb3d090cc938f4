"""The state of one request on a channel, from its start to its end."""

from __future__ import annotations

import asyncio
import secrets

from sandbox_tui.core.base.io_types import Stream
from sandbox_tui.core.sandboxes.base import ExecResult, OutputSink
from sandbox_tui.core.sandboxes.protocol.command_timer import CommandTimer
from sandbox_tui.core.sandboxes.protocol.framing import MarkScanner
from sandbox_tui.core.sandboxes.protocol.pausable_clock import PausableClock


class PendingCommand:
    """A command that is running.

    Args:
        sink: receives its output; None only captures it.
        cap: maximum bytes captured of each stream.
        clock: the clock for its timeout.

    Attributes:
        nonce: marks the end of its output.
        timer: counts the seconds of its timeout.
        open: the streams that have not ended.
        pid: its process id; None until it has started.
        refused: the dispatcher could not start it.
        stdin_budget: bytes that may still be written to its terminal.
        ended: set when both streams have ended.
        changed: set when it has ended or must be ended.
        interrupted: its end was requested.
    """

    def __init__(self, sink: OutputSink | None, cap: int, clock: PausableClock) -> None:
        self.nonce = secrets.token_hex(8).encode()
        self.scanners: dict[Stream, MarkScanner] = {
            "stdout": MarkScanner(self.nonce),
            "stderr": MarkScanner(self.nonce),
        }
        self.open: set[Stream] = {"stdout", "stderr"}
        self.pid: int | None = None
        self.refused = False
        self.exit_code: int | None = None
        self.survivors = 0
        self.saved = False
        self.stdin_budget = 0
        self.ended = asyncio.Event()
        self.changed = asyncio.Event()
        self.interrupted = False
        self._sink = sink
        self._cap = cap
        self.timer = CommandTimer(clock)
        self._captured: dict[Stream, list[bytes]] = {"stdout": [], "stderr": []}
        self._totals: dict[Stream, int] = {"stdout": 0, "stderr": 0}
        self._detached: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def take(self, stream: Stream, data: bytes) -> None:
        """Capture output and pass it to the sink."""
        room = self._cap - self._totals[stream]
        if room > 0:
            self._captured[stream].append(data if len(data) <= room else data[:room])
        self._totals[stream] += len(data)
        await self._pass_on(stream, data)

    async def _pass_on(self, stream: Stream, data: bytes) -> None:
        """Wait for the sink, unless the command must be ended."""
        if self._sink is None:
            return
        writing = asyncio.ensure_future(self._sink(stream, data))
        with self.timer.blocked():
            try:
                await asyncio.wait({writing, self._detached}, return_when=asyncio.FIRST_COMPLETED)
                if writing.done():
                    writing.result()
            finally:
                writing.cancel()

    def detach_sink(self) -> None:
        """Stop waiting for the sink, so that it cannot delay the end of the command."""
        self._sink = None
        if not self._detached.done():
            self._detached.set_result(None)

    def end(self) -> None:
        """Mark the command as ended."""
        self.ended.set()
        self.changed.set()

    def interrupt(self) -> None:
        """Request the end of the command."""
        self.interrupted = True
        self.changed.set()

    def result(self, *, timed_out: bool, interrupted: bool) -> ExecResult:
        """Build the result of the command."""
        return ExecResult(
            exit_code=self.exit_code,
            stdout=b"".join(self._captured["stdout"]),
            stderr=b"".join(self._captured["stderr"]),
            stdout_bytes=self._totals["stdout"],
            stderr_bytes=self._totals["stderr"],
            duration=self.timer.elapsed,
            timed_out=timed_out,
            interrupted=interrupted,
            background=self.survivors > 0,
            state_lost=not self.saved,
            started=self.pid is not None or not (self.refused or self.exit_code is not None),
        )
