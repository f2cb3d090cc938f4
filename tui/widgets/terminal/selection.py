"""Text selection in a terminal: the selected text, and words and lines selected by clicks."""

from __future__ import annotations

import re
from collections.abc import Callable

from rich.cells import cell_len
from textual.selection import Selection

_WORD = re.compile(r"[\w./~:@%+=?&#$-]+|[^\w\s]")
"""What a double click selects: a whole path or address, otherwise a single character."""


def selected_text(selection: Selection, line: Callable[[int], str], lines: range) -> str:
    """Return the text of a selection, without trailing blanks on its lines.

    Args:
        selection: in characters of numbered lines.
        line: returns the text of a numbered line.
        lines: the numbers of all existing lines.
    """
    first = lines.start if selection.start is None else max(lines.start, selection.start.y)
    last = lines.stop - 1 if selection.end is None else min(lines.stop - 1, selection.end.y)
    texts: list[str] = []
    for number in range(first, last + 1):
        begin, stop = selection.get_span(number) or (0, 0)
        text = line(number)
        texts.append((text[begin:] if stop < 0 else text[begin:stop]).rstrip(" "))
    return "\n".join(texts).rstrip("\n")


def clicked_span(text: str, cell: int, clicks: int) -> tuple[int, int]:
    """Return the span of a line selected by clicks on a cell: two select a word, three the line."""
    if clicks > 2:
        return 0, len(text.rstrip(" "))
    return word_at(text, character_at(text, cell))


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
