"""Compares two evaluations on the same tasks: two models, or two checkpoints of one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting.outcomes import (
    NO_DOMAIN,
    domain_of,
    has_ended,
    has_score,
    tokens_of,
)
from sandbox_tui.core.evals.reporting.statistics import (
    Estimate,
    mean_score,
    paired_difference,
    paired_ratio,
    task_means,
)
from sandbox_tui.core.evals.reporting.table import ALL_DOMAINS, scores_by_task
from sandbox_tui.core.evals.sample import EVAL_MODES, EvalMode, SampleResult

SAME_SCORE = 1e-9
"""Largest difference of two mean scores that is only rounding."""


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A task whose mean scores in two evaluations differ.

    Attributes:
        mode, domain, task: identify the task.
        before, after: mean scores in the left and the right evaluation.
        left_run, right_run: the sessions whose scores differ most; empty if there is none.
    """

    mode: EvalMode
    domain: str
    task: str
    before: float
    after: float
    left_run: str = ""
    right_run: str = ""

    @property
    def is_better(self) -> bool:
        """Whether the score is higher in the right evaluation."""
        return self.after > self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCell:
    """One domain in one mode, compared on the tasks that have a score in both evaluations.

    Attributes:
        domain, mode: identify the cell.
        left, right: mean scores.
        difference: right minus left.
        tokens_ratio: tokens per sample, right divided by left, on the tasks that ended in both.
        left_only, right_only: tasks with a score in only one evaluation, sorted.
    """

    domain: str
    mode: EvalMode
    left: Estimate | None
    right: Estimate | None
    difference: Estimate | None
    tokens_ratio: float | None
    left_only: tuple[str, ...] = ()
    right_only: tuple[str, ...] = ()

    @property
    def unpaired(self) -> int:
        """Number of tasks with a score in only one evaluation."""
        return len(self.left_only) + len(self.right_only)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalComparison:
    """Two evaluations, paired by task.

    Attributes:
        left, right: the two evaluations.
        cells: by domain and mode; the last ones cover all domains, if there are several.
        changes: tasks whose scores differ: those that are worse on the right, then those that are
            better, the largest change first.
        common: number of tasks that both have, with or without a score.
        moved: number of these whose domain differs; they count towards the left one's, or towards
            the only one that they have.
        differences: sentences about what they did not ask in the same way (`suite_differences`).
    """

    left: EvalInfo
    right: EvalInfo
    cells: tuple[PairedCell, ...]
    changes: tuple[ScoreChange, ...]
    common: int
    moved: int = 0
    differences: tuple[str, ...] = ()


_Group = tuple[str, EvalMode]


def compare_evals(
    left: EvalInfo,
    left_results: Sequence[SampleResult],
    right: EvalInfo,
    right_results: Sequence[SampleResult],
    differences: tuple[str, ...] = (),
) -> EvalComparison:
    """Pair two evaluations by task and mode; modes that only one of them has are omitted."""
    lefts, rights = _domains(left_results), _domains(right_results)
    paired = _paired_domains(lefts, rights)
    before, after = _grouped(left_results, paired), _grouped(right_results, paired)
    both = {mode for _, mode in before} & {mode for _, mode in after}
    groups = sorted(
        (group for group in before.keys() | after.keys() if group[1] in both),
        key=lambda group: (group[0] == ALL_DOMAINS, group[0], EVAL_MODES.index(group[1])),
    )
    domains = [group for group in groups if group[0] != ALL_DOMAINS]
    shown = domains if len({domain for domain, _ in domains}) == 1 else groups
    changes = [change for group in domains for change in _changes(group, before, after)]
    return EvalComparison(
        left=left,
        right=right,
        cells=tuple(_cell(group, before.get(group, []), after.get(group, [])) for group in shown),
        changes=tuple(sorted(changes, key=_place)),
        common=len(lefts.keys() & rights.keys()),
        moved=sum(lefts[task] != rights[task] for task in lefts.keys() & rights.keys()),
        differences=differences,
    )


def _domains(results: Iterable[SampleResult]) -> dict[str, str]:
    """Return the domain of each task."""
    return {result.task: domain_of(result) for result in results}


def _paired_domains(left: Mapping[str, str], right: Mapping[str, str]) -> dict[str, str]:
    """Return the domain of each task in both evaluations: the left one, or the only one."""
    named = {task: domain for task, domain in left.items() if domain != NO_DOMAIN}
    return {**left, **right, **named}


def _grouped(
    results: Iterable[SampleResult], domains: Mapping[str, str]
) -> dict[_Group, list[SampleResult]]:
    groups: defaultdict[_Group, list[SampleResult]] = defaultdict(list)
    for result in results:
        for domain in {domains[result.task], ALL_DOMAINS}:
            groups[domain, result.mode].append(result)
    return groups


def _cell(group: _Group, left: Sequence[SampleResult], right: Sequence[SampleResult]) -> PairedCell:
    before, after = scores_by_task(left), scores_by_task(right)
    both = before.keys() & after.keys()
    return PairedCell(
        domain=group[0],
        mode=group[1],
        left=mean_score({task: before[task] for task in both}),
        right=mean_score({task: after[task] for task in both}),
        difference=paired_difference(before, after),
        tokens_ratio=paired_ratio(_tokens(left), _tokens(right)),
        left_only=tuple(sorted(before.keys() - after.keys())),
        right_only=tuple(sorted(after.keys() - before.keys())),
    )


def _tokens(results: Iterable[SampleResult]) -> dict[str, list[float]]:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for result in filter(has_ended, results):
        found[result.task].append(tokens_of(result))
    return found


def _changes(
    group: _Group,
    before: Mapping[_Group, Sequence[SampleResult]],
    after: Mapping[_Group, Sequence[SampleResult]],
) -> Iterable[ScoreChange]:
    left, right = before.get(group, []), after.get(group, [])
    then, now = task_means(scores_by_task(left)), task_means(scores_by_task(right))
    lefts, rights = _scored(left), _scored(right)
    for task in then.keys() & now.keys():
        if abs(then[task] - now[task]) > SAME_SCORE:
            better = now[task] > then[task]
            runs = _session(lefts[task], best=not better), _session(rights[task], best=better)
            yield ScoreChange(group[1], group[0], task, then[task], now[task], *runs)


def _place(change: ScoreChange) -> tuple[bool, float, str, str, EvalMode]:
    size = round(abs(change.after - change.before), 9)
    return change.is_better, -size, change.domain, change.task, change.mode


def _scored(results: Iterable[SampleResult]) -> dict[str, list[SampleResult]]:
    """Return the samples with a score by task, in their order."""
    found: defaultdict[str, list[SampleResult]] = defaultdict(list)
    for result in sorted(filter(has_score, results), key=lambda result: result.number):
        found[result.task].append(result)
    return found


def _session(scored: Sequence[SampleResult], *, best: bool) -> str:
    """Return the session of the first sample with the best score, or with the worst: the first
    sample of both sides may have the same score, although the means differ."""
    wanted = (max if best else min)(one.score or 0.0 for one in scored)
    return next(one.run_id for one in scored if (one.score or 0.0) == wanted)
