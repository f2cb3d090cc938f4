"""The runs that were started together, as the runs of a wall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.screen import Screen

from sandbox_tui.sessions import RunRegistry, RunWorker


class StartedTogether:
    """Runs of this program that one form started, without those started before them.

    Args:
        started: in the order of their numbers.
        workers: all runs of this program; one that is resumed takes the place of the run before.
    """

    def __init__(self, started: Sequence[RunWorker], workers: RunRegistry) -> None:
        self._started = {worker.run_id: worker for worker in started}
        self._workers = workers

    @property
    def all(self) -> Mapping[str, RunWorker]:
        """The runs, by session."""
        here = self._workers.all
        return {run_id: here.get(run_id, run) for run_id, run in self._started.items()}

    def follow(self, screen: Screen[None]) -> None:
        """Nothing to do: runs of this program follow themselves."""
