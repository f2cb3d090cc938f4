"""The lines of a document: scrolled, folded, searched, selected from."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, chop_cells
from rich.style import Style
from rich.text import Text
from textual.events import Resize

from ..palette import palette_of
from .blocks import Blocks
from .preview_document import Document, Words


class PreviewLines(Blocks):
    """Draws a `Document`.

    Args:
        wrap: whether long lines go on in the next row; else they are cut.
    """

    def __init__(self, *, wrap: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._wrap = wrap
        self._document: Document = Words("")
        self._lines: Sequence[Text] = []
        self._laid_out_for = 0
        self._needle = ""
        self.following = False

    def show(self, document: Document, *, keep_place: bool) -> None:
        """Show a document; `keep_place` is for another content of the same file."""
        self._document = document
        self.following = False
        if not keep_place:
            self.cursor = -1
            self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self._lay_out()

    @property
    def plain(self) -> list[str]:
        """The text as it is shown."""
        return [line.plain for line in self._lines]

    def search(self, needle: str, direction: int = 1) -> bool:
        """Go to the next line that holds `needle`, marking all; False when there is none."""
        self._needle = needle
        self.reset()
        wanted, count = needle.lower(), len(self._lines)
        start = self.cursor if self.cursor >= 0 else (-1 if direction > 0 else 0)
        for step in range(1, count + 1):
            index = (start + direction * step) % count
            if wanted in self._lines[index].plain[self._document.numbers :].lower():
                self.following = False
                self.cursor = index
                self.show_block(index)
                return True
        return False

    def block_count(self) -> int:
        """See `Blocks`."""
        return len(self._lines)

    def block_height(self, index: int, width: int) -> int:
        """See `Blocks`."""
        if not self._wrap:
            return 1
        plain = self._lines[index].plain
        if len(plain) <= width // 2 or (plain.isascii() and len(plain) <= width):
            return 1
        return max(1, len(self._pieces(plain, width)))

    def draw_block(self, index: int, width: int) -> list[Text]:
        """See `Blocks`."""
        line = self._lines[index].copy()
        if self._needle:
            mark = palette_of(self).accent + Style(reverse=True)
            line.highlight_words([self._needle], mark, case_sensitive=False)
        if not self._wrap or self.block_height(index, width) == 1:
            line.truncate(width, overflow="ellipsis")
            return [line]
        cuts: list[int] = []
        at = 0
        for piece in self._pieces(line.plain, width)[:-1]:
            at += len(piece)
            cuts.append(at)
        pieces = list(line.divide(cuts))
        hang = Text(" " * self._document.numbers)
        return [pieces[0], *(hang + piece for piece in pieces[1:])]

    def action_choose(self) -> None:
        """Open or close what folds."""
        if self.cursor >= 0 and self._document.toggle(self.cursor):
            self._lay_out()
            return
        super().action_choose()

    def on_blocks_chosen(self, event: Blocks.Chosen) -> None:
        """A click on the selected line."""
        if self._document.toggle(event.index):
            event.stop()
            self._lay_out()

    def on_resize(self, event: Resize) -> None:
        """Tables and laid-out text depend on the width."""
        if self._width != self._laid_out_for:
            self._lay_out()

    def redraw(self) -> None:
        """The theme is another one."""
        self._lay_out()

    def _lay_out(self) -> None:
        self._laid_out_for = self._width
        self._lines = self._document.lines(self._width, palette_of(self))
        self.reset()

    def _pieces(self, plain: str, width: int) -> list[str]:
        """A line cut so that each piece has its room; all but the first hang below the text."""
        hang = min(self._document.numbers, width // 2)
        first = _fitting(plain, width)
        rest = plain[len(first) :]
        return [first, *(chop_cells(rest, max(1, width - hang)) if rest else [])]


def _fitting(plain: str, width: int) -> str:
    """As much of the beginning as has room."""
    if plain.isascii():
        return plain[:width]
    at = min(len(plain), width)
    while at > 1 and cell_len(plain[:at]) > width:
        at -= 1
    return plain[:at]
