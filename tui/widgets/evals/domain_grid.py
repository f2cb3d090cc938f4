"""The table of domains and modes as lines of text, with as many columns as fit.

If there is room, each mode of a domain has its own line. Otherwise each domain has one line, with
the scores of its modes side by side. If columns do not fit, the last ones are dropped first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rich.cells import cell_len, set_cell_size

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.statistics import Estimate
from sandbox_tui.core.evals.reporting.table import Cell, EvalTable, Row
from sandbox_tui.core.evals.sample import EvalMode

GAP = 2
MAX_DOMAIN_CELLS = 40
WHOLE_NAME_CELLS = 12
"""Minimum width of the names, at which those of the built-in suite are whole."""

MIN_DOMAIN_CELLS = 8
"""Minimum width of the names where the difference would not fit otherwise."""

MAX_KIND_CELLS = 17
"""Maximum width of a kind of failure: "model unavailable" is whole."""

Kind = Literal["name", "mode", "figure", "dim", "better", "worse"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One cell: a value of a domain or of one of its modes.

    Attributes:
        text: a name or a number.
        kind: how it is drawn.
        interval: the number's confidence interval; empty if there is none.
    """

    text: str
    kind: Kind = "figure"
    interval: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """The table at one width.

    Attributes:
        head: the column titles.
        blocks: the lines of each row of the table, as cells.
        has_intervals: whether values are followed by their confidence intervals.
    """

    head: str
    blocks: tuple[tuple[tuple[Figure, ...], ...], ...]
    has_intervals: bool


@dataclass(frozen=True, slots=True)
class _Width:
    """Width of a column in cells, and how much of it the intervals take."""

    cells: int
    interval: int

    @classmethod
    def of(cls, title: str, figures: Sequence[Figure]) -> _Width:
        interval = max(len(figure.interval) for figure in figures)
        return cls(max(len(title), interval + max(len(f.text) for f in figures)), interval)


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    show: Callable[[Cell], Figure]


def rows_of(table: EvalTable) -> list[Row]:
    """Return the rows in display order: the total comes first, where it is always in view."""
    return [*table.rows] if len(table.rows) == 1 else [table.total, *table.rows]


def grid_by_mode(table: EvalTable, width: int) -> Grid:
    """Lay out one line for each mode of each domain."""
    rows = rows_of(table)
    fronts = [
        [_front(row.domain if at == 0 else "", cell.mode) for at, cell in enumerate(row.cells)]
        for row in rows
    ]
    has_cost = any(cell.cost is not None for cell in table.total.cells)
    columns = (_DONE, _SCORE, _DIFFERENCE, *((_COST,) if has_cost else ()), *_EFFORT)
    lines = [[[column.show(cell) for column in columns] for cell in row.cells] for row in rows]
    titles = [column.title for column in columns]
    return _fitted(("domain", "mode"), titles, fronts, lines, width)[0]


def grid_by_domain(table: EvalTable, width: int) -> Grid:
    """Lay out one line for each domain: the scores of its modes, their differences, the ratio of
    tokens.

    If that is too wide, the scores have no intervals; if it still is, names are cut.
    """
    others: list[EvalMode] = [mode for mode in table.modes if mode != table.info.baseline]
    several = len(others) > 1
    titles = ["done", *map(_short, table.modes)]
    titles += [f"{_short(mode)} diff" if several else "difference" for mode in others]
    titles += [f"{_short(mode)} tokens" if several else "tokens" for mode in others]
    rows = rows_of(table)
    fronts = [[(Figure(sanitize_line(row.domain), "name"),)] for row in rows]
    lines = [[_side_by_side(row, table.modes, others)] for row in rows]
    grid, kept = _fitted(("domain",), titles, fronts, lines, width)
    if kept < 1 + len(table.modes) + len(others):
        scores = range(1, 1 + len(table.modes))
        bare = [
            [[_bare(f) if at in scores else f for at, f in enumerate(line)]] for [line] in lines
        ]
        grid, kept = _fitted(("domain",), titles, fronts, bare, width)
        if kept < 1 + len(table.modes) + len(others):
            grid, _ = _fitted(("domain",), titles, fronts, bare, width, MIN_DOMAIN_CELLS)
    return grid


def _short(mode: EvalMode) -> str:
    """Return a mode as a column title."""
    return "context" if mode == "sandbox-context" else mode


def _side_by_side(row: Row, modes: Sequence[EvalMode], others: Sequence[EvalMode]) -> list[Figure]:
    cells = {cell.mode: cell for cell in row.cells}
    over, samples = (sum(getattr(c, n) for c in row.cells) for n in ("over", "samples"))
    return [
        Figure(f"{over}/{samples}", "dim"),
        *(_SCORE.show(cells[mode]) for mode in modes),
        *(_DIFFERENCE.show(cells[mode]) for mode in others),
        *(_RATIO.show(cells[mode]) for mode in others),
    ]


def _bare(figure: Figure) -> Figure:
    return replace(figure, interval="")


def _front(domain: str, mode: str) -> tuple[Figure, ...]:
    return Figure(sanitize_line(domain), "name"), Figure(mode, "mode")


