"""The input line for commands to the sandbox and messages to the model."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Label
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.format.one_line import with_its_lines
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.widgets.line_input import ProseLine

Purpose = Literal["command", "message", "reject", "answer", "reword"]

PLACEHOLDER: dict[Purpose, str] = {
    "command": (
        "run a command in the sandbox · {told} private / visible · {message} message the model"
    ),
    "message": "message the model; it reads this before its next reply",
    "reject": "reason · the model reads this instead of the call's result",
    "reword": "edit what is queued",
    "answer": "result to return instead of running the call",
}
_WORDS: dict[Purpose, str] = {
    "message": "message to the model",
    "reject": "reject",
    "reword": "edit message",
    "answer": "answer",
}
_SIGN: dict[Purpose, str] = {
    "command": "❯",
    "message": "✉",
    "reject": "✗",
    "answer": "↩",
    "reword": "✎",
}


def _placeholder(purpose: Purpose) -> str:
    return PLACEHOLDER[purpose].format(told=hint("inject.told"), message=hint("live.message"))


class InjectBar(Horizontal):
    """One input line with several purposes.

    Attributes:
        purpose: what enter does.
        is_visible_to_model: whether the model is told about a command and its output.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("inject.leave", "leave"),
        binding("inject.earlier", "earlier(1)", show=False),
        binding("inject.later", "earlier(-1)", show=False),
        binding("inject.told", "toggle_visible_to_model"),
    ]

    DEFAULT_CSS = """
    InjectBar {
        height: 3; border: round $border-blurred; padding: 0 1;
        border-title-color: $role-dim; border-subtitle-color: $role-dim;
        &:focus-within { border: round $accent; border-subtitle-color: $accent; }
        Label { width: 2; color: $accent; }
    }
    """

    enter_words = "send"

    _focused = False
    _before = ""
    _back = 0
    _unsent = ""
    _gone = ""

    purpose: reactive[Purpose] = reactive("command", init=False)
    is_visible_to_model: reactive[bool] = reactive(True, init=False)

    class Sent(Message):
        """The user submitted a line."""

        def __init__(self, purpose: Purpose, text: str, is_visible_to_model: bool) -> None:
            super().__init__()
            self.purpose: Purpose = purpose
            self.text = text
            self.is_visible_to_model = is_visible_to_model

    class Closed(Message):
        """The input returns the focus."""

    def compose(self) -> ComposeResult:
        """Yield a sign and an input."""
        yield Label(_SIGN["command"])
        yield ProseLine(
            placeholder=_placeholder("command"), id="inject-input", select_on_focus=False
        )

    def on_mount(self) -> None:
        """Show what enter does."""
        self._sent: dict[Purpose, list[str]] = {}
        self._drafts: dict[Purpose, str] = {}
        self._show()

    def ask(self, purpose: Purpose, text: str | None = None) -> None:
        """Focus the input for a purpose immediately, so that the next key goes here.

        Args:
            purpose: what enter does.
            text: the initial text; None keeps what was typed for this purpose and not sent.
        """
        self._switch_to(purpose)
        field = self.query_one(Input)
        if text is not None:
            self._before = text
            field.value = sanitize(text, newlines=False)
            field.cursor_position = len(field.value)
        if field.focusable:
            self.screen.set_focus(field)
        else:  # it appears with the next refresh
            self.call_after_refresh(field.focus)

    def say_gone(self, why: str) -> None:
        """Take no more lines, and say why."""
        self._gone = why
        self.query_one(Input).disabled = True
        self._show()

    def action_leave(self) -> None:
        """Return the focus and keep the typed text for its purpose."""
        self._switch_to("command")
        self.post_message(self.Closed())

    def action_earlier(self, step: int) -> None:
        """Recall an earlier line (1), or a later one (-1)."""
        sent, field = self._sent.get(self.purpose, []), self.query_one(Input)
        back = min(max(self._back + step, 0), len(sent))
        if back == self._back:
            return
        if self._back == 0:
            self._unsent = field.value
        self._back = back
        field.value = sanitize(sent[-back], newlines=False) if back else self._unsent
        field.cursor_position = len(field.value)

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only a command can be hidden from the model."""
        return action != "toggle_visible_to_model" or self.purpose == "command"

    def action_toggle_visible_to_model(self) -> None:
        """Toggle whether the model is told about the command."""
        self.is_visible_to_model = not self.is_visible_to_model

    def watch_purpose(self) -> None:
        """Show what enter does."""
        self._show()
        self.refresh_bindings()

    def watch_is_visible_to_model(self) -> None:
        """Show whether the model is told about the command."""
        self._show()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value if self.purpose in ("reject", "answer") else event.value.strip()
        if not text and self.purpose in ("command", "message", "reword"):
            return
        if self.purpose == "reword":
            text = with_its_lines(text, self._before)
        text = self.query_one(ProseLine).with_pasted_lines(text)
        purpose = self.purpose
        event.input.value = ""
        self._switch_to("command")
        if purpose in ("command", "message"):
            self._sent.setdefault(purpose, []).append(text)
        self.post_message(self.Sent(purpose, text, self.is_visible_to_model))

    def _switch_to(self, purpose: Purpose) -> None:
        """Change what enter does, and show what was typed for that: a message is no command."""
        self._back = 0
        if purpose == self.purpose:
            return
        field = self.query_one(Input)
        self._drafts[self.purpose] = field.value
        self.purpose = purpose
        field.value = self._drafts.pop(purpose, "")
        field.cursor_position = len(field.value)

    def _show(self) -> None:
        if self._gone:
            self.query_one(Input).placeholder = self._gone
            self.border_subtitle = ""
            return
        self.query_one(Label).update(_SIGN[self.purpose])
        self.query_one(Input).placeholder = _placeholder(self.purpose)
        told = "visible to model ◉" if self.is_visible_to_model else "private ○"
        words = told if self.purpose == "command" else _WORDS[self.purpose]
        leave = f"{hint('inject.leave')} {self._leave_words}"
        self.border_subtitle = f"enter send · {leave} · {words}" if self._focused else words

    @property
    def _leave_words(self) -> str:
        """What leaving does: only a command or a message is kept in the line."""
        return "close" if self.purpose in ("command", "message") else "cancel"

    def words_for(self, action: str) -> str | None:
        """Return what a key of the line currently does, for the key bar; None: as its table
        says."""
        return self._leave_words if action == "leave" else None

    def on_descendant_focus(self) -> None:
        """Show how to leave the input."""
        self._focused = True
        self._show()

    def on_descendant_blur(self) -> None:
        """Show what enter would do."""
        self._focused = False
        self._show()
