"""Lays out tables that are wider than the terminal by splitting their columns into blocks.

Each block begins with the names of the lines; every column appears in one block, in order.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, chop_cells, set_cell_size

GAP = "  "
MIN_WIDTH = 40
MAX_NAME_CELLS = 22


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a block.

    Attributes:
        label: the names, padded to the same width in all lines of the table.
        text: the columns.
        kind: as passed to `blocks`; `head` for the first line, `plain` outside tables.
    """

    label: str
    text: str
    kind: str


def blocks(
    names: Sequence[tuple[str, str]],
    columns: Sequence[Sequence[str]],
    kinds: Sequence[str],
    width: int,
) -> Iterator[list[Line]]:
    """Yield the table in blocks of at most `width` cells.

    Args:
        names: two per line; the first line is the head.
        columns: their texts, one per line.
        kinds: of the lines, for colouring.
        width: in cells; at least `MIN_WIDTH` is used.
    """
    labels = _fronts(names)
    room = max(1, max(MIN_WIDTH, width) - cell_len(labels[0]))
    for group in _grouped(columns, room):
        yield [
            Line(label, cut(text, room), kind)
            for label, text, kind in zip(labels, _aligned(group), kinds, strict=True)
        ]


def plain(texts: Iterable[str]) -> list[Line]:
    """Return texts as lines outside tables."""
    return [Line("", text, "plain") for text in texts]


def as_text(lines: Iterable[Line]) -> str:
    """Return the text of lines, without their kinds."""
    return "\n".join(f"{line.label}{line.text}".rstrip() for line in lines)


def named(name: str, value: str, width: int) -> list[str]:
    """Format a name and a value, wrapped."""
    return wrapped(f"{name}: {value}", width)


def wrapped(text: str, width: int) -> list[str]:
    """Wrap text into lines of at most `width` cells; lines after the first are indented."""
    lines = textwrap.wrap(text, width, subsequent_indent=GAP)
    return [piece for line in lines for piece in chop_cells(line, width)]


def cut(text: str, width: int) -> str:
    """Cut text to a width, with an ellipsis if it was cut."""
    if cell_len(text) <= width:
        return text
    return f"{set_cell_size(text, max(0, width - 1))}…"


def _fronts(names: Sequence[tuple[str, str]]) -> list[str]:
    short = [(cut(first, MAX_NAME_CELLS), second) for first, second in names]
    wide, second = (max(cell_len(name[at]) for name in short) for at in (0, 1))
    return [f"{set_cell_size(a, wide)}{GAP}{set_cell_size(b, second)}" for a, b in short]


def _grouped(columns: Sequence[Sequence[str]], room: int) -> Iterator[Sequence[Sequence[str]]]:
    """Yield the columns in groups that fit; a column that is too wide gets its own group."""
    group: list[Sequence[str]] = []
    used = 0
    for column in columns:
        needed = len(GAP) + max(map(len, column))
        if group and used + needed > room:
            yield group
            group, used = [], 0
        group.append(column)
        used += needed
    yield group


def _aligned(columns: Sequence[Sequence[str]]) -> list[str]:
    lines = [""] * len(columns[0])
    for column in columns:
        width = max(map(len, column))
        lines = [f"{line}{GAP}{text:>{width}}" for line, text in zip(lines, column, strict=True)]
    return lines
