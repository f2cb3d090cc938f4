"""The list of training runs, newest first."""

from __future__ import annotations

from rich.text import Text
from typing_extensions import override

from sandbox_tui.sessions.store.tables.trainings import HOW_TO_START, TrainingSummary
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.sessions.summary_list import SummaryList
from sandbox_tui.tui.widgets.training.training_rows import training_lines


class TrainingList(SummaryList[TrainingSummary]):
    """Shows each training run and its progress."""

    TITLE = "training runs"
    NOTHING = ("No training runs yet.", f"In a shell, {HOW_TO_START}.")

    def __init__(self) -> None:
        super().__init__(id="trainings")

    @override
    def id_of(self, found: TrainingSummary) -> str:
        return found.id

    @override
    def lines_of(self, found: TrainingSummary, width: int, palette: Palette) -> list[Text]:
        return training_lines(found, width, palette)
