"""Text selection in a terminal: the selected text, and words and lines selected by clicks.

A line that was longer than the terminal fills several rows. It is copied and selected as one line.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len
from textual.geometry import Offset
from textual.selection import Selection

MAX_CLICKED_ROWS = 1000
"""Rows above and below a click that are looked at for the beginning and the end of its line."""

_WORD = re.compile(r"[\w./~:@%+=?&#$-]+|[^\w\s]")
"""What a double click selects: a whole path or address, otherwise a single character."""


class Rows(NamedTuple):
    """The rows of a terminal, by number.

    Attributes:
        numbers: of all existing rows.
        text: returns the text of a row.
        continues: returns the number of cells of a row whose line continues in the next one;
            otherwise 0.
    """

    numbers: range
    text: Callable[[int], str]
    continues: Callable[[int], int]

    def whole(self, number: int) -> tuple[str, int]:
        """Return the text of a row, with the blanks at its end if its line continues, and the
        number of its cells in that case, otherwise 0."""
        text, cells = self.text(number), self.continues(number)
        return text + " " * max(0, cells - cell_len(text)), cells


def selected_text(selection: Selection, rows: Rows) -> str:
    """Return the text of a selection, without trailing blanks on its lines.

    Args:
        selection: in characters of numbered rows.
        rows: of the terminal.
    """
    lines = rows.numbers
    first = lines.start if selection.start is None else max(lines.start, selection.start.y)
    last = lines.stop - 1 if selection.end is None else min(lines.stop - 1, selection.end.y)
    parts: list[str] = []
    for number in range(first, last + 1):
        begin, stop = selection.get_span(number) or (0, 0)
        text, continues = rows.whole(number)
        part = text[begin:] if stop < 0 else text[begin:stop]
        parts.append(part if continues else part.rstrip(" ") + "\n")
    return "".join(parts).rstrip("\n").rstrip(" ")


def clicked_selection(rows: Rows, number: int, cell: int, clicks: int) -> Selection | None:
    """Return what clicks on a cell of a row select: two a word, three the line; None if nothing."""
    first = last = number
    top = max(rows.numbers.start, number - MAX_CLICKED_ROWS)
    while first > top and rows.continues(first - 1):
        first -= 1
    bottom = min(rows.numbers.stop - 1, number + MAX_CLICKED_ROWS)
    while last < bottom and rows.continues(last):
        last += 1
    texts = [rows.whole(row)[0] for row in range(first, last + 1)]
    line = "".join(texts)
    if clicks > 2:
        start, end = 0, len(line.rstrip(" "))
    else:
        above = sum(map(len, texts[: number - first]))
        at = character_at(texts[number - first], cell)
        start, end = word_at(line, above + at) if at < len(texts[number - first]) else (0, 0)
    if start == end:
        return None
    begins = list(accumulate(map(len, texts[:-1]), initial=0))
    row, end_row = bisect_right(begins, start) - 1, bisect_left(begins, end) - 1
    return Selection(
        Offset(start - begins[row], first + row), Offset(end - begins[end_row], first + end_row)
    )


def character_at(text: str, cell: int) -> int:
    """Return the index of the character in a cell of a line; beyond its end, the line's length."""
    width = 0
    for index, char in enumerate(text):
        width += cell_len(char)
        if cell < width:
            return index
    return len(text)


def word_at(text: str, at: int) -> tuple[int, int]:
    """Start and end of the word, path or address around a character; an empty span on a blank."""
    for match in _WORD.finditer(text):
        if match.start() <= at < match.end():
            return match.span()
    return at, at
