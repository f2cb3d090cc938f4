"""The lines of a document, with scrolling, folding, search and selection."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from rich.cells import cell_len, chop_cells
from rich.style import Style
from rich.text import Text
from textual.events import Resize
from textual.message import Message
from typing_extensions import override

from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.preview.document import Document, Notice
from sandbox_tui.tui.widgets.word_search import first_row_with, has_capitals, has_words

LINES_ON_SCREEN = 60
"""Number of lines that tell whether lines are cut: more are not seen without scrolling."""


class PreviewLines(BlockList):
    """Draws a `Document`.

    Args:
        wrap: whether long lines are wrapped; otherwise they are cut.
    """

    class LaidOut(Message):
        """The lines are ready for the current width."""

    def __init__(self, *, wrap: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._wrap = wrap
        self._document: Document = Notice("")
        self._lines: Sequence[Text] = []
        self._laid_out_for = 0
        self._needle = ""
        self.following = False

    def show(self, document: Document, *, keep_place: bool) -> None:
        """Show a document; `keep_place` keeps the scroll position if it is the same file."""
        self._document = document
        self.following = False
        if not keep_place:
            self.cursor = -1
            self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self._lay_out()

    @property
    def cuts_lines(self) -> bool:
        """Whether some line at the beginning is cut."""
        if self._wrap:
            return False
        first = islice(self._lines, LINES_ON_SCREEN)
        return any(cell_len(line.plain) > self._width for line in first)

    @property
    def plain(self) -> list[str]:
        """The lines as plain text."""
        return [line.plain for line in self._lines]

    def search(self, needle: str, direction: int = 1) -> bool:
        """Highlight every `needle` and go to the next line with one; False if there is none."""
        self._needle = needle
        self.reset()
        count = len(self._lines)
        start = self.cursor if self.cursor >= 0 else (-1 if direction > 0 else 0)
        for step in range(1, count + 1):
            index = (start + direction * step) % count
            if has_words(self._lines[index].plain[self._document.numbers :], needle):
                self.following = False
                self.cursor = index
                self.show_block(index)
                self.show_row(index, first_row_with(self._lines_of(index), needle))
                return True
        return False

    @override
    def block_count(self) -> int:
        return len(self._lines)

    @override
    def block_height(self, index: int, width: int) -> int:
        if not self._wrap:
            return 1
        plain = self._lines[index].plain
        if len(plain) <= width // 2 or (plain.isascii() and len(plain) <= width):
            return 1
        return max(1, len(self._pieces(plain, width)))

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        line = self._lines[index].copy()
        if self._needle:
            mark = palette_of(self).accent + Style(reverse=True)
            cased = has_capitals(self._needle)
            line.highlight_words([self._needle], mark, case_sensitive=cased)
        if not self._wrap or self.block_height(index, width) == 1:
            fit_line(line, width)
            return [line]
        cuts: list[int] = []
        at = 0
        for piece in self._pieces(line.plain, width)[:-1]:
            at += len(piece)
            cuts.append(at)
        pieces = list(line.divide(cuts))
        hang = Text(" " * self._document.numbers)
        return [pieces[0], *(hang + piece for piece in pieces[1:])]

    @override
    def action_choose(self) -> None:
        """Fold or unfold the line under the cursor."""
        if self.cursor >= 0 and self._document.toggle(self.cursor):
            self._lay_out()
            return
        super().action_choose()

    def on_block_list_selected(self, event: BlockList.Selected) -> None:
        """Fold or unfold the clicked line."""
        if self._document.toggle(event.index):
            event.stop()
            self._lay_out()

    def on_resize(self, event: Resize) -> None:
        """Lay out the document for the new width."""
        if self._width != self._laid_out_for:
            self._lay_out()

    def redraw(self) -> None:
        """Lay out the document for another theme."""
        self._lay_out()

    def _lay_out(self) -> None:
        """Lay out the document, but not before the size is known: lines would be a letter wide."""
        is_sized = self.size.width > 0
        self._laid_out_for = self._width if is_sized else 0
        self._lines = self._document.lines(self._width, palette_of(self)) if is_sized else []
        self.reset()
        self.post_message(self.LaidOut())

    def _pieces(self, plain: str, width: int) -> list[str]:
        """Split a line into pieces that fit; all but the first leave room for the line numbers."""
        hang = min(self._document.numbers, width // 2)
        first = _fitting(plain, width)
        rest = plain[len(first) :]
        return [first, *(chop_cells(rest, max(1, width - hang)) if rest else [])]


def _fitting(plain: str, width: int) -> str:
    """Return the longest beginning that fits."""
    if plain.isascii():
        return plain[:width]
    at = min(len(plain), width)
    while at > 1 and cell_len(plain[:at]) > width:
        at -= 1
    return plain[:at]
