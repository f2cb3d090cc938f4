"""Reports a silent command that waits for input."""

from __future__ import annotations

import asyncio
import contextlib
import time
from types import TracebackType

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.events.types import InputAwaited
from sandbox_tui.core.sandboxes.base import Sandbox

QUIET_SECONDS = 2.0
"""Seconds without output after which a command is checked for waiting on input."""


class StdinWatch:
    """Watches a command for the duration of a context, and writes `InputAwaited` when it waits for
    input.

    Args:
        sandbox: where it runs.
        events: where to write.
        answerable: whether the user can type into its terminal.
    """

    def __init__(self, sandbox: Sandbox, events: EventSink, *, answerable: bool) -> None:
        self._sandbox = sandbox
        self._events = events
        self._answerable = answerable
        self._output_at = time.monotonic()
        self._reported: float | None = None
        self._task: asyncio.Task[None] | None = None

    def on_output(self) -> None:
        """Record that the command printed something."""
        self._output_at = time.monotonic()

    async def __aenter__(self) -> StdinWatch:
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _watch(self) -> None:
        while True:
            quiet_at = self._output_at + QUIET_SECONDS
            await asyncio.sleep(max(QUIET_SECONDS / 2, quiet_at - time.monotonic()))
            silent = time.monotonic() - self._output_at >= QUIET_SECONDS
            if silent and self._reported != self._output_at:
                with contextlib.suppress(SandboxTuiError):
                    await self._check()

    async def _check(self) -> None:
        output_at = self._output_at
        reader = await self._sandbox.terminal_reader()
        if reader is None or output_at != self._output_at:
            return
        self._reported = output_at  # reported once, until it prints something again
        self._events.post(
            InputAwaited(program=reader.program, hidden=reader.hidden, answerable=self._answerable)
        )
