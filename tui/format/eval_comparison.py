"""Formats the comparison of two evaluations as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.comparison import EvalComparison, Flip
from sandbox_tui.core.evals.reporting.comparison_words import (
    PAIRED_COLUMNS,
    PAIRED_METHODS,
    paired_facts,
    paired_remarks,
    paired_title,
    paired_warning,
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
from sandbox_tui.tui.format.eval_table import kind_of

MAX_FLIPS = 40
"""Maximum number of flipped tasks listed, gained and lost ones together."""


def comparison_text(found: EvalComparison, width: int) -> str:
    """Return the whole comparison in lines of at most `width` cells, or `MIN_WIDTH` if that is
    more."""
    return as_text(comparison_lines(found, width))


def comparison_lines(found: EvalComparison, width: int) -> list[Line]:
    """Return the lines of `comparison_text`, with their kinds."""
    width = max(MIN_WIDTH, width)
    made = plain([cut(paired_title(found), width), ""])
    if warning := paired_warning(found):
        made += plain([*wrapped(warning, width), ""])
    for lines in _blocks(found, width) if found.common else ():
        made += [*lines, *plain([""])]
    return [*made, *plain(_below(found, width))]


def _below(found: EvalComparison, width: int) -> list[str]:
    """Return the remarks below the table."""
    made: list[str] = []
    for remark in paired_remarks(found):
        made += wrapped(remark, width)
    for flip in found.flips[:MAX_FLIPS]:
        made.append(cut(_flip(flip), width))
    if len(found.flips) > MAX_FLIPS:
        made.append(f"  and {len(found.flips) - MAX_FLIPS} more")
    made.append("")
    for name, value in (*paired_facts(found), *PAIRED_METHODS):
        made += named(name, value, width)
    return made


def _blocks(found: EvalComparison, width: int) -> Iterator[list[Line]]:
    names = [("domain", "mode"), *((sanitize_line(c.domain), c.mode) for c in found.cells)]
    columns = [
        [column.title, *(column.show(cell) for cell in found.cells)] for column in PAIRED_COLUMNS
    ]
    kinds = ["head", *(kind_of(cell.difference) for cell in found.cells)]
    return blocks(names, columns, kinds, width)


def _flip(flip: Flip) -> str:
    scores = f"{figures.points(flip.before)} → {figures.points(flip.after)}"
    words = f"{flip.mode}  {flip.domain}  {flip.task}"
    return f"  {'+' if flip.gained else '-'} {scores}  {sanitize_line(words)}"
