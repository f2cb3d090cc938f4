"""Preview of CSV and TSV as a table with aligned columns."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.document import Document, Kind, PreviewError, Source, count_of

MAX_ROWS = 5_000
MAX_COLUMNS = 200
MAX_CELL_COLUMNS = 40
DELIMITERS = ",;\t|"

_NUMBER = re.compile(r"\s*[-+]?[\d.,_ ]*\d(?:[eE][-+]?\d+)?\s*%?\s*\Z")


class TableDocument(Document):
    """Rows and columns; the first row contains the column names.

    Args:
        rows: lists of cells.
        more: whether the file has more rows.
    """

    def __init__(self, rows: list[list[str]], more: bool) -> None:
        shown = [[sanitize_line(cell) for cell in row[:MAX_COLUMNS]] for row in rows]
        columns = max(map(len, shown))
        self._rows = [row + [""] * (columns - len(row)) for row in shown]
        cells = list(zip(*self._rows, strict=True))
        self._widths = [min(MAX_CELL_COLUMNS, max(map(cell_len, column))) for column in cells]
        self._right = [_is_numeric(column[1:]) for column in cells]
        self._more = more
        count = f"the first {len(rows) - 1:,}" if more else count_of(len(rows) - 1, "row")
        self.facts = f"table · {count} × {columns}"

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
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
            fit_line(shown, width)
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
        raise PreviewError("The name says table, but this is not text.")
    if not text.strip():
        raise PreviewError("This table is empty.")
    delimiter = "\t" if source.suffix in (".tsv", ".tab") else _delimiter(text)
    try:
        reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
        rows = [row for row in itertools.islice(reader, MAX_ROWS + 2) if row]
    except csv.Error as error:
        raise PreviewError(f"Not a readable table ({error}); shown as text.") from error
    if max(map(len, rows), default=0) < 2:
        raise PreviewError("This table has a single column; shown as text.")
    return TableDocument(rows[: MAX_ROWS + 1], len(rows) > MAX_ROWS + 1 or source.cut)


def _delimiter(text: str) -> str:
    """Return the delimiter that splits the first lines most evenly."""
    lines = [line for line in text[:20_000].split("\n")[:10] if line]

    def evenness(delimiter: str) -> tuple[int, int]:
        counts = [line.count(delimiter) for line in lines]
        return (min(counts), max(counts))

    return max(DELIMITERS, key=evenness) if lines else ","


KIND = Kind("table", lambda source: source.suffix in (".csv", ".tsv", ".tab"), _open)
