"""Plots of the report: an SVG strip per domain, in a grid of names, strips and figures.

Strips stretch to the available width (`preserveAspectRatio="none"`); lines keep their thickness
(`vector-effect`), and a dot is a line of length zero.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.table import Cell, EvalTable
from sandbox_tui.core.evals.sample import EvalMode

STRIP_HEIGHT = 10
"""Height per mode, in units of the strip's view box; its width is 100."""

STRIP_PIXELS = 15


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with one strip for every cell.

    Attributes:
        title: what it shows.
        why_none: why no cell has a value, if none has.
        draw: the marks of a cell at a vertical position, given the largest value of all cells.
        value: of a cell; None if it has none.
        show: formats a value.
        ticks: labels below the axis from left to right, given the largest value.
    """

    title: str
    why_none: str
    draw: Callable[[Cell, float, float], str]
    value: Callable[[Cell], float | None]
    show: Callable[[Cell], str]
    ticks: Callable[[float], Sequence[str]]


def plots(table: EvalTable) -> Iterator[str]:
    """Yield the plots that have values, as HTML."""
    for plot in _PLOTS:
        if _has_values(plot, table):
            yield _plot(plot, table)


def left_out(table: EvalTable) -> list[str]:
    """Return a sentence for each plot that has no values."""
    return [
        f"No chart of {plot.title}: {plot.why_none}."
        for plot in _PLOTS
        if not _has_values(plot, table)
    ]


def _has_values(plot: Plot, table: EvalTable) -> bool:
    cells = (cell for row in table.rows_and_total for cell in row.cells)
    return any(plot.value(cell) is not None for cell in cells)


def legend(modes: Sequence[EvalMode]) -> str:
    """Return the legend of the modes' colours."""
    items = (f'<span class="{colour(mode)}"><i></i>{mode}</span>' for mode in modes)
    return f'<p class="legend">{"".join(items)}</p>'


def colour(mode: EvalMode) -> str:
    """Return the CSS class of a mode's colour."""
    return f"mode-{mode}"


def _plot(plot: Plot, table: EvalTable) -> str:
    rows = table.rows_and_total
    values = [plot.value(cell) for row in rows for cell in row.cells]
    most = max((value for value in values if value is not None), default=0.0) or 1.0
    lines = [_row(plot, row.domain, row.cells, most) for row in rows]
    ticks = "".join(f"<span>{html.escape(tick)}</span>" for tick in plot.ticks(most))
    return (
        f'<figure class="plot"><figcaption>{plot.title}</figcaption>{"".join(lines)}'
        f'<div class="axis">{ticks}</div></figure>'
    )


def _row(plot: Plot, domain: str, cells: Sequence[Cell], most: float) -> str:
    height = STRIP_HEIGHT * len(cells)
    grid = "".join(f'<path class="grid" d="M{x} 0V{height}"/>' for x in (0, 25, 50, 75, 100))
    marks = "".join(
        f'<g class="{colour(cell.mode)}">{plot.draw(cell, STRIP_HEIGHT * (at + 0.5), most)}</g>'
        for at, cell in enumerate(cells)
    )
    name = html.escape(sanitize_line(domain))
    words = "".join(
        f'<span class="{colour(cell.mode)}">{html.escape(plot.show(cell))}</span>' for cell in cells
    )
    label = html.escape(
        sanitize_line(
            f"{plot.title}, {domain}: "
            + "; ".join(f"{cell.mode} {plot.show(cell)}" for cell in cells)
        )
    )
    return (
        f'<div class="name" title="{name}">{name}</div>'
        f'<svg viewBox="0 0 100 {height}" height="{STRIP_PIXELS * len(cells)}" '
        f'preserveAspectRatio="none" role="img" aria-label="{label}">{grid}{marks}</svg>'
        f'<div class="figure">{words}</div>'
    )


def _interval(cell: Cell, y: float, _: float) -> str:
    if cell.score is None:
        return ""
    x = 100 * cell.score.value
    dot = f'<path class="dot" d="M{x:.2f} {y:g}h0"/>'
    if cell.score.low is None or cell.score.high is None:
        return dot
    low, high = 100 * cell.score.low, 100 * cell.score.high
    return f'<path class="range" d="M{low:.2f} {y:g}H{high:.2f}"/>{dot}'


def _bar(value: Callable[[Cell], float | None]) -> Callable[[Cell, float, float], str]:
    def draw(cell: Cell, y: float, most: float) -> str:
        found = value(cell)
        end = 100 * found / most if found else 0
        return f'<path class="bar" d="M0 {y:g}H{end:.2f}"/>' if end else ""

    return draw


def _score(cell: Cell) -> float | None:
    return None if cell.score is None else cell.score.value


def _tokens(cell: Cell) -> float | None:
    return cell.tokens


def _steps(cell: Cell) -> float | None:
    return cell.steps


def _pace(cell: Cell) -> float | None:
    return cell.per_minute


def _from_zero(show: Callable[[float], str]) -> Callable[[float], Sequence[str]]:
    return lambda most: ("0", show(most / 2), show(most))


_PLOTS = (
    Plot(
        "score, %",
        "no sample has a score",
        _interval,
        _score,
        lambda cell: figures.NONE if cell.score is None else figures.points(cell.score.value),
        lambda _: ("0", "25", "50", "75", "100"),
    ),
    Plot(
        "tokens a query",
        "no sample has ended",
        _bar(_tokens),
        _tokens,
        lambda cell: figures.count(cell.tokens),
        _from_zero(figures.count),
    ),
    Plot(
        "steps",
        "no sample has ended",
        _bar(_steps),
        _steps,
        lambda cell: figures.mean(cell.steps),
        _from_zero(figures.mean),
    ),
    Plot(
        "queries a minute",
        "in no mode did the samples run for a minute",
        _bar(_pace),
        _pace,
        lambda cell: figures.mean(cell.per_minute),
        _from_zero(figures.mean),
    ),
)
