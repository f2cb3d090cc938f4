"""The mirror: a recorded terminal that shows every command and its output."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from typing_extensions import override

from sandbox_tui.core.base.io_types import Size, Stream
from sandbox_tui.core.environment.environment_parts import Mirror, Work
from sandbox_tui.core.environment.stdin_watch import StdinWatch
from sandbox_tui.core.events.run_state import MIRROR
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.sandboxes.base import Sandbox
from sandbox_tui.core.terminal.mirror import MirrorWriter, Who
from sandbox_tui.core.tools.base import Observation

MIN_TTY_SIZE = (40, 10)
"""Minimum columns and rows of a command's terminal, however small the mirror is."""


class TerminalMirror(Mirror):
    """The mirror of one sandbox.

    Args:
        sandbox: where the commands run.
        events: where terminal output is written.
        size: returns the mirror's current size, in tty mode; None if commands run without a
            terminal.
    """

    def __init__(
        self, sandbox: Sandbox, events: EventSink, *, size: Callable[[], Size] | None = None
    ) -> None:
        self._sandbox = sandbox
        self._events = events
        self._size = size
        self._console = MirrorWriter()

    @property
    @override
    def tty(self) -> Size | None:
        if self._size is None:
            return None
        columns, rows = self._size()
        return max(MIN_TTY_SIZE[0], columns), max(MIN_TTY_SIZE[1], rows)

    @override
    async def show(self, who: Who, command: str, work: Work) -> Observation:
        await self._events.output(MIRROR, self._console.prompt(who, command))
        answerable = self._size is not None
        watch = StdinWatch(self._sandbox, self._events, answerable=answerable)

        async def sink(stream: Stream, data: bytes) -> None:
            watch.on_output()
            await self._events.output(MIRROR, self._console.output(stream, data))

        began = time.monotonic()
        async with watch:
            observation = await work(sink)
        seconds = round(time.monotonic() - began, 4)
        ending = self._console.finished(
            exit_code=observation.exit_code,
            duration=seconds,
            timed_out=observation.timed_out,
            interrupted=observation.interrupted,
        )
        await self._events.output(MIRROR, ending)
        return replace(observation, seconds=seconds)

    @override
    async def remark(self, words: str) -> None:
        await self._events.output(MIRROR, self._console.remark(words))
