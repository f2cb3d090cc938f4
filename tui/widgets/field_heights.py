"""Heights of text fields that share the room of a dialog."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

MIN_ROWS = 6
"""Minimum height of a long field among others, with its border."""


def rows_of(text: str, width: int) -> int:
    """Return the number of rows of a text that is wrapped at this width."""
    return sum(max(1, -(-cell_len(line) // max(1, width))) for line in text.split("\n"))


def heights_of(needed: Sequence[int], room: int) -> list[int]:
    """Return the heights of fields: short ones as needed; the long ones share what is left."""
    heights = list(needed)
    left, waiting = room, sorted(range(len(needed)), key=lambda n: needed[n])
    for done, field in enumerate(waiting):
        share = max(left // (len(waiting) - done), min(MIN_ROWS, room))
        heights[field] = max(3, min(needed[field], share))
        left -= heights[field]
    return heights
