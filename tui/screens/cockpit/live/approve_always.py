"""The dialog to approve a call and all similar ones: the patterns to allow, editable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Label

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.events.types import ToolCall
from sandbox_tui.core.tools.call_summaries import full_command, short_name
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.line_input import OneLineInput

_WORDS = (
    "For the rest of this run, matching calls run without asking. * matches any text; calls "
    "that the policy denies stay denied."
)


class ApproveAlwaysDialog(Dialog[tuple[str, ...] | None]):
    """Dismisses with the patterns (empty ones are left out), or None if cancelled.

    Args:
        call: the waiting call.
        patterns: the patterns from `Gate.suggested`.
    """

    enter_words = "allow"

    CSS = """
    ApproveAlwaysDialog { background: $background 60%; }
    ApproveAlwaysDialog .dialog { width: 90%; max-width: 90; max-height: 90%; }
    ApproveAlwaysDialog Label { width: 1fr; }
    ApproveAlwaysDialog #allowed-call { color: $foreground; margin-bottom: 1; }
    ApproveAlwaysDialog Input { margin-top: 1; background: $surface; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("allow_always.allow", "allow"),
        binding("allow_always.leave", "cancel"),
    ]

    def __init__(self, call: ToolCall, patterns: Sequence[str]) -> None:
        super().__init__()
        self._call = call
        self._patterns = tuple(patterns)

    def compose(self) -> ComposeResult:
        """Yield the call, an explanation, and a field for each pattern."""
        name = short_name(sanitize_line(self._call.name))
        with VerticalScroll(classes="dialog form") as box:
            box.border_title = Content(f"approve always · call {self._call.number} {name}")
            box.border_subtitle = (
                f"{hint('allow_always.allow')} allow · {hint('allow_always.leave')} cancel"
            )
            command = sanitize_line(full_command(self._call.name, self._call.arguments)) or name
            yield Label(command, id="allowed-call", markup=False)
            yield Label(_WORDS, markup=False)
            for pattern in self._patterns:
                yield OneLineInput(sanitize(pattern, newlines=False), select_on_focus=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """Focus the first pattern immediately, so that the next key goes there."""
        fields = list(self.query(Input))
        if fields:
            self.set_focus(fields[0])

    def words_for(self, action: str) -> str | None:
        """The key bar's words for an action: a field names enter instead of another key."""
        return "" if action == "allow" and isinstance(self.focused, Input) else None

    @on(Input.Changed)
    def _stop(self, event: Input.Changed) -> None:
        event.stop()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_allow()

    def action_allow(self) -> None:
        """Close with the current patterns."""
        kept = tuple(field.value.strip() for field in self.query(Input) if field.value.strip())
        if kept:
            self.dismiss(kept)
        else:
            self.notify("There is no pattern. Type one, or cancel with escape.")

    def action_cancel(self) -> None:
        """Close without allowing anything."""
        self.dismiss(None)
