"""Creates evaluations, and resumes those whose program has ended."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import msgspec

from sandbox_tui.core.base.errors import ConfigError, NoModelSet
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting.outcomes import is_lost
from sandbox_tui.core.evals.sample_request import SampleRequests
from sandbox_tui.core.evals.scorers.base import Scorer
from sandbox_tui.core.evals.scorers.references import refuse_unreadable_references
from sandbox_tui.core.evals.scorers.table import SCORERS, scorer_named
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.models.error_mapping import without_secrets
from sandbox_tui.core.models.factory import refuse_demo
from sandbox_tui.sessions.evals.sample_executor import SampleExecutor
from sandbox_tui.sessions.evals.sample_record import unattempted
from sandbox_tui.sessions.recording.run_registry import RunRegistry
from sandbox_tui.sessions.store.ids import new_id
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.eval_ledger import Budget, EvalPlan
from sandbox_tui.sessions.store.tables.evals.budgets import renew_budget


class Cluster(Protocol):
    """Machines that run samples."""

    def executor(self, registry: RunRegistry, plan: EvalPlan) -> SampleExecutor:
        """Return the executor for an evaluation's samples on these machines."""
        ...


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluation that belongs to this program; `EvalRunner` runs it.

    Attributes:
        info: its description.
        plan: its specification.
        cluster: runs its samples; None: this program.
    """

    info: EvalInfo
    plan: EvalPlan
    cluster: Cluster | None = None


def begin_evaluation(
    store: Store,
    suite: Suite,
    settings: Settings,
    *,
    concurrency: int,
    budget: Budget | None = None,
    command: str = "",
    cluster: Cluster | None = None,
) -> Evaluation:
    """Add a new evaluation to the database.

    Args:
        store: the database.
        suite: the suite to run.
        settings: the user's settings.
        concurrency: samples at once.
        budget: for the whole evaluation.
        command: the command line, for the report.
        cluster: runs the samples; None: this program.

    Raises:
        ConfigError: there are no samples or no model (the demo does not count), a setting, a
            prompt pack or a scorer of the suite cannot be used, or a scorer cannot read a target.
        StoreError: the write failed.
    """
    eval_id = new_id()
    requests = SampleRequests.of(suite, settings, eval_id)
    _check(suite, requests.settings)
    packs = {name: pack.digest for name, pack in requests.packs.items()}
    plan = EvalPlan(
        suite=suite,
        settings=_without_secrets(settings),
        budget=budget or Budget(),
        packs=packs,
    )
    info = EvalInfo(
        id=eval_id,
        suite=suite.name,
        digest=suite.digest(packs.values()),
        tasks_digest=suite.tasks_digest(),
        tasks=len(suite.tasks),
        packs=packs,
        model=requests.settings.model.name,
        params=_params(requests.settings),
        modes=suite.modes,
        concurrency=concurrency,
        sandbox=requests.settings.sandbox.kind,
        image=requests.settings.sandbox.image,
        command=command,
        began_at=time.time(),
    )
    ledger.create(store, info, plan)
    return Evaluation(info, plan, cluster)


def resume_evaluation(
    store: Store,
    eval_id: str,
    settings: Settings,
    concurrency: int | None,
    cluster: Cluster | None = None,
    *,
    rerun_lost: bool = False,
    budget: Budget | None = None,
    given_by: ProcessIdentity | None = None,
) -> Evaluation:
    """Make this program the owner of an interrupted evaluation, or of one with samples to rerun.

    Its budget counts from now on, if anything is left to run.

    Args:
        store: the database.
        eval_id: the evaluation.
        settings: the user's, for values that the recorded ones leave out.
        concurrency: samples at once; None: as before.
        cluster: runs the samples; None: this program.
        rerun_lost: whether samples that ended without a score because of an error run again.
        budget: from now on; None: as before.
        given_by: the program that hands it over, which may still own it.

    Raises:
        ConfigError: a prompt pack has been removed or changed.
        ResumeRefused: another program owns it.
        StoreError: there is no such evaluation, or the write failed.
    """
    found = ledger.summary(store, eval_id)
    plan = ledger.plan_of(store, found.info.id)
    check_packs(plan, found.info.id)
    ledger.take_ownership(store, found.info.id, given_by)
    if rerun_lost:
        _requeue_lost(store, found.info.id)
    plan = msgspec.structs.replace(plan, budget=plan.budget if budget is None else budget)
    if not all(one.over for one in ledger.results(store, found.info.id)):
        renew_budget(store, found.info.id, plan.budget)
    recorded, now = plan.settings.model, settings.model
    if without_secrets(now.base_url) == recorded.base_url:
        model = msgspec.structs.replace(recorded, base_url=now.base_url)
        plan = msgspec.structs.replace(
            plan, settings=msgspec.structs.replace(plan.settings, model=model)
        )
    info = found.info
    if concurrency not in (None, info.concurrency):
        before = (*info.concurrency_before, info.concurrency)
        info = msgspec.structs.replace(info, concurrency=concurrency, concurrency_before=before)
        ledger.set_info(store, info)
    return Evaluation(info, plan, cluster)


def _requeue_lost(store: Store, eval_id: str) -> None:
    """Return the samples without a score to the queue, with all attempts before them."""
    lost = filter(is_lost, ledger.results(store, eval_id))
    again = (msgspec.structs.replace(unattempted(one), attempts=0) for one in lost)
    ledger.finish(store, eval_id, *again)


def check_packs(plan: EvalPlan, eval_id: str) -> None:
    """Check that prompts are unchanged: samples with different prompts must not be mixed.

    Raises:
        ConfigError: a prompt pack has been removed or changed.
    """
    requests = SampleRequests.of(plan.suite, plan.settings, eval_id)
    for name, pack in requests.packs.items():
        if plan.packs.get(name, pack.digest) != pack.digest:
            raise ConfigError(
                f"The prompt pack {pack.name} has changed since the evaluation {eval_id} began: "
                "restore it, or begin a new evaluation."
            )


def _check(suite: Suite, settings: Settings) -> None:
    if not suite.tasks:
        raise ConfigError(f"The suite {suite.name} has no tasks that match the options.")
    if not settings.model.name:
        raise NoModelSet("No model is set: use --model NAME, or set model.name in the settings.")
    refuse_demo(settings.model)
    usable_scorers(suite)


def usable_scorers(suite: Suite) -> dict[str, Scorer]:
    """Return the scorers of a suite by name, before any sample costs tokens.

    Raises:
        ConfigError: a task has no scorer, a scorer lacks something, or one cannot read a target.
    """
    scorers: dict[str, Scorer] = {}
    for name in sorted({suite.scorer_of(task) for task in suite.tasks}):
        if not name:
            raise ConfigError(_no_scorer(suite))
        scorers[name] = scorer_named(name, suite.scorer_options.get(name, {}))
    refuse_unreadable_references(suite, scorers)
    return scorers


def _no_scorer(suite: Suite) -> str:
    """Return what to do about tasks without a scorer; those of a bare data file have no domain."""
    bare = next(task for task in suite.tasks if not suite.scorer_of(task))
    if not bare.domain and not suite.scorers.get(""):
        return (
            f"{suite.name} needs a scorer: --scorer exact, number, math_verify, choice or judge, "
            "for instance. A suite file can name it (scorers), and a data file for each task (a "
            f"column scorer). All scorers: {', '.join(sorted(SCORERS))}."
        )
    return (
        f"The suite {suite.name} names no scorer for the domain {bare.domain!r}: name one in its "
        f"file, or choose one for all tasks (--scorer): {', '.join(sorted(SCORERS))}, or your own "
        "package.module:Class."
    )


def _without_secrets(settings: Settings) -> Settings:
    model = settings.model
    safe = msgspec.structs.replace(model, base_url=without_secrets(model.base_url))
    return msgspec.structs.replace(settings, model=safe)


def _params(settings: Settings) -> dict[str, object]:
    """Return what the report states about the model and its limits."""
    model = settings.model
    named = {
        "base_url": without_secrets(model.base_url),
        "temperature": model.temperature,
        "tool_calls": model.tool_calls,
        **msgspec.to_builtins(settings.limits),
    }
    return {name: value for name, value in named.items() if value is not None}
