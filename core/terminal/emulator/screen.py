"""Our terminal emulator, which is fast and safe on any input.

It is layered, one idea per file: `parser` finds sequences and text, `sequences` maps them to
functions, `modes`, `editing` and `grid` carry these out on `rows`. A style is a number (`sgr`).
`fast_path` bypasses all of them for whole lines, `progress_bars` drops lines that are immediately
overwritten, `scrollback` stores lines that scrolled away, `resizing` divides lines that become
too long and joins those that wrapped.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandbox_tui.core.terminal.emulator.parser import Parser
from sandbox_tui.core.terminal.emulator.resizing import Resizing, limited
from sandbox_tui.core.terminal.emulator.rows import Run
from sandbox_tui.core.terminal.emulator.scrollback import SCROLLBACK, History, plain
from sandbox_tui.core.terminal.screen_keyframe import from_keyframe, to_keyframe


class Screen(Resizing):
    """A `Terminal` whose state can be saved in a keyframe.

    Args:
        columns, lines: size in cells.
        scrollback: maximum number of lines kept after they scroll off the top.
    """

    def __init__(self, columns: int, lines: int, scrollback: int = SCROLLBACK) -> None:
        self.columns, self.lines = limited(columns), limited(lines)
        self.history = History(scrollback)
        self.scrolled = 0
        self.dirty: set[int] = set()
        self.answers: list[str] = []
        self.parser = Parser(self)
        self.reset()

    def feed(self, data: bytes) -> None:
        """Process output (see `Terminal.feed`)."""
        self.parser.feed(data)

    def replies(self) -> bytes:
        """Return and clear the pending replies to the program."""
        data = "".join(self.answers).encode()
        self.answers.clear()
        return data

    # --- reading

    @property
    def in_alternate(self) -> bool:
        """Whether the alternate screen is shown."""
        return self.hidden is not None

    @property
    def history_size(self) -> int:
        """Lines in scrollback."""
        return len(self.history)

    def row(self, index: int) -> list[Run]:
        """Return a line as runs with one style each (see `Terminal.row`)."""
        above = len(self.history)
        if index < above:
            return self.history.runs(index)
        return self.rows[index - above].runs(self.columns)

    def text(self, index: int) -> str:
        """Return a line as plain text."""
        above = len(self.history)
        if index < above:
            return self.history.text(index)
        return plain(self.rows[index - above].as_raw(self.columns))

    def continues(self, index: int) -> int:
        """Return the number of cells of a row that continues in the next one; otherwise 0."""
        above = len(self.history)
        if index < above:
            return self.history.continues(index)
        return self.rows[index - above].continues

    def find(self, needle: str) -> Iterator[int]:
        """Yield the indexes of the lines that contain `needle`, ignoring case."""
        yield from self.history.find(needle)
        above, folded = len(self.history), needle.casefold()
        for index in range(above, above + self.lines):
            if folded in self.text(index).casefold():
                yield index

    # --- the whole state

    def keyframe(self, scrollback: int = SCROLLBACK) -> bytes:
        """Return the state as bytes: screens, modes, parser, and the last `scrollback` lines."""
        return to_keyframe(self, scrollback)

    def restore(self, keyframe: bytes) -> None:
        """Restore the state saved in a `keyframe`.

        Raises:
            ValueError: it is not a keyframe; nothing has changed.
        """
        from_keyframe(self, keyframe)
