"""Rows of the list of sessions: sessions, samples of one task folded, evaluations, trainings.

Samples of an evaluation and rollouts of a training are sessions too, thousands of them. Each
evaluation and each training is one row here; separate screens list their sessions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from sandbox_tui.sessions.relations.fork_tree import Lineage
from sandbox_tui.sessions.store.answers import count_answers, leftover_answer, submitted_answer
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.sessions.store.tables.trainings import TrainingSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A row for one session.

    Attributes:
        run: the session.
        lineage: its position in its tree of forks.
        sample: its number, if it is listed below the row of its task's samples; otherwise None.
        fork_of: number of the sample that it was forked from, if it is listed below that.
        closes: for each level of its tree below the root, whether its branch there is the last one.
    """

    run: RunSummary
    lineage: Lineage = field(default_factory=Lineage)
    sample: int | None = None
    fork_of: int | None = None
    closes: tuple[bool, ...] = ()

    @property
    def key(self) -> str:
        """Identifies the row, also after the list has been read again."""
        return self.run.id

    @property
    def began_at(self) -> float:
        """When it began, in seconds since the epoch."""
        return self.run.run_started_at


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplesRow:
    """A row for samples of one task that were requested together.

    Attributes:
        runs: in the order of their numbers; at least two.
        is_open: whether a row for each sample and each fork follows.
        waiting: ids of those that wait for the user, forks included.
        forks: sessions forked from the samples, and their forks; their answers do not count.
    """

    runs: tuple[RunSummary, ...]
    is_open: bool
    waiting: frozenset[str] = frozenset()
    forks: tuple[RunSummary, ...] = ()

    @property
    def key(self) -> str:
        """The label that they share."""
        return f"samples {self.runs[0].samples}"

    @property
    def began_at(self) -> float:
        """When the newest of them, or of their forks, began, in seconds since the epoch."""
        return max(run.run_started_at for run in (*self.runs, *self.forks))

    @property
    def outcomes(self) -> list[tuple[str, int]]:
        """Each outcome of those that do not wait with its count, the most frequent first."""
        return Counter(run.outcome for run in self.runs if run.id not in self.waiting).most_common()

    @property
    def answers(self) -> list[tuple[str, int]]:
        """Each submitted answer with its count, the most frequent first; one that is only in the
        call of `submit` counts, too."""
        return answers_of(self.runs)

    @property
    def leftovers(self) -> int:
        """How many wrote an answer that they did not submit."""
        return sum(bool(leftover_answer(run.outcome, run.answer)) for run in self.runs)


def answers_of(runs: Iterable[RunSummary]) -> list[tuple[str, int]]:
    """Return each answer that these runs submitted with its count, the most frequent first."""
    return count_answers(submitted_answer(run.outcome, run.answer) or run.said for run in runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalRow:
    """A row for an evaluation.

    Attributes:
        summary: the evaluation's summary.
    """

    summary: EvalSummary

    @property
    def key(self) -> str:
        """Its id."""
        return self.summary.info.id

    @property
    def began_at(self) -> float:
        """When it began, in seconds since the epoch."""
        return self.summary.info.began_at


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRow:
    """A row for a training run.

    Attributes:
        summary: the training's summary.
    """

    summary: TrainingSummary

    @property
    def key(self) -> str:
        """Its id."""
        return self.summary.id

    @property
    def began_at(self) -> float:
        """When it began, in seconds since the epoch."""
        return self.summary.began_at


Row: TypeAlias = SessionRow | SamplesRow | EvalRow | TrainingRow


def runs_of(row: Row) -> tuple[RunSummary, ...]:
    """Return the sessions that a row stands for, except those that have their own rows."""
    match row:
        case SessionRow(run=run):
            return (run,)
        case SamplesRow(runs=runs, forks=forks, is_open=is_open):
            return () if is_open else (*runs, *forks)
        case EvalRow() | TrainingRow():
            return ()
