"""Scores the recorded answers of an evaluation again, without running a model.

If a verdict changes, the new scores are a new evaluation, whose samples have the sessions of the
old one; the old one stays as it is, so that both can be compared.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting.outcomes import has_ended
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.scorers.base import Attempt, Scorer
from sandbox_tui.core.evals.scorers.table import NEED_SANDBOX
from sandbox_tui.core.evals.scoring import scored
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.suite_file import check_targets
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions.evals.evaluation import usable_scorers
from sandbox_tui.sessions.evals.sample_record import unattempted, with_score
from sandbox_tui.sessions.store.ids import new_id
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.eval_ledger import EvalPlan


@dataclass(frozen=True, slots=True)
class Change:
    """A sample whose verdict is another one now."""

    before: SampleResult
    after: SampleResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """What scoring again has found.

    Attributes:
        old: the evaluation whose answers were scored.
        info: the new evaluation; None if no verdict changed, so that none was added.
        results: all samples, with the new scores.
        scored: number of samples that were scored again.
        kept: names of the scorers that need the sandbox, with the number of samples that keep their
            scores for that reason.
        changes: the samples whose verdict changed, in the order of the plan.
    """

    old: EvalInfo
    info: EvalInfo | None
    results: Sequence[SampleResult]
    scored: int
    kept: Mapping[str, int]
    changes: Sequence[Change]


OnScored = Callable[[int, int], None]
"""Called with the number of answers scored so far and their total number."""


async def rescore(
    store: Store, name: str, scorer: str = "", on_scored: OnScored | None = None
) -> Rescored:
    """Score the recorded answers of an evaluation again.

    Args:
        store: the database.
        name: its id, part of it, or "last".
        scorer: of all tasks; empty: the scorers that the evaluation has.
        on_scored: told after each answer.

    Raises:
        ConfigError: a program runs it, it has no answers, or a scorer cannot be used or needs the
            sandbox.
        StoreError: there is no such evaluation, or the database cannot be read or written.
    """
    found = ledger.summary(store, name)
    old = found.info
    if found.running:
        raise ConfigError(
            f"The evaluation {old.id} is still running: score its answers again when it has ended."
        )
    plan = _with_scorer(ledger.plan_of(store, old.id), scorer)
    before = ledger.results(store, old.id)
    tasks, kept = _tasks_to_score(plan.suite, before)
    total = sum(has_ended(one) and one.task in tasks for one in before)
    suite, done = replace(plan.suite, tasks=tuple(tasks.values())), itertools.count(1)

    def tell() -> None:
        if on_scored is not None:
            on_scored(next(done), total)

    after = await _scored_again(suite, before, old.concurrency, tell)
    changes = [
        Change(one, other)
        for one, other in zip(before, after, strict=True)
        if one.over and (one.status, one.score) != (other.status, other.score)
    ]
    info = _new_info(old, plan, scorer) if changes else None
    if info is not None:
        _add(store, info, plan, after)
    return Rescored(old=old, info=info, results=after, scored=total, kept=kept, changes=changes)


def _with_scorer(plan: EvalPlan, scorer: str) -> EvalPlan:
    """Return a plan with this scorer for all tasks."""
    if not scorer:
        return plan
    tasks = tuple(msgspec.structs.replace(task, scorer="") for task in plan.suite.tasks)
    return msgspec.structs.replace(
        plan, suite=replace(plan.suite, tasks=tasks, scorers={"": scorer})
    )


def _tasks_to_score(
    suite: Suite, results: Sequence[SampleResult]
) -> tuple[dict[str, Task], dict[str, int]]:
    """Return the tasks with answers that can be scored, by id; and by scorer that needs the
    sandbox, how many samples keep their scores.

    Raises:
        ConfigError: there are none.
    """
    by_id = {task.id: task for task in suite.tasks}
    tasks: dict[str, Task] = {}
    kept: dict[str, int] = {}
    for one in filter(has_ended, results):
        task = by_id[one.task]
        scorer = suite.scorer_of(task)
        if scorer in NEED_SANDBOX:
            kept[scorer] = kept.get(scorer, 0) + 1
        else:
            tasks[task.id] = task
    if tasks:
        return tasks, kept
    if kept:
        raise ConfigError(
            f"The scorer {' or '.join(kept)} works in a sandbox, and those of this evaluation are "
            "gone: only a new evaluation can score with it."
        )
    raise ConfigError("No sample of this evaluation has ended, so there is no answer to score.")


async def _scored_again(
    suite: Suite, results: Sequence[SampleResult], at_once: int, told: Callable[[], None]
) -> list[SampleResult]:
    """Return the samples with the scores of the suite's scorers; those of other tasks, and those
    that have not ended, as they are.

    Raises:
        ConfigError: a scorer cannot be used.
    """
    check_targets(suite, f"The suite {suite.name}")
    scorers = usable_scorers(suite)
    tasks = {task.id: task for task in suite.tasks}
    room = asyncio.Semaphore(max(1, at_once))  # a judge's server stands as much

    async def score(one: SampleResult) -> SampleResult:
        task = tasks.get(one.task)
        if not one.over:
            return unattempted(one)
        if task is None or not has_ended(one):
            return one
        async with room:
            found = await _score(one, task, scorers[suite.scorer_of(task)])
        told()
        return found

    return list(await asyncio.gather(*map(score, results)))


async def _score(one: SampleResult, task: Task, scorer: Scorer) -> SampleResult:
    began = time.monotonic()
    attempt = Attempt(task=task, mode=one.mode, answer=one.answer)
    value, why = await scored(scorer, attempt)
    if why == attempt.no_answer and one.explanation.startswith(why.removesuffix(".")):
        why = one.explanation  # which adds what `submit` said
    unscored = msgspec.structs.replace(
        one,
        score=None,
        explanation="",
        error="",
        scoring_seconds=round(time.monotonic() - began, 6),
    )
    return with_score(unscored, scorer.name, value, why)


def _new_info(old: EvalInfo, plan: EvalPlan, scorer: str) -> EvalInfo:
    digest = plan.suite.digest(plan.packs.values()) if scorer else old.digest
    return msgspec.structs.replace(
        old,
        id=new_id(),
        digest=digest,
        answers_of=old.id,
        scored_by=scorer,
        began_at=time.time(),
        ended_at=0.0,
    )


def _add(store: Store, info: EvalInfo, plan: EvalPlan, results: Sequence[SampleResult]) -> None:
    """Add the evaluation with all its samples at once: one without them would seem to have been
    interrupted."""
    with store.transaction():
        ledger.create(store, info, plan)
        ledger.finish(store, info.id, *results)
        ledger.release(store, info.id)
