"""What a terminal has printed so far, to be printed again for another width.

A terminal does not know which of its lines a narrow screen has broken, so that a screen of another
width would break the pieces once more. Plain output can simply be printed again.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sandbox_tui.core.terminal.base import Terminal as Emulator

MAX_KEPT_BYTES = 1 << 18
"""Longer output is not printed again, which would take a noticeable time."""

_NOT_PLAIN = re.compile(rb"\x1b(?!7|\[!p?|\[\?[0-9;]*(?:l|\Z)|\[[0-9;:]*(?:[mK]|\Z)|\Z)")
"""Any escape sequence but colours, the end of a line, and the resets between two commands: the
program knows the width."""


class KeptOutput:
    """The output of one terminal, while it is short and plain."""

    def __init__(self) -> None:
        self._kept: bytearray | None = bytearray()

    def add(self, data: bytes) -> None:
        """Keep further output."""
        if self._kept is None:
            return
        self._kept += data
        start = max(0, len(self._kept) - len(data) - 64)
        if len(self._kept) > MAX_KEPT_BYTES or _NOT_PLAIN.search(self._kept, start):
            self._kept = None

    def drop(self) -> None:
        """Keep nothing any more: the terminal shows something else."""
        self._kept = None

    def printed_on(self, create: Callable[[], Emulator]) -> Emulator | None:
        """Return a new terminal with the same output; None if it cannot be printed again."""
        if not self._kept:
            return None
        emulator = create()
        emulator.feed(bytes(self._kept))
        emulator.replies()
        return emulator
