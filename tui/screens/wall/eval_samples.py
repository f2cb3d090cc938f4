"""The samples of one evaluation that run in this program, as the runs of a wall."""

from __future__ import annotations

from collections.abc import Mapping

from textual.screen import Screen

from sandbox_tui.sessions import RunRegistry, RunWorker


class EvalSamples:
    """Samples appear as they begin, and disappear when the program releases them.

    Args:
        eval_id: the evaluation.
        workers: the runs of this program.
    """

    def __init__(self, eval_id: str, workers: RunRegistry) -> None:
        self._eval_id = eval_id
        self._workers = workers

    @property
    def all(self) -> Mapping[str, RunWorker]:
        """The samples, by session."""
        return {
            run_id: worker
            for run_id, worker in self._workers.all.items()
            if worker.labels.get("eval") == self._eval_id
        }

    @property
    def any_running(self) -> bool:
        """Whether one of them is running."""
        return any(worker in self._workers.running for worker in self.all.values())

    def follow(self, screen: Screen[None]) -> None:
        """Nothing to do: runs of this program follow themselves."""
