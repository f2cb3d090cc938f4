"""Scores with the reward.py of a reference task, in a separate process."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox_tui.core.evals.loaders.reference_task import reference_row
from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.user_functions import MAX_OWN_BYTES, call_user_function
from sandbox_tui.core.evals.worker import WorkerFailed, call_in_worker


@dataclass(slots=True, kw_only=True)
class ReferenceReward:
    """Calls `compute_score(agent_answer, ground_truth, **row)`.

    Attributes:
        source: Python source of reward.py, kept in the suite so that its digest covers it.
        folder: folder of reward.py, from which modules can be imported.
        timeout: seconds for one answer.
    """

    source: str
    folder: str = ""
    timeout: float = 60.0
    name: str = field(default="reference_reward", init=False)

    async def score(self, attempt: Attempt) -> Score:
        """Score with reward.py; a missing answer is the empty text, as in the reference."""
        row = reference_row(attempt.task)
        target = row.pop("ground_truth")
        call = ((attempt.answer or "", target), row)
        try:
            (value,) = await call_in_worker(
                call_user_function,
                self.source,
                self.folder,
                "reward.py",
                "compute_score",
                [call],
                timeout=self.timeout,
                max_bytes=MAX_OWN_BYTES,
            )
        except WorkerFailed as error:
            raise ScorerFailed(f"reward.py: {error}.") from error
        if not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise ScorerFailed(f"reward.py returned {value!r:.60}, not a number from 0 to 1.")
        return Score(value=float(value), explanation=f"reward.py returned {value:g}.")
