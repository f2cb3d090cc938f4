"""The report of an evaluation in a terminal: lines of plain text, and its table in colour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting.columns import columns_of
from sandbox_tui.core.evals.reporting.facts import facts, remarks, title
from sandbox_tui.core.evals.reporting.methods import METHODS
from sandbox_tui.core.evals.reporting.statistics import Estimate
from sandbox_tui.core.evals.reporting.table import EvalTable
from sandbox_tui.tui.format.dealt_columns import MIN_WIDTH, Line, blocks, cut, named, wrapped

STYLES = {"head": "dim", "better": "green", "worse": "red"}
"""By the kind of a line."""


def report_text(table: EvalTable, width: int) -> str:
    """The whole report as lines of at most `width` cells; below `MIN_WIDTH` as if it were that."""
    width = max(MIN_WIDTH, width)
    made = [cut(title(table.info), width), "", *outcome_lines(table, width)]
    for name, value in facts(table):
        made += named(name, value, width)
    made.append("")
    for name, method in METHODS:
        made += named(name, method, width)
    return "\n".join(made)


def outcome_lines(table: EvalTable, width: int) -> list[str]:
    """The table and what its figures leave out, as lines of at most `width` cells."""
    width = max(MIN_WIDTH, width)
    made: list[str] = []
    for lines in table_blocks(table, width):
        made += [*(f"{line.front}{line.text}".rstrip() for line in lines), ""]
    for remark in remarks(table):
        made += wrapped(remark, width)
    return made


@dataclass(frozen=True, slots=True)
class EvalRenderable:
    """The table as a Rich renderable, as wide as it is given room."""

    table: EvalTable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield its lines."""
        for lines in table_blocks(self.table, options.max_width):
            for line in lines:
                text = Text(line.front, no_wrap=True, overflow="ellipsis")
                yield text.append(line.text.rstrip(), STYLES.get(line.kind, ""))
            yield Text()


def table_blocks(table: EvalTable, width: int) -> Iterator[list[Line]]:
    """The table in blocks of at most `width` cells, each with its head."""
    names, kinds = [("domain", "mode")], ["head"]
    cells = [cell for row in (*table.rows, table.total) for cell in row.cells]
    for row in (*table.rows, table.total):
        for at, cell in enumerate(row.cells):
            names.append((sanitize_line(row.domain) if at == 0 else "", cell.mode))
            kinds.append(kind_of(cell.difference))
    columns = [
        [column.title, *(column.show(cell) for cell in cells)] for column in columns_of(table)
    ]
    return blocks(names, columns, kinds, width)


def kind_of(difference: Estimate | None) -> str:
    """The kind of a line: what the interval of its difference tells, `baseline` where there is
    none."""
    return "baseline" if difference is None else difference.certainty
