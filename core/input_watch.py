"""Notices a running command that has fallen silent because it waits for input."""

from __future__ import annotations

import asyncio
import contextlib
import time
from types import TracebackType

from .errors import SandboxTuiError
from .events import InputAwaited
from .journal import Journal
from .sandboxes.base import Sandbox

QUIET = 2.0
"""Seconds without output after which one looks whether a command waits for input."""


class InputWatch:
    """Looks at a command while the block goes on, and writes `InputAwaited` once it waits.

    Args:
        sandbox: where it runs.
        journal: where to write.
        answerable: whether a person can type into its terminal.
    """

    def __init__(self, sandbox: Sandbox, journal: Journal, *, answerable: bool) -> None:
        self._sandbox = sandbox
        self._journal = journal
        self._answerable = answerable
        self._heard_at = time.monotonic()
        self._told: float | None = None
        self._task: asyncio.Task[None] | None = None

    def heard(self) -> None:
        """The command printed something."""
        self._heard_at = time.monotonic()

    async def __aenter__(self) -> InputWatch:
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(max(QUIET / 2, self._heard_at + QUIET - time.monotonic()))
            silent = time.monotonic() - self._heard_at >= QUIET
            if silent and self._told != self._heard_at:
                with contextlib.suppress(SandboxTuiError):
                    await self._look()

    async def _look(self) -> None:
        heard_at = self._heard_at
        reader = await self._sandbox.terminal_reader()
        if reader is None or heard_at != self._heard_at:
            return
        self._told = heard_at  # once, until it has printed something again
        self._journal.post(
            InputAwaited(program=reader.program, hidden=reader.hidden, answerable=self._answerable)
        )
