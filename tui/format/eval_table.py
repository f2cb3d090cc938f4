"""The report of an evaluation in a terminal: lines of plain text, and the same in colour.

The columns of the table are dealt into as many blocks as the width needs, each with the domains and
modes in front.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting.columns import Column, columns_of
from sandbox_tui.core.evals.reporting.facts import facts, remarks, title
from sandbox_tui.core.evals.reporting.methods import METHODS
from sandbox_tui.core.evals.reporting.table import Cell, EvalTable

GAP = "  "
MAX_DOMAIN_CHARS = 16
MIN_WIDTH = 40


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table.

    Attributes:
        front: domain and mode, as wide as in every line of its block.
        text: the columns.
        kind: `head`, `baseline`, `better`, `worse` or `even`, as the interval of its difference
            tells.
    """

    front: str
    text: str
    kind: str


def report_text(table: EvalTable, width: int) -> str:
    """The whole report as lines of at most `width` cells; below `MIN_WIDTH` as if it were that."""
    width = max(MIN_WIDTH, width)
    made = [_cut(title(table.info), width), ""]
    for lines in blocks(table, width):
        made += [*(f"{line.front}{line.text}".rstrip() for line in lines), ""]
    for remark in remarks(table):
        made += _wrapped(remark, width)
    for name, value in facts(table):
        made += _named(name, value, width)
    made.append("")
    for name, method in METHODS:
        made += _named(name, method, width)
    return "\n".join(made)


@dataclass(frozen=True, slots=True)
class EvalRenderable:
    """The table as a Rich renderable, as wide as it is given room."""

    table: EvalTable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield its lines."""
        styles = {"head": "dim", "better": "green", "worse": "red"}
        for lines in blocks(self.table, max(MIN_WIDTH, options.max_width)):
            for line in lines:
                text = Text(line.front, no_wrap=True, overflow="ellipsis")
                yield text.append(line.text.rstrip(), styles.get(line.kind, ""))
            yield Text()


def blocks(table: EvalTable, width: int) -> Iterator[list[Line]]:
    """The table in blocks of at most `width` cells, each with its head."""
    fronts, cells = _fronts(table)
    room = max(1, width - cell_len(fronts[0]))
    kinds = ["head", *map(_kind, cells)]
    for columns in _dealt(columns_of(table), cells, room):
        texts = _aligned(columns, cells)
        yield [
            Line(front, _cut(text, room), kind)
            for front, text, kind in zip(fronts, texts, kinds, strict=True)
        ]


def _fronts(table: EvalTable) -> tuple[list[str], list[Cell]]:
    """The beginnings of all lines, the head's first, and the cell of each but the head."""
    names, cells = [("domain", "mode")], list[Cell]()
    for row in (*table.rows, table.total):
        for at, cell in enumerate(row.cells):
            domain = _cut(sanitize_line(row.domain), MAX_DOMAIN_CHARS) if at == 0 else ""
            names.append((domain, cell.mode))
            cells.append(cell)
    wide, mode = (max(cell_len(name[at]) for name in names) for at in (0, 1))
    return [f"{set_cell_size(a, wide)}{GAP}{b:<{mode}}" for a, b in names], cells


def _dealt(
    columns: Sequence[Column], cells: Sequence[Cell], room: int
) -> Iterator[Sequence[Column]]:
    """The columns in groups that fit; a column that is too wide is a group of its own."""
    group: list[Column] = []
    used = 0
    for column in columns:
        wide = len(GAP) + max(len(text) for text in _texts(column, cells))
        if group and used + wide > room:
            yield group
            group, used = [], 0
        group.append(column)
        used += wide
    yield group


def _aligned(columns: Sequence[Column], cells: Sequence[Cell]) -> list[str]:
    made = [""] * (1 + len(cells))
    for column in columns:
        texts = _texts(column, cells)
        wide = max(map(len, texts))
        made = [f"{line}{GAP}{text:>{wide}}" for line, text in zip(made, texts, strict=True)]
    return made


def _texts(column: Column, cells: Sequence[Cell]) -> list[str]:
    return [column.title, *(column.show(cell) for cell in cells)]


def _kind(cell: Cell) -> str:
    if cell.difference is None:
        return "baseline"
    if not cell.difference.excludes_zero:
        return "even"
    return "better" if cell.difference.value > 0 else "worse"


def _named(name: str, value: str, width: int) -> list[str]:
    return _wrapped(f"{name}: {value}", width)


def _wrapped(text: str, width: int) -> list[str]:
    lines = textwrap.wrap(text, width, subsequent_indent=GAP)
    return [piece for line in lines for piece in chop_cells(line, width)]


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return f"{set_cell_size(text, max(0, width - 1))}…"
