"""The places of the keys in the key bar."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

GAP = 2
"""Columns after each key."""


class Shown(NamedTuple):
    """A key of the bar.

    Attributes:
        key: the key as displayed.
        words: what it does.
        action, node: the action, and the node it runs on.
        name: Textual's name of the key.
        rank: its rank among the action's keys; 0 is the first.
        is_off: whether it is off now; its place stays blank.
    """

    key: str
    words: str
    action: str
    node: Any
    name: str
    rank: int = 0
    is_off: bool = False


def placed(
    keys: Sequence[Shown], passing: Collection[str], width_of: Callable[[Shown], int]
) -> tuple[list[tuple[int, Shown]], int]:
    """Return the keys that are on, each with its column, and the width of all in columns,
    including the gap after each.

    A key that is off leaves its place blank; of several in a row, only the place of the widest. A
    key that comes and goes takes blank places after it before it moves the keys behind them.

    Args:
        keys: all keys with a place, from left to right.
        passing: the actions whose keys come and go.
        width_of: returns the width of a key in columns.
    """
    found: list[tuple[int, Shown]] = []
    column = usual = 0  # the next free column; the column of the next key without passing ones
    blank = 0  # columns of the widest key that is off since the last one that is on
    for known in keys:
        width = width_of(known) + GAP
        if known.is_off:
            usual, blank = usual + width, max(blank, width)
            continue
        if known.action not in passing:
            column, blank = max(column, min(usual, column + blank)), 0
            usual += width
        found.append((column, known))
        column += width
    return found, max(column, min(usual, column + blank))
