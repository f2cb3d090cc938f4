"""The terminal emulator protocol, for the screen and for recordings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from sandbox_tui.core.terminal.emulator.sgr import Attributes


class Terminal(Protocol):
    """A terminal emulator: bytes in, cells out. `feed` never raises.

    Attributes:
        columns, lines: size in cells.
        dirty: rows (0-based) changed since the reader last cleared the set.
        x, y: cursor position, 0-based; `x` may equal `columns` while a wrap is pending.
        title: set by OSC 0/2, as sent (sanitize it before showing it).
        modes: DEC private modes that are on (25 cursor shown, 1 application cursor keys,
            1000/1002/1003/1006 mouse, 1007 alternate scroll, 1049 alternate screen, 2004 bracketed
            paste, 2026 synchronised output ...).
        scrolled: total number of lines that have moved from the top into scrollback (monotonic), so
            that a reader who scrolled up keeps their position.
        history_columns: columns of the widest line that scrollback may contain, if it was written
            when the terminal was wider; otherwise 0.
    """

    columns: int
    lines: int
    dirty: set[int]
    x: int
    y: int
    title: str
    modes: set[int]
    scrolled: int
    history_columns: int

    def feed(self, data: bytes) -> None:
        """Process output. Any chunking of the same bytes gives the same state."""
        ...

    def resize(self, columns: int, lines: int) -> None:
        """Change the size, keeping the bottom of the screen; other lines move to scrollback.

        Lines of the main screen that become too long are divided, and those that wrapped are joined
        again when there is room; no text is lost.
        """
        ...

    def replies(self) -> bytes:
        """Return and clear the pending replies to the program, such as the cursor position."""
        ...

    @property
    def in_alternate(self) -> bool:
        """Whether the alternate screen is shown (it has no scrollback)."""
        ...

    @property
    def history_size(self) -> int:
        """Lines in scrollback."""
        ...

    def row(self, index: int) -> list[tuple[str, Attributes]]:
        """Return one line as runs of (text, attributes).

        Indexes 0 to history_size-1 are scrollback, oldest first, then the screen. A run's text has
        no control, invisible or bidi characters (except the joiner of emoji and variation
        selectors); trailing default blanks are removed.
        """
        ...

    def find(self, needle: str) -> Iterator[int]:
        """Yield the indexes of the lines that contain `needle`, ignoring case."""
        ...

    def text(self, index: int) -> str:
        """Return the same line as plain text, without trailing blanks."""
        ...

    def continues(self, index: int) -> int:
        """Return the number of cells of a row whose line was too long and continues in the next
        row; otherwise 0."""
        ...

    def touch(self, start: int, end: int) -> None:
        """Mark these rows as changed."""
        ...
