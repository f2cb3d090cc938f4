"""The comparison of two evaluations as text: its columns, facts and remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sandbox_tui.core.base.cut_text import cut_text
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.comparison import EvalComparison, PairedCell
from sandbox_tui.core.evals.reporting.evaluation_differences import differences
from sandbox_tui.core.evals.reporting.methods import METHODS
from sandbox_tui.core.evals.reporting.suite_differences import NO_COMMON_TASK


@dataclass(frozen=True, slots=True)
class PairedColumn:
    """A column.

    Attributes:
        title: a short title.
        show: formats the value of a cell.
    """

    title: str
    show: Callable[[PairedCell], str]


MAX_UNPAIRED = 10
"""Maximum number of tasks named that have a score in only one evaluation."""

MAX_TASK_CHARS = 40

PAIRED_COLUMNS = (
    PairedColumn("tasks", lambda cell: str(cell.difference.tasks if cell.difference else 0)),
    PairedColumn("left %", lambda cell: figures.score(cell.left)),
    PairedColumn("right %", lambda cell: figures.score(cell.right)),
    PairedColumn("difference", lambda cell: figures.difference(cell.difference)),
    PairedColumn("tokens ratio", lambda cell: figures.ratio(cell.tokens_ratio)),
    PairedColumn("unpaired", lambda cell: str(cell.unpaired)),
)

PAIRED_METHODS = (
    (
        "Pairs",
        "Left, right and difference are over the tasks that have a score in both; unpaired are "
        "tasks that have one in only one of them. The difference is right minus left; the ratio "
        "of tokens is right divided by left, on the tasks that ended in both.",
    ),
    (
        "Better and worse",
        "Tasks whose mean score is higher or lower on the right, by any amount. With few samples "
        "or a temperature above 0, chance alone changes some.",
    ),
    *(method for method in METHODS if method[0] in ("Intervals", "Resampling", "Tokens a query")),
)
"""Names of figures, and how they are computed."""


def paired_title(found: EvalComparison) -> str:
    """Return a one-line title of the comparison."""
    left, right = found.left, found.right
    if left.suite == right.suite and left.model == right.model:
        return sanitize_line(f"{left.suite} · {left.model}")
    if left.suite == right.suite:
        return sanitize_line(f"{left.suite} · {left.model} and {right.model}")
    return sanitize_line(f"{left.suite} · {left.model} and {right.suite} · {right.model}")


def paired_warning(found: EvalComparison) -> str:
    """Return what to know before any figure: why nothing can be paired; empty if something can."""
    if not found.common:
        return NO_COMMON_TASK
    if not found.cells:
        return "They have no mode in common."
    if not any(cell.difference for cell in found.cells):
        return f"No task has a score in both yet; {_tasks(found.common)} in common."
    return ""


def paired_facts(found: EvalComparison) -> list[tuple[str, str]]:
    """Return the side and the description of each evaluation."""
    both = (("left", found.left), ("right", found.right))
    return [(side, sanitize_line(", ".join(_facts(info)))) for side, info in both]


def _facts(info: EvalInfo) -> Iterator[str]:
    yield from (info.id, f"{info.suite} {info.tasks_digest or info.digest}", info.model)
    yield from (f"{name} {value}" for name, value in info.shown_params.items())
    yield from (figures.moment(info.began_at), info.command)


def short_facts(found: EvalComparison) -> list[tuple[str, str]]:
    """Return the side, and in short which evaluation it is and what it has that the other has
    not."""
    pair = (found.left, found.right)
    return [
        (side, sanitize_line(", ".join(filter(None, (info.id, own)))))
        for side, info, own in zip(("left", "right"), pair, differences(pair), strict=True)
    ]


def asked_differently(found: EvalComparison) -> list[str]:
    """Return sentences: what they did not ask in the same way."""
    return [words for words in found.differences if words != NO_COMMON_TASK]


def changes_remark(found: EvalComparison) -> str:
    """Return how many tasks have another score; empty if none can be compared."""
    if paired_warning(found):
        return ""
    if not found.changes:
        return "Every task has the same score in both."
    better = sum(change.is_better for change in found.changes)
    worse = len(found.changes) - better
    return f"{_tasks(worse)} worse on the right, {_tasks(better)} better on the right."


def domains_remark(found: EvalComparison) -> str:
    """Return in which rows tasks are whose domain differs; empty if there are none."""
    if not found.moved or paired_warning(found):
        return ""
    have, count = ("has", "counts") if found.moved == 1 else ("have", "count")
    return (
        f"{_tasks(found.moved)} {have} another domain on the right and {count} towards the left "
        "one, or the only one."
    )


def unpaired_remarks(found: EvalComparison) -> list[str]:
    """Return sentences that name the tasks with a score in only one evaluation, by mode."""
    if paired_warning(found):
        return []
    whole = {cell.mode: cell for cell in found.cells}.values()  # the last one covers all domains
    return [
        sanitize_line(f"{cell.mode}: {_named(tasks)} only on the {side}.")
        for cell in whole
        for side, tasks in (("left", cell.left_only), ("right", cell.right_only))
        if tasks
    ]


def _named(tasks: Sequence[str]) -> str:
    names = ", ".join(cut_text(task, MAX_TASK_CHARS) for task in tasks[:MAX_UNPAIRED])
    more = f" and {len(tasks) - MAX_UNPAIRED} more" if len(tasks) > MAX_UNPAIRED else ""
    return f"{names}{more} {'has' if len(tasks) == 1 else 'have'} a score"


def paired_remarks(found: EvalComparison) -> list[str]:
    """Return all sentences about a comparison."""
    remarks = [*unpaired_remarks(found), domains_remark(found), changes_remark(found)]
    return [*asked_differently(found), *filter(None, remarks)]


def _tasks(count: int) -> str:
    return f"{count} task" if count == 1 else f"{count} tasks"
