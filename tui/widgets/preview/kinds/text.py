"""Preview of text with syntax highlighting, and line numbers if they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.code import HIGHLIGHT_CHARS, highlighted, lexer_for
from sandbox_tui.tui.widgets.preview.document import Document, PreviewError, Source, count_of

NUMBERED_WIDTH = 72
"""Minimum width for showing line numbers."""

ROW_CHARS = 4096
"""Longer lines are split into rows, so that drawing a row is never slow."""


class TextDocument(Document):
    """The text of a file.

    Args:
        text: the decoded content.
        lexer: name of the lexer; empty for none.
        note: more facts, for the border.
    """

    def __init__(self, text: str, lexer: str = "", note: str = "") -> None:
        self._text = text.removesuffix("\n")
        self._lexer = lexer
        source = sanitize(self._text.expandtabs(4)).split("\n")
        self._plain = len(self._text) > HIGHLIGHT_CHARS or max(map(len, source)) > ROW_CHARS
        self._rows = _rows(source)
        facts = [count_of(len(source), "line") if self._text else "empty", note]
        self.facts = " · ".join(fact for fact in facts if fact)

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        digits = len(str(self._rows[-1][0] or len(self._rows)))
        self.numbers = digits + 3 if width >= NUMBERED_WIDTH else 0
        coloured = None if self._plain else highlighted(self._text, self._lexer, palette)
        return TextLines(self._rows, coloured, self.numbers, palette)


class TextLines(Sequence[Text]):
    """Rows of a text, styled only when they are read.

    Args:
        rows: line number (0 for a continued line) and characters of each row.
        coloured: the highlighted rows, if there are any.
        numbers: columns of the line number; 0 for none.
        palette: the palette for everything else.
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
    """Return the document of any text.

    Raises:
        PreviewError: the source is not text.
    """
    text = source.text
    if text is None:
        raise PreviewError("This is not text.")
    if source.cut:
        note = f"{note} · " if note else ""
        note += f"the first {numbers.size(len(source.data))} of {numbers.size(source.size)}"
    return TextDocument(text, lexer_for(source.path, text[:400]), note)


def _rows(lines: list[str]) -> list[tuple[int, str]]:
    rows: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if len(line) <= ROW_CHARS:
            rows.append((number, line))
            continue
        rows.append((number, line[:ROW_CHARS]))
        rows += [(0, line[at : at + ROW_CHARS]) for at in range(ROW_CHARS, len(line), ROW_CHARS)]
    return rows
