"""The dialog for the mode of a run on the wall, or of all runs that it shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.widgets import OptionList
from typing_extensions import override

from sandbox_tui.core.events.types import Mode
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.cockpit.live.choose_mode import NAME_COLUMNS, ModeDialog
from sandbox_tui.tui.theming.palette import palette_of

COUNT_SECONDS = 0.5
"""Seconds between two counts of the calls that wait."""


class WallModeDialog(ModeDialog):
    """Lists the modes; another line sets whether the mode is for all runs that the wall shows.

    Args:
        now: the current mode of the chosen run, or that in which it continues after a pause.
        modes: those of all runs shown that can be controlled.
        all_words: what to call these runs.
        waiting: number of the call that waits for the user, if any.
        allowed: number of patterns that the user allowed in the chosen run.
        count_waiting: returns how many calls of all runs shown wait for the user now.
        is_paused: whether the chosen run is paused, which it stays.

    Attributes:
        is_for_all: whether the chosen mode is for all of these runs.
    """

    CSS = """
    WallModeDialog .dialog { width: 76; padding: 0 1; }
    """

    is_for_all = False

    BINDINGS: ClassVar[list[BindingType]] = [binding("mode_menu.group", "all_runs")]

    def __init__(
        self,
        now: Mode,
        modes: Sequence[Mode],
        all_words: str,
        waiting: int | None = None,
        allowed: int = 0,
        count_waiting: Callable[[], int] = int,
        *,
        is_paused: bool = False,
    ) -> None:
        super().__init__(now, waiting, allowed, is_paused=is_paused)
        self._modes = modes
        self._all_words = all_words
        self._count_waiting = count_waiting

    def on_mount(self) -> None:
        """Say what happens to the waiting calls; Textual calls that of the base class too."""
        self._say_what_waits()
        self.set_interval(COUNT_SECONDS, self._say_what_waits)

    def _say_what_waits(self) -> None:
        """Say how many calls wait on: more may have come since the dialog was opened."""
        if (waiting := self._count_waiting()) > 1:
            words = f"{waiting} calls keep waiting"
            keys = f"enter choose · {hint('mode_menu.leave')} cancel"
            self.query_one(OptionList).border_subtitle = f"{words} · {keys}"

    @property
    @override
    def marked(self) -> Collection[Mode]:
        return self._modes if self.is_for_all else super().marked

    @override
    def lines(self) -> list[Text | None]:
        return [*super().lines(), self._line_for_all()]

    def _line_for_all(self) -> Text:
        palette = palette_of(self)
        line = Text("  ", style=palette.accent, no_wrap=True, overflow="ellipsis")
        line.append(f"{hint('mode_menu.group')}  ", style=palette.accent + Style(bold=True))
        line.append(f"{'all runs':<{NAME_COLUMNS}}", style=palette.strong)
        line.append("[x] " if self.is_for_all else "[ ] ", style=palette.accent)
        return line.append(f"in {self._all_words}", style=palette.dim)

    @override
    def take_line(self, index: int) -> None:
        if index == self.query_one(OptionList).option_count - 1:
            self.action_all_runs()
        else:
            super().take_line(index)

    def action_all_runs(self) -> None:
        """Set the mode of all runs shown, or of the chosen one alone."""
        self.is_for_all = not self.is_for_all
        options = self.query_one(OptionList)
        lines = [line for line in self.lines() if line is not None]
        for index, line in enumerate(lines):
            options.replace_option_prompt_at_index(index, line)

    @override
    def action_take(self, mode: Mode) -> None:
        if self.is_for_all:  # the others may have another mode than the chosen run
            self.dismiss(mode)
        else:
            super().action_take(mode)


class AllRunsModeDialog(ExplainsUnavailable, WallModeDialog):
    """Lists the modes for all runs that the wall shows: the chosen one has ended."""

    is_for_all = True

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        return "the chosen run has ended" if action == "all_runs" else ""

    @override
    def action_all_runs(self) -> None:
        """Leave the line as it is: there is no other choice."""
