"""Reads the contents of the list of sessions from the database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.awaiting_person import held_calls
from sandbox_tui.sessions.relations.fork_tree import Lineage, with_lineage
from sandbox_tui.sessions.relations.running_summaries import up_to_now
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables import trainings
from sandbox_tui.sessions.store.tables.annotations import all_tags
from sandbox_tui.sessions.store.tables.calls import CallRow

MAX_CHARACTERS = 200
"""Maximum characters of a waiting call: one line is shown."""


class Listed(NamedTuple):
    """The contents of the list of sessions.

    Attributes:
        family: sessions with their lineage, without those of evaluations and trainings.
        total: the total number of such sessions.
        evaluations: newest first.
        tags: tags by session.
        waiting: sessions in which a call waits for the user, with the call in words.
        trainings: newest first.
    """

    family: list[tuple[RunSummary, Lineage]]
    total: int
    evaluations: list[ledger.EvalSummary]
    tags: dict[str, list[str]]
    waiting: dict[str, str]
    trainings: list[trainings.TrainingSummary]


def read_sessions(store: Store, limit: int) -> Listed:
    """Read the newest sessions, and the evaluations and trainings started after the oldest of them.

    Raises:
        StoreError: the database cannot be read.
    """
    runs = up_to_now(store, store.standalone_runs(limit))
    total = store.count_standalone()
    evaluations = ledger.summaries(store, limit)
    trained = trainings.summaries(store, limit)
    if runs and len(runs) < total:  # another program may have added sessions in between
        oldest = min(run.run_started_at for run in runs)
        evaluations = [one for one in evaluations if one.info.began_at >= oldest]
        trained = [one for one in trained if one.began_at >= oldest]
    running = [run.id for run in runs if run.outcome == "running"]
    waiting = what_waits(store, running)
    family = with_lineage(store, runs)
    return Listed(family, total, evaluations, all_tags(store), waiting, trained)


def what_waits(store: Store, run_ids: Iterable[str]) -> dict[str, str]:
    """Return the running sessions that wait for the user, each with the waiting call in words.

    Raises:
        StoreError: the database cannot be read.
    """
    return {
        run_id: "" if call is None else sanitize_line(_call_words(call))
        for run_id, call in held_calls(store, run_ids).items()
    }


def _call_words(call: CallRow) -> str:
    words = summarize_call(call.tool, call.arguments)[:MAX_CHARACTERS]
    return f"{short_name(call.tool)} {words}".rstrip()


def read_running(store: Store, run_ids: Iterable[str]) -> tuple[list[RunSummary], dict[str, str]]:
    """Return the sessions among these that are still running, as of now, and those of them that
    wait for the user, with the waiting call in words.

    Raises:
        StoreError: the database cannot be read.
    """
    runs = [store.run(run_id) for run_id in run_ids]
    running = up_to_now(store, (run for run in runs if run.outcome == "running"))
    return running, what_waits(store, [run.id for run in running])


class Progress(NamedTuple):
    """The progress of evaluations and trainings.

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
    """Return the progress of these evaluations and trainings only.

    Raises:
        StoreError: the database cannot be read.
    """
    wanted = list(ids)
    return Progress(ledger.summaries_of(store, wanted), trainings.summaries_of(store, wanted))