def _fitted(
    front_titles: Sequence[str],
    titles: Sequence[str],
    fronts: Sequence[Sequence[tuple[Figure, ...]]],
    lines: Sequence[Sequence[Sequence[Figure]]],
    width: int,
    name_cells: int = WHOLE_NAME_CELLS,
) -> tuple[Grid, int]:
    """Return the grid with as many columns as fit beside names of `name_cells`, and their
    number."""
    every = [line for block in lines for line in block]
    wide = [_Width.of(title, [line[at] for line in every]) for at, title in enumerate(titles)]
    names = [front for block in fronts for front in block]
    others = [
        max(len(title), *(len(front[at].text) for front in names))
        for at, title in enumerate(front_titles)
        if at
    ]
    fixed = sum(GAP + cells for cells in others)
    widest = max(len(front_titles[0]), *(cell_len(front[0].text) for front in names))
    least = min(name_cells, widest)
    kept = len(wide)
    while kept > 1 and least + fixed + sum(GAP + column.cells for column in wide[:kept]) > width:
        kept -= 1
    free = width - fixed - sum(GAP + column.cells for column in wide[:kept])
    name = max(least, min(widest, MAX_DOMAIN_CELLS, free))
    sizes = [name, *others]
    head = "".join(_padded(front_titles, sizes)) + _row(titles[:kept], wide)
    blocks = tuple(
        tuple(
            (*_aligned_front(front, sizes), *_aligned(line[:kept], wide))
            for front, line in zip(front_block, block, strict=True)
        )
        for front_block, block in zip(fronts, lines, strict=True)
    )
    return Grid(head, blocks, any(column.interval for column in wide[:kept])), kept


def _padded(texts: Sequence[str], sizes: Sequence[int]) -> Iterator[str]:
    for at, (text, size) in enumerate(zip(texts, sizes, strict=True)):
        yield f"{' ' * GAP if at else ''}{cut(text, size)}"


def _aligned_front(front: Sequence[Figure], sizes: Sequence[int]) -> Iterator[Figure]:
    texts = _padded([figure.text for figure in front], sizes)
    for figure, text in zip(front, texts, strict=True):
        yield Figure(text, figure.kind)


def _aligned(line: Sequence[Figure], wide: Sequence[_Width]) -> Iterator[Figure]:
    for figure, column in zip(line, wide, strict=False):
        yield Figure(f"{figure.text:>{GAP + column.cells - column.interval}}", figure.kind)
        if column.interval:
            yield Figure(f"{figure.interval:<{column.interval}}", "dim")


def _row(texts: Sequence[str], wide: Sequence[_Width]) -> str:
    pairs = zip(texts, wide, strict=False)
    return "".join(f"{text:>{GAP + column.cells}}" for text, column in pairs)


def cut(text: str, cells: int) -> str:
    """Return a text cut or padded to exactly this number of cells."""
    if cell_len(text) <= cells:
        return set_cell_size(text, cells)
    return f"{set_cell_size(text, max(0, cells - 1))}…"


def _interval(found: Estimate, sign: str) -> str:
    """Return the ends of an interval in whole points, because they are no more precise than
    that."""
    if found.low is None or found.high is None:
        return f" {figures.NO_INTERVAL}"
    low, high = (f"{round(100 * end):{sign}d}" for end in (found.low, found.high))
    return f" {low}…{high}"


def _score(cell: Cell) -> Figure:
    if cell.score is None:
        return Figure(figures.NONE, "dim")
    return Figure(figures.points(cell.score.value), "figure", _interval(cell.score, ""))


def _difference(cell: Cell) -> Figure:
    found = cell.difference
    if found is None:
        return Figure(figures.NONE, "dim")
    kind: Kind = "figure" if found.certainty == "even" else found.certainty
    return Figure(figures.points(found.value, "+"), kind, _interval(found, "+"))


def _ratio(cell: Cell) -> Figure:
    return Figure(
        figures.ratio(cell.tokens_ratio), "dim" if cell.tokens_ratio is None else "figure"
    )


def _failures(cell: Cell) -> Figure:
    """Return the most frequent kind of failure, and the number of other failures."""
    if not cell.failures:
        return Figure(figures.NONE, "dim")
    (kind, count), *others = cell.failures
    more = sum(number for _, number in others)
    words = f"{count} {_shortened(sanitize_line(kind))}"
    return Figure(f"{words} +{more}" if more else words, "worse")


def _shortened(kind: str) -> str:
    return kind if cell_len(kind) <= MAX_KIND_CELLS else cut(kind, MAX_KIND_CELLS).rstrip()


_SCORE = _Column("score %", _score)
_DIFFERENCE = _Column("difference", _difference)
_DONE = _Column("done", lambda cell: Figure(f"{cell.over}/{cell.samples}", "dim"))
_RATIO = _Column("ratio", _ratio)
_COST = _Column("cost", lambda cell: Figure(figures.dollars(cell.cost)))
_EFFORT = (
    _Column("tokens", lambda c: Figure(figures.tokens(c.tokens, estimated=c.estimated > 0))),
    _RATIO,
    _Column("steps", lambda cell: Figure(figures.mean(cell.steps))),
    _Column("failures", _failures),
    _Column("seconds", lambda cell: Figure(figures.mean(cell.seconds))),
    _Column("calls", lambda cell: Figure(figures.mean(cell.calls))),
)
