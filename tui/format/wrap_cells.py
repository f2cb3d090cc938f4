"""Wraps text to a width in cells."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

MAX_CHARACTERS_PER_CELL = 2
"""Maximum number of characters inspected per visible cell: a line may be as long as a file."""


def wrap_cells(text: str, width: int, lines: int) -> list[str]:
    """Return the first lines of a text wrapped at words; the last ends with an ellipsis if more
    follows.

    Args:
        text: on one line.
        width: cells per line; at least 2 are filled.
        lines: maximum number of lines.
    """
    text, width = text.lstrip(), max(2, width)
    if lines <= 0 or not text:
        return []
    seen = text[: width * (lines + 1) * MAX_CHARACTERS_PER_CELL]
    wrapped = list(_wrapped(seen, width))
    if len(wrapped) > lines or len(seen) < len(text):
        wrapped = wrapped[:lines]
        kept = chop_cells(wrapped[-1], width - 1)[:1]  # empty for nothing but combining characters
        wrapped[-1] = f"{''.join(kept)}…"
    return wrapped


def last_wrapped(text: str, width: int, lines: int) -> list[str]:
    """Return the last lines of a text wrapped at words; see `wrap_cells`."""
    if lines <= 0:
        return []
    return list(_wrapped(text[-width * (lines + 1) :], max(2, width)))[-lines:]


def _wrapped(text: str, width: int) -> Iterator[str]:
    line = ""
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= width:
            line = joined
            continue
        if line:
            yield line
        *full, line = chop_cells(word, width) if cell_len(word) > width else [word]
        yield from full
    if line:
        yield line
