"""Lines of a screen and of its scrollback, cheap to make and parsed when they are looked at."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

from wcwidth import wcwidth

from .attributes import DEFAULT, Attributes, select
from .tokens import MAYBE_NOT_ONE_WIDE, SGR

Run = tuple[str, Attributes]
"""Text of one look."""

Kept = str | tuple[str, Attributes] | tuple[str, tuple[Run, ...]]
"""A line of scrollback: raw text (with SGR) in the default look, or in another; or its runs."""

LONGEST_CELL = 16
"""Characters of one cell: a letter and what combines with it."""

width_of = lru_cache(65_536)(wcwidth)


class Row:
    """A line of the screen: cells and their looks, or raw text that has not been looked at.

    A wide character fills two cells, of which the second is empty.
    """

    __slots__ = ("cells", "looks", "raw", "raw_look")

    def __init__(self, cells: list[str], looks: list[Attributes]) -> None:
        self.cells = cells
        self.looks = looks
        self.raw: str | None = None
        self.raw_look = DEFAULT

    @classmethod
    def blank(cls, columns: int, look: Attributes = DEFAULT) -> Row:
        """An empty line."""
        return cls([" "] * columns, [look] * columns)

    @classmethod
    def unread(cls, raw: str, look: Attributes = DEFAULT) -> Row:
        """A line of text and SGR sequences, no wider than the screen."""
        row = cls([], [])
        row.raw, row.raw_look = raw, look
        return row

    def read(self, columns: int) -> Row:
        """The row itself, with cells."""
        if self.raw is not None:
            self.cells, self.looks = cells_of(self.raw, self.raw_look, columns)
            self.raw = None
        return self

    def fit(self, columns: int) -> None:
        """Cut or fill to another width."""
        self.read(columns)
        missing = columns - len(self.cells)
        if missing >= 0:
            self.cells += [" "] * missing
            self.looks += [DEFAULT] * missing
            return
        if self.cells[columns] == "" and columns:
            self.cells[columns - 1] = " "
        del self.cells[columns:]
        del self.looks[columns:]

    def kept(self) -> Kept:
        """The line as scrollback keeps it."""
        if self.raw is not None:
            return self.raw if self.raw_look is DEFAULT else (self.raw, self.raw_look)
        looks = self.looks
        if not looks or (looks[0] is DEFAULT and looks.count(DEFAULT) == len(looks)):
            return "".join(self.cells).rstrip()
        runs = runs_of(self.cells, looks)
        return ("".join(text for text, _ in runs), tuple(runs))

    def runs(self, columns: int) -> list[Run]:
        """The line as text of one look each, trailing default blanks cut."""
        self.read(columns)
        return runs_of(self.cells, self.looks)


def cells_of(raw: str, look: Attributes, columns: int) -> tuple[list[str], list[Attributes]]:
    """Cells and looks of a line of text and SGR sequences."""
    cells: list[str] = []
    looks: list[Attributes] = []
    for number, part in enumerate(SGR.split(raw) if "\x1b" in raw else [raw]):
        if number & 1:
            look = select(look, part) if part else DEFAULT
        elif part.isascii() or not MAYBE_NOT_ONE_WIDE(part):
            cells.extend(part)
            looks += [look] * len(part)
        else:
            _add_wide(part, look, cells, looks)
    missing = columns - len(cells)
    if missing > 0:
        cells += [" "] * missing
        looks += [DEFAULT] * missing
    elif missing < 0:
        del cells[columns:]
        del looks[columns:]
    return cells, looks


def _add_wide(text: str, look: Attributes, cells: list[str], looks: list[Attributes]) -> None:
    for char in text:
        width = width_of(char)
        if width == 1:
            cells.append(char)
            looks.append(look)
        elif width == 2:
            cells += (char, "")
            looks += (look, look)
        elif cells:
            combine(cells, len(cells) - 1, char)


def combine(cells: list[str], at: int, char: str) -> None:
    """Add a character without width to the one before it."""
    if cells[at] == "" and at:
        at -= 1
    if len(cells[at]) < LONGEST_CELL:
        cells[at] += char


def runs_of(cells: list[str], looks: list[Attributes]) -> list[Run]:
    """Cells as text of one look each, trailing default blanks cut."""
    runs: list[Run] = []
    at = 0
    for look, group in groupby(looks):
        count = sum(1 for _ in group)
        runs.append(("".join(cells[at : at + count]), look))
        at += count
    if runs and runs[-1][1] == DEFAULT:
        text = runs.pop()[0].rstrip()
        if text:
            runs.append((text, DEFAULT))
    return runs


def kept_runs(kept: Kept, columns: int) -> list[Run]:
    """The runs of a line of scrollback."""
    if isinstance(kept, str):
        if "\x1b" not in kept:
            text = kept.rstrip()
            return [(text, DEFAULT)] if text else []
        return runs_of(*cells_of(kept, DEFAULT, columns))
    raw, rest = kept
    if isinstance(rest, Attributes):
        return runs_of(*cells_of(raw, rest, columns))
    return list(rest)


def kept_text(kept: Kept) -> str:
    """The text of a line of scrollback."""
    raw = kept if isinstance(kept, str) else kept[0]
    return (SGR.sub("", raw) if "\x1b" in raw else raw).rstrip()
