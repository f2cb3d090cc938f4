"""The question which runs of the wall to resume: the chosen one, or all that can be."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.wall.dialogs.choose_one_or_all import OneOrAllDialog


class ResumeRunsDialog(OneOrAllDialog):
    """Asks which runs to resume.

    Args:
        number: that of the chosen run.
        count: number of runs shown that can be resumed, with the chosen one.
    """

    CSS = """
    ResumeRunsDialog .dialog { width: 56; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("resume_runs.one", "answer('one')"),
        binding("resume_runs.all", "answer('all')"),
        binding("resume_runs.leave", "answer(None)"),
    ]

    def __init__(self, number: int, count: int) -> None:
        keys = [hint(f"resume_runs.{name}") for name in ("one", "all", "leave")]
        question = f"{count} of the runs shown can be resumed."
        super().__init__("resume", question, number, count, keys)
