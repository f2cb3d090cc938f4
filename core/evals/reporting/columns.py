"""Columns of the table of domains by modes: the same in every report format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sandbox_tui.core.evals.meta_capabilities.capability import CAPABILITIES, Capability
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.table import Cell, EvalTable


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        title: a short title in lower case.
        show: formats the value of a cell.
    """

    title: str
    show: Callable[[Cell], str]


_RESULTS = (
    Column("done", lambda cell: f"{cell.over}/{cell.samples}"),
    Column("score %", lambda cell: figures.score(cell.score)),
    Column("difference", lambda cell: figures.difference(cell.difference)),
)
_EFFORT = (
    Column("tokens", lambda cell: figures.tokens(cell.tokens, estimated=cell.estimated > 0)),
    Column("ratio", lambda cell: figures.ratio(cell.tokens_ratio)),
    Column("generated", lambda cell: figures.share(cell.generated)),
    Column("q/min", lambda cell: figures.mean(cell.per_minute)),
    Column("q/min ratio", lambda cell: figures.ratio(cell.per_minute_ratio)),
    Column("seconds", lambda cell: figures.mean(cell.seconds)),
    Column("scoring s", lambda cell: figures.mean(cell.scoring_seconds)),
    Column("steps", lambda cell: figures.mean(cell.steps)),
)
_COST = Column("cost", lambda cell: figures.dollars(cell.cost) + ("+" if _part_known(cell) else ""))
_LOST = Column("no score", lambda cell: str(cell.unscored + cell.failed))
_MEMORY = (
    Column("idle", lambda cell: figures.megabytes(cell.memory_idle)),
    Column("peak", lambda cell: figures.megabytes(cell.memory_peak)),
)
CAPABILITY_TITLES: dict[Capability, str] = {
    "external": "went online",
    "files": "used files",
    "computation": "computed",
}


def columns_of(table: EvalTable) -> tuple[Column, ...]:
    """Return the columns that have data for this evaluation, in order."""
    cells = [cell for row in (*table.rows, table.total) for cell in row.cells]
    made = [*_RESULTS, *_EFFORT]
    if any(cell.cost is not None for cell in cells):
        made.append(_COST)
    if any(cell.unscored or cell.failed for cell in cells):
        made.append(_LOST)
    if any(cell.memory_peak is not None for cell in cells):
        made.extend(_MEMORY)
    if any(cell.capabilities for cell in cells):
        made.extend(_capability(name) for name in CAPABILITIES)
    return tuple(made)


def _part_known(cell: Cell) -> bool:
    return cell.cost is not None and cell.cost_unknown > 0


def _capability(name: Capability) -> Column:
    title = CAPABILITY_TITLES[name]
    return Column(title, lambda cell: figures.share(cell.capabilities.get(name)))
