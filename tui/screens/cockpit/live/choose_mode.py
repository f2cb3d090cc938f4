"""The dialog for the mode of a run: auto, policy, or call by call."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar, Literal

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import OptionList

from sandbox_tui.core.events.items import CallItem
from sandbox_tui.core.events.types import Mode
from sandbox_tui.tui.format.numbers import counted
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.key_bar import KeyBar

MODES: dict[Mode, tuple[str, str]] = {
    "auto": ("auto", "calls run unless denied by policy"),
    "ask": ("ask (policy)", "the policy says which calls wait"),
    "step": ("step", "every call waits for you"),
}
"""Name and meaning of each mode that can be chosen; a line fits on a screen of 60 columns."""

NAME_COLUMNS = 13
"""Columns of the longest name, with the gap behind it."""

STEP_WITH_ALLOWED = "all wait, except what you allowed"
"""What `step` means once the user has allowed something in the run."""

STAYS_PAUSED = "paused · continues in the chosen mode"
"""Says of a paused run what choosing a mode does: resuming is another key's."""

ALLOWED: Literal["allowed"] = "allowed"
"""The answer that asks for the list of what was allowed in this run."""


def number_that_stays(pending: CallItem | None) -> int | None:
    """Return the number of a waiting call that no mode lets through, if any."""
    return None if pending is None or pending.waits_for_resume else pending.call.number


class ModeDialog(Dialog[Mode | Literal["allowed"] | None]):
    """Lists the modes; dismisses with the chosen one, `ALLOWED`, or None to change nothing.

    Args:
        now: the current mode of the run, or that in which it continues after a pause.
        waiting: number of the call that waits for a decision, if any.
        allowed: number of patterns that the user allowed in this run.
        is_paused: whether it is paused, which it stays.
    """

    choice_words = "choose"

    CSS = """
    ModeDialog .dialog { width: 76; padding: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("mode_menu.auto", "take('auto')"),
        binding("mode_menu.ask", "take('ask')"),
        binding("mode_menu.step", "take('step')"),
        binding("mode_menu.allowed", "allowed"),
        binding("mode_menu.leave", "dismiss(None)"),
    ]

    def __init__(
        self, now: Mode, waiting: int | None = None, allowed: int = 0, *, is_paused: bool = False
    ) -> None:
        super().__init__()
        self._is_paused = is_paused
        self._allowed = allowed
        self._now: Mode = now
        self._waiting = waiting

    def compose(self) -> ComposeResult:
        """Yield one line per mode, and what happens to a waiting call."""
        options = OptionList(id="modes", classes="dialog")
        options.border_title = f"mode · {STAYS_PAUSED}" if self._is_paused else "mode"
        stays = "" if self._waiting is None else f"call {self._waiting} keeps waiting · "
        options.border_subtitle = f"{stays}enter choose · {hint('mode_menu.leave')} cancel"
        yield options
        yield KeyBar()

    def on_mount(self) -> None:
        """Mark and highlight the current mode."""
        options = self.query_one(OptionList)
        options.add_options(self.lines())
        options.highlighted = list(MODES).index(self._now)
        self.set_focus(options)

    @property
    def marked(self) -> Collection[Mode]:
        """The modes that are marked as current."""
        return (self._now,)

    def lines(self) -> list[Text | None]:
        """Return the lines of the list; None separates."""
        return [*(self._line(mode) for mode in MODES), None, self._allowed_line()]

    def _line(self, mode: Mode) -> Text:
        palette = palette_of(self)
        name, words = MODES[mode]
        if mode == "step" and self._allowed:
            words = STEP_WITH_ALLOWED
        sign = "● " if mode in self.marked else "  "
        line = Text(sign, style=palette.accent, no_wrap=True, overflow="ellipsis")
        line.append(f"{hint(f'mode_menu.{mode}')}  ", style=palette.accent + Style(bold=True))
        line.append(f"{name:<{NAME_COLUMNS}}", style=palette.strong)
        return line.append(words, style=palette.dim)

    def _allowed_line(self) -> Text:
        """The line that opens the list of what runs without asking in any mode."""
        palette = palette_of(self)
        line = Text("  ", no_wrap=True, overflow="ellipsis")
        line.append(f"{hint('mode_menu.allowed')}  ", style=palette.accent + Style(bold=True))
        line.append(f"{'allowed':<{NAME_COLUMNS}}", style=palette.strong)
        words = f"{counted(self._allowed, 'pattern')} that you allowed"
        return line.append(words if self._allowed else "nothing yet in this run", style=palette.dim)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.take_line(event.option_index)

    def take_line(self, index: int) -> None:
        """Do what a line of the list says."""
        modes = list(MODES)
        if index < len(modes):
            self.action_take(modes[index])
        else:
            self.action_allowed()

    def action_allowed(self) -> None:
        """Close, and show what was allowed in this run."""
        self.dismiss(ALLOWED)

    def action_take(self, mode: Mode) -> None:
        """Close with this mode."""
        self.dismiss(None if mode == self._now else mode)
