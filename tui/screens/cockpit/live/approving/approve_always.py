"""The dialog to approve a call and all similar ones: the patterns to allow, editable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Label

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.types import ToolCall
from sandbox_tui.core.policy.session_rules import OpenPart
from sandbox_tui.core.tools.call_summaries import full_command, short_name
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.cockpit.live.approving.exact_call import MAX_FIELDS, ExactCall
from sandbox_tui.tui.screens.cockpit.live.approving.pattern_field import PatternField
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.themed_text import ThemedText

_WORDS = (
    "calls like this run without asking in every mode, even step, unless the policy denies them. "
    "* is any text, [*] a plain star."
)

_EXACT_WORDS = (
    "calls made only of these parts run without asking in every mode, even step, unless the policy "
    "denies them."
)

WIDE = 70
"""Columns from which the border has room for all keys."""


class OtherRuns(Protocol):
    """Further runs of the task of a call, where the user may allow calls like it, too."""

    @property
    def number(self) -> int:
        """The number of the run of the call among all that are shown."""
        ...

    @property
    def count(self) -> int: ...

    def allow(self, tool: str, patterns: Sequence[str]) -> None:
        """Allow calls there, and tell the user."""
        ...


class ApproveAlwaysDialog(ExplainsUnavailable, Dialog[tuple[str, ...] | None]):
    """Dismisses with the patterns (empty ones are left out), or None if cancelled.

    Args:
        call: the waiting call.
        parts: its parts that nothing allows yet; at least one.
        runs: number of runs of its task that can be controlled, where several runs are shown; None
            where only this one is.
        number: that of its run, where several are shown.

    Attributes:
        is_for_all: whether the patterns are for all runs of the task.
    """

    enter_words = "allow"

    CSS = """
    ApproveAlwaysDialog { background: $background 60%; }
    ApproveAlwaysDialog .dialog { width: 90%; max-width: 90; max-height: 90%; padding: 0 2; }
    ApproveAlwaysDialog .-wrong { border-subtitle-color: $error; border-subtitle-style: bold; }
    ApproveAlwaysDialog Label { width: 1fr; }
    ApproveAlwaysDialog #allowed-call { color: $foreground; margin-bottom: 1; max-height: 4; }
    ApproveAlwaysDialog #allowed-group { margin-top: 1; }
    ApproveAlwaysDialog Input { background: $surface; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("allow_always.allow", "allow"),
        binding("allow_always.group", "group"),
        binding("allow_always.leave", "cancel"),
    ]

    def __init__(
        self,
        call: ToolCall,
        parts: Sequence[OpenPart],
        runs: int | None = None,
        number: int | None = None,
    ) -> None:
        super().__init__()
        self._of_run = "" if number is None else f" · run {number}"
        self._call = call
        self.call_number = call.number
        self._parts = tuple(parts)
        self._runs = 1 if runs is None else runs
        self._is_alone = runs is None
        self._is_exact = len(self._parts) > MAX_FIELDS
        self.is_for_all = False

    def compose(self) -> ComposeResult:
        """Yield the call, an explanation, and a field for each part, hidden if there are many."""
        name = short_name(sanitize_line(self._call.name))
        with VerticalScroll(classes="dialog form", can_focus=False):
            command = sanitize_line(full_command(self._call.name, self._call.arguments)) or name
            yield Label(command, id="allowed-call", markup=False)
            yield Label(id="allowed-words", markup=False)
            if self._is_exact:
                yield ExactCall(len(self._parts), id="exact-call")
            for part in self._parts:
                field = PatternField(part, is_named=len(self._parts) > 1)
                field.display = not self._is_exact
                yield field
            if self._runs > 1:
                yield ThemedText(self._group_line, id="allowed-group")
        yield KeyBar()

    def _group_line(self, palette: Palette) -> Text:
        line = Text("[x] " if self.is_for_all else "[ ] ", style=palette.accent)
        line.append(f"{hint('allow_always.group')}  ", style=palette.accent + Style(bold=True))
        words = f"in all {self._runs} runs of this task; calls like it that wait there run"
        return line.append(words, style=palette.text if self.is_for_all else palette.dim)

    def on_mount(self) -> None:
        """Focus the first pattern immediately, so that the next key goes there."""
        self._say_where()
        self._say_keys()
        self._focus_first()

    def _focus_first(self) -> None:
        first = self.query_one(ExactCall) if self._is_exact else self.query(Input).first()
        self.set_focus(first)

    @on(ExactCall.Split)
    def _split(self, event: ExactCall.Split) -> None:
        """Show the fields, which hold the exact parts so far."""
        event.stop()
        self._is_exact = False
        self._say_where()
        for field in self.query(PatternField):
            field.display = True
        self._focus_first()
        self.query_one(ExactCall).display = False
        self._say_keys()

    def _say_where(self) -> None:
        """Say what is approved, and in which runs; also in the border, as the line for the group
        may be out of sight."""
        what = _EXACT_WORDS if self._is_exact else _WORDS
        those = f"these {self._runs} runs" if self.is_for_all else "this run"
        self.query_one("#allowed-words", Label).update(f"For the rest of {those}, {what}")
        where = f" in all {self._runs} runs" if self.is_for_all else ""
        name = short_name(sanitize_line(self._call.name))
        title = f"approve always{where}{self._of_run} · call {self._call.number} {name}"
        self.query_one(VerticalScroll).border_title = Content(title)

    def on_resize(self) -> None:
        """Name the keys that there is room for."""
        if not self.query_one(VerticalScroll).has_class("-wrong"):
            self._say_keys()

    def _say_keys(self) -> None:
        box = self.query_one(VerticalScroll)
        box.remove_class("-wrong")
        keys = {"allow": "allow", "broader": "broader", "narrower": "narrower", "leave": "cancel"}
        if self._is_exact:
            keys = {"allow": "allow", "broader": "split", "leave": "cancel"}
        elif self.size.width < WIDE:
            keys = {"allow": "allow", "leave": "cancel"}
        box.border_subtitle = " · ".join(
            f"{hint(f'allow_always.{name}')} {words}" for name, words in keys.items()
        )

    def _refuse(self, words: str) -> None:
        """Say in the border why nothing is allowed yet, until the next change."""
        box = self.query_one(VerticalScroll)
        box.add_class("-wrong")
        box.border_subtitle = Content(sanitize_line(words))

    def words_for(self, action: str) -> str | None:
        """The key bar's words for an action: a field names enter instead of another key."""
        return "" if action == "allow" and isinstance(self.focused, Input) else None

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._say_keys()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_allow()

    def action_allow(self) -> None:
        """Close with the current patterns, if each matches the call."""
        given = [field for field in self.query(PatternField) if field.pattern]
        wrong = next((field for field in given if not field.matches), None)
        if wrong is not None:
            self.set_focus(wrong.query_one(Input))
            narrow = self.size.width < WIDE
            words = "This pattern does not match the call. Change it, or clear it."
            self._refuse("No match: change or clear the pattern." if narrow else words)
        elif not given:
            self._refuse(f"No pattern. Type one, or cancel with {hint('allow_always.leave')}.")
        else:
            self.dismiss(tuple(field.pattern for field in given))

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Only the wall shows other runs of a task."""
        if action != "group" or self._runs > 1:
            return ""
        if self._is_alone:
            return "only the wall does this, for several runs of one task"
        return "no other active run has this task"

    def action_group(self) -> None:
        """Allow the calls in all runs of the group, or in the chosen one alone."""
        self.is_for_all = not self.is_for_all
        self._say_where()
        line = self.query_one("#allowed-group")
        line.refresh()
        line.scroll_visible(animate=False)

    def action_cancel(self) -> None:
        """Close without allowing anything."""
        self.dismiss(None)
