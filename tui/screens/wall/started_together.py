"""The runs that were started together, as the runs of a wall."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from sandbox_tui.sessions import RunWorker


class StartedTogether:
    """Runs of this program that one form started, without those started before them.

    Args:
        workers: in the order of their numbers.

    Attributes:
        all: the runs, by session.
    """

    def __init__(self, workers: Sequence[RunWorker]) -> None:
        self.all = {worker.run_id: worker for worker in workers}

    def follow(self, screen: Screen[None]) -> None:
        """Nothing to do: runs of this program follow themselves."""
