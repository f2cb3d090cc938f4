"""The list of all training runs: running ones, in any program, and finished ones."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from typing_extensions import override

from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.store.tables import trainings
from sandbox_tui.sessions.store.tables.trainings import TrainingSummary
from sandbox_tui.tui.keys.key_sequencer import keys_for_dialog
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.summaries_screen import MAX_LISTED, SummariesScreen
from sandbox_tui.tui.screens.training.delete_training import delete_training
from sandbox_tui.tui.screens.training.training_screen import TrainingScreen
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.training.training_list import TrainingList


class TrainingsScreen(SummariesScreen[TrainingSummary]):
    """Lists training runs, opens and deletes them.

    Args:
        runs: the runs of this program, and the store with all training runs.
    """

    AUTO_FOCUS = "TrainingList"

    ABOUT = "models that learn to use a computer"

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("trainings.delete", "delete"),
        binding("trainings.leave", "leave"),
    ]

    def __init__(self, runs: RunRegistry) -> None:
        super().__init__(TrainingList())
        self._run_workers = runs
        self._store = runs.store

    @override
    def read_summaries(self) -> list[TrainingSummary]:
        return trainings.summaries(self._store, MAX_LISTED)

    @override
    def open_summary(self, found: TrainingSummary) -> None:
        app_of(self).push_screen(TrainingScreen(found, self._store))

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """A running training cannot be deleted."""
        found = self.current
        if action != "delete":
            return ""
        if found is None:
            return "no training run is chosen"
        return "this training run is still running" if found.running else ""

    def action_delete(self) -> None:
        """Delete the training under the cursor, with or without its sessions, after asking."""
        found = self.current
        if found is not None:
            asking = keys_for_dialog(self, self._delete(found))
            self.run_worker(asking, exclusive=True, group="act")

    async def _delete(self, found: TrainingSummary) -> None:
        await delete_training(self, found, self._run_workers)
        self.reload()
