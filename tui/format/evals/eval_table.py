"""Formats the report of an evaluation as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting.columns import columns_of
from sandbox_tui.core.evals.reporting.facts import facts, remarks, title
from sandbox_tui.core.evals.reporting.methods import METHODS
from sandbox_tui.core.evals.reporting.outcomes import NO_ANSWER
from sandbox_tui.core.evals.reporting.statistics import Estimate
from sandbox_tui.core.evals.reporting.table import EvalTable
from sandbox_tui.core.evals.reporting.unsolved import MAX_UNSOLVED, Unsolved, left_out
from sandbox_tui.tui.format.column_blocks import (
    MIN_WIDTH,
    Line,
    as_text,
    blocks,
    cut,
    named,
    plain,
    wrapped,
)
from sandbox_tui.tui.format.titles import cut_title

EXPLAINS = "--explain says how each figure is computed."


def report_text(
    table: EvalTable, width: int, *, explain: bool = False, unsolved: Sequence[Unsolved] = ()
) -> str:
    """Return the whole report in lines of at most `width` cells, or `MIN_WIDTH` if that is more."""
    return as_text(report_lines(table, width, explain=explain, unsolved=unsolved))


def report_lines(
    table: EvalTable, width: int, *, explain: bool = False, unsolved: Sequence[Unsolved] = ()
) -> list[Line]:
    """Return the lines of `report_text`, with their kinds.

    Args:
        table: the evaluation.
        width: columns.
        explain: whether to say how each figure is computed, instead of how to see that.
        unsolved: the tasks to list as not solved.
    """
    width = max(MIN_WIDTH, width)
    notes = [line for name, value in facts(table) for line in named(name, value, width)]
    notes.append("")
    for name, method in METHODS if explain else ():
        notes += named(name, method, width)
    if not explain:
        notes += wrapped(EXPLAINS, width)
    head = plain([cut(title(table.info), width), ""])
    outcome = [*outcome_lines(table, width), *unsolved_lines(unsolved, width)]
    return [*head, *outcome, *plain(notes)]


def outcome_lines(table: EvalTable, width: int) -> list[Line]:
    """Return the table and the remarks on its figures, in lines of at most `width` cells."""
    width = max(MIN_WIDTH, width)
    made: list[Line] = []
    for lines in table_blocks(table, width):
        made += [*lines, *plain([""])]
    return [*made, *plain(line for text in remarks(table) for line in wrapped(text, width))]


def table_blocks(table: EvalTable, width: int) -> Iterator[list[Line]]:
    """Return the table in blocks of at most `width` cells, each with its head."""
    names, kinds = [("domain", "mode")], ["head"]
    cells = [cell for row in table.rows_and_total for cell in row.cells]
    for row in table.rows_and_total:
        for at, cell in enumerate(row.cells):
            names.append((sanitize_line(row.domain) if at == 0 else "", cell.mode))
            kinds.append(kind_of(cell.difference))
    columns = [
        [column.title, *(column.show(cell) for cell in cells)] for column in columns_of(table)
    ]
    return blocks(names, columns, kinds, width)


def kind_of(difference: Estimate | None) -> str:
    """Return the kind of a line: the certainty of its difference, or `baseline` without one."""
    return "baseline" if difference is None else difference.certainty


def unsolved_lines(found: Sequence[Unsolved], width: int) -> list[Line]:
    """Return two lines for each task, below a heading; none if all are solved.

    Args:
        found: the tasks.
        width: columns.
    """
    if not found:
        return []
    made = ["not solved:"]
    for one in found[:MAX_UNSOLVED]:
        asked = f": {one.question}" if one.question else ""
        made.append(f"  {one.sample.task} {one.sample.mode}{asked}")
        why = f" ({one.why})" if one.why else ""
        expected = f", expected {one.expected}" if one.expected else ""
        has_answer = one.answer != NO_ANSWER
        answer = f"answer {_short(one.answer, width // 3)}" if has_answer else NO_ANSWER
        made.append(f"    {answer}{expected}{why}")
    made += filter(None, [left_out(found)])
    return plain([*(cut(sanitize_line(line), width) for line in made), ""])


def _short(text: str, chars: int) -> str:
    """Cut an answer, which may be a whole text, to leave room for what was expected."""
    return cut_title(text, chars)
