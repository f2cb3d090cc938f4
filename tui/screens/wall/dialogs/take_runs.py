"""The question which runs of the wall to take control of: one, or all that another terminal has."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.wall.dialogs.choose_one_or_all import OneOrAllDialog


class TakeRunsDialog(OneOrAllDialog):
    """Asks which runs to take control of.

    Args:
        number: that of the chosen run, or of the next one that is controlled elsewhere.
        count: number of runs shown that are controlled elsewhere, with this one.
    """

    CSS = """
    TakeRunsDialog .dialog { width: 56; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("take_runs.one", "answer('one')"),
        binding("take_runs.all", "answer('all')"),
        binding("take_runs.leave", "answer(None)"),
    ]

    def __init__(self, number: int, count: int) -> None:
        keys = [hint(f"take_runs.{name}") for name in ("one", "all", "leave")]
        question = f"Another terminal controls {count} of the runs shown."
        super().__init__("take control", question, number, count, keys)
