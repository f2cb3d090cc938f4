"""The answers of the runs of a wall, if its header has no room for them."""

from __future__ import annotations

from typing_extensions import override

from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen


class AnswersPager(PagerScreen):
    """Shows the answers of each task, without what the header of the wall says anyway.

    Args:
        answers: the lines on the answers.
        task: that of all runs; empty if they have several.
        count: number of runs of the wall.
    """

    has_line_numbers = False

    def __init__(self, answers: str, task: str, count: int) -> None:
        self._count = count
        super().__init__(" · ".join(filter(None, ("answers", task))), answers)

    @property
    @override
    def facts(self) -> str:
        return numbers.counted(self._count, "run")
