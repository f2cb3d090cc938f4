"""The dialog with what the user has allowed in a run, which can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import OptionList

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.tools.call_summaries import short_name
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.cockpit.live.approving.pattern_words import pattern_in_words
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.key_bar import KeyBar

_NOTHING = "Nothing: every call that has to be approved waits for you."


class AllowedRulesDialog(ExplainsUnavailable, Dialog[None]):
    """Lists the patterns that the user allowed in this run, the latest last.

    Args:
        state: the run as far as the screen shows it.
        revoke: takes one back.
    """

    CSS = """
    AllowedRulesDialog .dialog { width: 90%; max-width: 90; max-height: 90%; padding: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("allowed.remove", "remove"),
        binding("allowed.leave", "dismiss(None)"),
    ]

    def __init__(self, state: RunState, revoke: Callable[[e.RuleGranted], None]) -> None:
        super().__init__()
        self._state = state
        self._revoke = revoke
        self._listed: Sequence[e.RuleGranted] = ()
        self._is_over = False

    def compose(self) -> ComposeResult:
        """Yield two lines per pattern: itself, and what it lets through since when."""
        options = OptionList(id="allowed", classes="dialog")
        options.border_title = "allowed in this run"
        yield options
        yield KeyBar()

    def on_mount(self) -> None:
        """Show the patterns, and follow what happens to them elsewhere."""
        self._show()
        self.set_interval(0.25, self._follow)
        self.set_focus(self.query_one(OptionList))

    def _follow(self) -> None:
        over = self._state.finished is not None
        if self._state.granted != self._listed or over != self._is_over:
            self._show()

    def _show(self) -> None:
        options = self.query_one(OptionList)
        place = options.highlighted or 0
        self._listed = list(self._state.granted)
        self._is_over = self._state.finished is not None
        options.clear_options()
        options.add_options([self._lines(one) for one in self._listed])
        if not self._listed:
            options.add_option(Text(_NOTHING, style=palette_of(self).dim))
        options.highlighted = min(place, max(0, len(self._listed) - 1))
        keys = f"{hint('allowed.leave')} close"
        is_off = self.why_unavailable("remove", ())
        options.border_subtitle = (
            keys if is_off else f"{hint('allowed.remove')} no longer allow · {keys}"
        )
        self.refresh_bindings()

    def _lines(self, granted: e.RuleGranted) -> Text:
        palette = palette_of(self)
        tool = short_name(sanitize_line(granted.tool))
        text = Text(f"{tool} ", style=palette.tool, no_wrap=True, overflow="ellipsis")
        text.append(sanitize_line(granted.pattern), style=palette.strong)
        words = sanitize_line(pattern_in_words(granted.tool, granted.pattern))
        return text.append(f"\n  {words} · {self._since(granted)}", style=palette.dim)

    def _since(self, granted: e.RuleGranted) -> str:
        """Return when it was allowed: the step, the call, and the time on the run's clock."""
        at = clock(granted.t)
        item = None if granted.call is None else self._state.calls.get(granted.call)
        return at if item is None else f"step {item.call.step}, call {granted.call}, {at}"

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Only what is allowed can be taken back, and only while the run goes on."""
        if action == "remove" and self._state.finished is not None:
            return "this run has ended"
        return "" if action != "remove" or self._listed else "nothing is allowed"

    def action_remove(self) -> None:
        """No longer allow the highlighted pattern."""
        place = self.query_one(OptionList).highlighted
        if place is not None and place < len(self._listed):
            self._revoke(self._listed[place])
