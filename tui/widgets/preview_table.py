"""CSV and TSV as a table with aligned columns."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from ...core.text import clean_line
from ..keymap import hint
from ..palette import Palette
from .preview_document import Document, Kind, Source, Unshown, count_of

MOST_ROWS = 5_000
MOST_COLUMNS = 200
WIDEST_CELL = 40
DELIMITERS = ",;\t|"

_NUMBER = re.compile(r"\s*[-+]?[\d.,_ ]*\d(?:[eE][-+]?\d+)?\s*%?\s*\Z")


class TableDocument(Document):
    """Rows and columns; the first row is taken for the names of the columns.

    Args:
        rows: of cells, as read.
        more: whether the file goes on.
    """

    def __init__(self, rows: list[list[str]], more: bool) -> None:
        shown = [[clean_line(cell) for cell in row[:MOST_COLUMNS]] for row in rows]
        columns = max(map(len, shown))
        self._rows = [row + [""] * (columns - len(row)) for row in shown]
        cells = list(zip(*self._rows, strict=True))
        self._widths = [min(WIDEST_CELL, max(map(cell_len, column))) for column in cells]
        self._right = [_is_numeric(column[1:]) for column in cells]
        self._more = more
        count = f"the first {len(rows) - 1:,}" if more else count_of(len(rows) - 1, "row")
        self.facts = f"table · {count} × {columns}"

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """See `Document`."""
        head, *body = self._rows
        rule = "─┼─".join("─" * column for column in self._widths)
        lines = [self._line(head, palette, head=True), Text(rule, style=palette.faint)]
        lines += [self._line(row, palette) for row in body]
        if self._more:
            words = f"… the first {len(body):,} rows; {hint('file.source')} shows the text"
            lines.append(Text(words, style=palette.dim))
        return lines

    def _line(self, row: list[str], palette: Palette, *, head: bool = False) -> Text:
        line = Text(no_wrap=True)
        for index, (cell, width) in enumerate(zip(row, self._widths, strict=True)):
            if index:
                line.append(" │ ", style=palette.faint)
            right = self._right[index]
            shown = Text(cell, style=palette.strong if head else palette.text)
            shown.truncate(width, overflow="ellipsis")
            blanks = " " * (width - shown.cell_len)
            line.append(blanks if right else "")
            line.append_text(shown)
            line.append("" if right else blanks)
        return line


def _is_numeric(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(len(cell) < 40 and _NUMBER.match(cell) for cell in filled)


def _open(source: Source) -> Document:
    text = source.text
    if text is None:
        raise Unshown("This is named as a table, and is not text.")
    if not text.strip():
        raise Unshown("This table is empty.")
    delimiter = "\t" if source.suffix in (".tsv", ".tab") else _delimiter(text)
    try:
        reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
        rows = [row for row in itertools.islice(reader, MOST_ROWS + 2) if row]
    except csv.Error as error:
        raise Unshown(f"Not a table that can be read ({error}); it is shown as text.") from error
    if max(map(len, rows), default=0) < 2:
        raise Unshown("This table has a single column; it is shown as text.")
    return TableDocument(rows[: MOST_ROWS + 1], len(rows) > MOST_ROWS + 1 or source.cut)


def _delimiter(text: str) -> str:
    """The one that divides the first lines most evenly."""
    lines = [line for line in text[:20_000].split("\n")[:10] if line]

    def evenness(delimiter: str) -> tuple[int, int]:
        counts = [line.count(delimiter) for line in lines]
        return (min(counts), max(counts))

    return max(DELIMITERS, key=evenness) if lines else ","


KIND = Kind("table", lambda source: source.suffix in (".csv", ".tsv", ".tab"), _open)
