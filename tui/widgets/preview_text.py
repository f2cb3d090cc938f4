"""Text in the colours of its language, with line numbers where there is room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from rich.text import Text

from ...core.text import clean
from .. import figures
from ..palette import Palette
from .code import HIGHLIGHT_CHARS, highlighted, lexer_for
from .preview_document import Document, Source, Unshown, count_of

NUMBERED_WIDTH = 72
"""Columns from which on lines are numbered."""

ROW_CHARS = 4096
"""A longer line goes on in further rows, so that drawing one is never slow."""


class TextDocument(Document):
    """A text, as it stands in the file.

    Args:
        text: decoded.
        lexer: of its language; empty for none.
        note: what else there is to say about it, for the border.
    """

    def __init__(self, text: str, lexer: str = "", note: str = "") -> None:
        self._text = text.removesuffix("\n")
        self._lexer = lexer
        source = clean(self._text.expandtabs(4)).split("\n")
        self._plain = len(self._text) > HIGHLIGHT_CHARS or max(map(len, source)) > ROW_CHARS
        self._rows = list(_rows(source))
        facts = [count_of(len(source), "line") if self._text else "empty", note]
        self.facts = " · ".join(fact for fact in facts if fact)

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """See `Document`."""
        digits = len(str(self._rows[-1][0] or len(self._rows)))
        self.numbers = digits + 3 if width >= NUMBERED_WIDTH else 0
        coloured = None if self._plain else highlighted(self._text, self._lexer, palette)
        return Lines(self._rows, coloured, self.numbers, palette)


class Lines(Sequence[Text]):
    """Rows of a text, made into `Text` only when they are looked at.

    Args:
        rows: line number (0 where a line goes on) and characters of each.
        coloured: the same in colour, where there is colour.
        numbers: columns for the line number; 0 for none.
        palette: for the rest.
    """

    def __init__(
        self,
        rows: list[tuple[int, str]],
        coloured: list[Text] | None,
        numbers: int,
        palette: Palette,
    ) -> None:
        self._rows = rows
        self._coloured = coloured
        self._numbers = numbers
        self._palette = palette

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Text: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Text]: ...
    def __getitem__(self, index: int | slice) -> Text | Sequence[Text]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number, plain = self._rows[index]
        coloured = self._coloured
        body = coloured[index] if coloured is not None and index < len(coloured) else Text(plain)
        if not self._numbers:
            return body.copy()
        shown = f"{number:>{self._numbers - 2}}  " if number else " " * self._numbers
        line = Text(no_wrap=True)
        line.append(shown, style=self._palette.faint)
        line.append_text(body)
        return line


def open_text(source: Source, note: str = "") -> Document:
    """Any text.

    Raises:
        Unshown: it is none.
    """
    text = source.text
    if text is None:
        raise Unshown("This is not text.")
    if source.cut:
        note = f"{note} · " if note else ""
        note += f"the first {figures.size(len(source.data))} of {figures.size(source.size)}"
    return TextDocument(text, lexer_for(source.path, text[:400]), note)


def _rows(lines: list[str]) -> list[tuple[int, str]]:
    rows: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        rows.append((number, line[:ROW_CHARS]))
        rows += [(0, line[at : at + ROW_CHARS]) for at in range(ROW_CHARS, len(line), ROW_CHARS)]
    return rows
