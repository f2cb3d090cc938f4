"""Formats the comparison of two evaluations as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.comparison import EvalComparison, ScoreChange
from sandbox_tui.core.evals.reporting.comparison_words import (
    PAIRED_COLUMNS,
    PAIRED_METHODS,
    asked_differently,
    changes_remark,
    domains_remark,
    paired_facts,
    paired_title,
    paired_warning,
    short_facts,
    unpaired_remarks,
)
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
from sandbox_tui.tui.format.evals.eval_table import kind_of

MAX_CHANGES = 40
"""Maximum number of tasks listed whose scores differ."""


HOW = "difference: right minus left, on tasks with a score in both, with its 95 % interval"
"""What the column `difference` shows; `PAIRED_METHODS` says more."""


def comparison_text(found: EvalComparison, width: int, *, explain: bool = False) -> str:
    """Return the whole comparison in lines of at most `width` cells, or `MIN_WIDTH` if that is
    more."""
    return as_text(comparison_lines(found, width, explain=explain))


def comparison_lines(
    found: EvalComparison, width: int, *, explain: bool = False, most_changes: int = MAX_CHANGES
) -> list[Line]:
    """Return the lines of `comparison_text`, with their kinds.

    Args:
        found: the comparison.
        width: columns.
        explain: whether to add everything known about both, and how each figure is computed.
        most_changes: number of tasks listed whose scores differ, which come last without `explain`.
    """
    width = max(MIN_WIDTH, width)
    made = plain([cut(paired_title(found), width)])
    for name, value in short_facts(found):
        made += plain(named(name, value, width))
    warnings = [*asked_differently(found), *filter(None, [paired_warning(found)])]
    made += [Line("", line, "worse") for one in warnings for line in wrapped(one, width)]
    made += plain([""])
    if not paired_warning(found):
        for lines in _blocks(found, width):
            made += [*lines, *plain([""])]
        made += plain(_below(found, width, most_changes))
    return [*made, *plain(_explanation(found, width))] if explain else _without_end(made)


def _below(found: EvalComparison, width: int, most_changes: int) -> list[str]:
    """Return the remarks below the table."""
    made = wrapped(f"{HOW}.", width)
    if without := [cell for cell in found.cells if cell.difference is None]:
        names = ", ".join(f"{cell.domain} {cell.mode}" for cell in without)
        made += wrapped(sanitize_line(f"No task has a score in both: {names}."), width)
    for remark in (*unpaired_remarks(found), domains_remark(found), changes_remark(found)):
        made += wrapped(remark, width) if remark else []
    for change in found.changes[:most_changes]:
        made.append(cut(_change(change), width))
    if len(found.changes) > most_changes:
        made.append(f"  and {len(found.changes) - most_changes} more")
    return made


def _explanation(found: EvalComparison, width: int) -> list[str]:
    made = [""]
    for name, value in (*paired_facts(found), *PAIRED_METHODS):
        made += named(name, value, width)
    return made


def _without_end(lines: list[Line]) -> list[Line]:
    """Return the lines without an empty last one."""
    return lines[:-1] if lines and not lines[-1].text else lines


def _blocks(found: EvalComparison, width: int) -> Iterator[list[Line]]:
    """Yield the table, without lines and columns that contain no figures."""
    cells = [cell for cell in found.cells if cell.difference is not None]
    names = [("domain", "mode"), *((sanitize_line(c.domain), c.mode) for c in cells)]
    columns = [
        [column.title, *shown]
        for column in PAIRED_COLUMNS
        if not set(shown := [column.show(cell) for cell in cells]) <= {figures.NONE, "0"}
    ]
    kinds = ["head", *(kind_of(cell.difference) for cell in cells)]
    return blocks(names, columns, kinds, width)


def _change(change: ScoreChange) -> str:
    scores = f"{figures.points(change.before)} → {figures.points(change.after)}"
    words = f"{change.mode}  {change.domain}  {change.task}"
    return f"  {'+' if change.is_better else '-'} {scores}  {sanitize_line(words)}"
