"""What the app shows first: runs to start, a session to replay, resume, watch or fork, two sessions
to compare, an evaluation or a training run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sandbox_tui.sessions import RunSummary

if TYPE_CHECKING:
    from sandbox_tui.core.lineage.open_fork import ForkRequest
    from sandbox_tui.core.run.run_request import RunRequest
    from sandbox_tui.sessions.evals.evaluation import Evaluation
    from sandbox_tui.sessions.recording.fork_worker import ForkPlan
    from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
    from sandbox_tui.sessions.store.tables.trainings import TrainingSummary
    from sandbox_tui.tui.screens.cockpit.replay.replay_position import ReplayPosition


class Resume(NamedTuple):
    """A session to resume, whose program has ended."""

    run: RunSummary


class ReplayAt(NamedTuple):
    """A session to replay, paused at a position, perhaps to draw a film."""

    run: RunSummary
    place: ReplayPosition
    in_film: bool = False


class Attach(NamedTuple):
    """Detached runs to watch: one, or several side by side, the newest first."""

    runs: Sequence[RunSummary]


class Forking(NamedTuple):
    """A fork to start."""

    plan: ForkPlan
    request: ForkRequest


class Evaluating(NamedTuple):
    """An evaluation to run."""

    evaluation: Evaluation


class WatchEval(NamedTuple):
    """An evaluation to view: finished, or run by another program."""

    summary: EvalSummary


class WatchTraining(NamedTuple):
    """A training run to view: finished, or in progress in another program."""

    summary: TrainingSummary


class Comparing(NamedTuple):
    """Two sessions to compare."""

    left: RunSummary
    right: RunSummary


NotARun: TypeAlias = Evaluating | WatchEval | WatchTraining | Comparing

Begin: TypeAlias = (
    "Sequence[RunRequest] | RunSummary | ReplayAt | Resume | Attach | Forking | NotARun"
)
"""What to show first: runs to start; a session to replay, resume, watch or fork; an evaluation to
run or view; a training run to view; two sessions to compare."""
