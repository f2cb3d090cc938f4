"""What the list of sessions shows, read from the database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.recording.awaiting_person import waiting_runs
from sandbox_tui.sessions.relations.fork_tree import Lineage, with_lineage
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables import trainings
from sandbox_tui.sessions.store.tables.annotations import all_tags


class Listed(NamedTuple):
    """What the list of sessions shows.

    Attributes:
        family: sessions with their places in their families, without those of evaluations and
            trainings.
        total: how many there are in all.
        evaluations: newest first.
        tags: what people have put on them.
        waiting: those in which a call waits for a person.
        trainings: newest first.
    """

    family: list[tuple[RunSummary, Lineage]]
    total: int
    evaluations: list[ledger.EvalSummary]
    tags: dict[str, list[str]]
    waiting: frozenset[str]
    trainings: list[trainings.TrainingSummary]


def read_sessions(store: Store, limit: int) -> Listed:
    """Read the newest sessions, and evaluations and trainings begun after the oldest of them.

    Raises:
        StoreError: the database cannot be read.
    """
    runs = store.standalone_runs(limit)
    total = store.count_standalone()
    evaluations = ledger.summaries(store, limit)
    trained = trainings.summaries(store, limit)
    if len(runs) < total:
        oldest = min(run.begun_at for run in runs)
        evaluations = [one for one in evaluations if one.info.began_at >= oldest]
        trained = [one for one in trained if one.began_at >= oldest]
    running = [run.id for run in runs if run.outcome == "running"]
    waiting = waiting_runs(store, running)
    family = with_lineage(store, runs)
    return Listed(family, total, evaluations, all_tags(store), waiting, trained)


def read_running(store: Store, run_ids: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Which of these sessions are still running, and which of those wait for a person.

    Raises:
        StoreError: the database cannot be read.
    """
    runs = [store.run(run_id) for run_id in run_ids]
    running = frozenset(run.id for run in runs if run.outcome == "running")
    return running, waiting_runs(store, running)


class Progress(NamedTuple):
    """How far evaluations and trainings are.

    Attributes:
        evaluations, trainings: newest first.
    """

    evaluations: list[ledger.EvalSummary]
    trainings: list[trainings.TrainingSummary]

    @property
    def running(self) -> frozenset[str]:
        """Ids of those that are running."""
        evaluated = [one.info.id for one in self.evaluations if one.running]
        return frozenset([*evaluated, *(one.id for one in self.trainings if one.running)])


def read_progress(store: Store, ids: Iterable[str]) -> Progress:
    """How far these evaluations and trainings are, and nothing else.

    Raises:
        StoreError: the database cannot be read.
    """
    wanted = list(ids)
    return Progress(ledger.summaries_of(store, wanted), trainings.summaries_of(store, wanted))
