"""The line in which a person types a command for the sandbox or words for the model."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Label

from ...core.text import clean
from ..keymap import hint

Purpose = Literal["command", "message", "reject", "answer", "reword"]

_PLACEHOLDER: dict[Purpose, str] = {
    "command": (
        "run a command in the sandbox · {told} told / not told · {message} writes to the model"
    ),
    "message": "write to the model; it reads this before its next reply",
    "reject": "why not? the model reads this instead of the call's result · {leave} goes back",
    "reword": "what waits, in other words · {leave} leaves it as it is",
    "answer": "answer the call in the tool's stead · {leave} goes back",
}
_WORDS: dict[Purpose, str] = {
    "message": "message to the model",
    "reject": "reject",
    "reword": "in other words",
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
    return _PLACEHOLDER[purpose].format(
        told=hint("inject.told"), message=hint("live.message"), leave=hint("inject.leave")
    )


class InjectBar(Horizontal):
    """One input with several purposes.

    Attributes:
        purpose: what enter does.
        told: whether the model is told of a command and its output.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", show=False, id="inject.leave"),
        Binding("ctrl+t", "toggle_told", "Told / not told", show=False, id="inject.told"),
    ]

    DEFAULT_CSS = """
    InjectBar {
        height: 3; border: round $border-blurred; padding: 0 1;
        border-title-color: $role-dim; border-subtitle-color: $role-dim;
        &:focus-within { border: round $accent; border-subtitle-color: $accent; }
        Label { width: 2; color: $accent; }
        Input { border: none; height: 1; padding: 0; background: transparent; width: 1fr; }
        Input:focus { border: none; }
    }
    """

    _focused = False

    purpose: reactive[Purpose] = reactive("command", init=False)
    told: reactive[bool] = reactive(True, init=False)

    class Sent(Message):
        """A person pressed enter on something."""

        def __init__(self, purpose: Purpose, text: str, told: bool) -> None:
            super().__init__()
            self.purpose: Purpose = purpose
            self.text = text
            self.told = told

    class Left(Message):
        """The keyboard is given back."""

    def compose(self) -> ComposeResult:
        """A sign and an input."""
        yield Label(_SIGN["command"])
        yield Input(placeholder=_placeholder("command"), id="inject-input", select_on_focus=False)

    def on_mount(self) -> None:
        """Show what enter does."""
        self._show()

    def ask(self, purpose: Purpose, text: str | None = None) -> None:
        """Take the keyboard for this purpose, at once: the next key already belongs here.

        Args:
            purpose: what enter does.
            text: to begin with; None: what stands there already.
        """
        self.purpose = purpose
        field = self.query_one(Input)
        if text is not None:
            field.value = clean(text, newlines=False)
            field.cursor_position = len(field.value)
        if field.focusable:
            self.screen.set_focus(field)
        else:  # it appears with the next refresh
            self.call_after_refresh(field.focus)

    def action_leave(self) -> None:
        """Give the keyboard back; what was typed stays."""
        if self.purpose == "reword":
            self.query_one(Input).value = ""
        self.purpose = "command"
        self.post_message(self.Left())

    def action_toggle_told(self) -> None:
        """Change whether the model is told."""
        self.told = not self.told

    def watch_purpose(self) -> None:
        """Show what enter does."""
        self._show()

    def watch_told(self) -> None:
        """Show whether the model is told."""
        self._show()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value if self.purpose in ("reject", "answer") else event.value.strip()
        if not text and self.purpose in ("command", "message", "reword"):
            return
        event.input.value = ""
        purpose = self.purpose
        if purpose not in ("command", "message"):
            self.purpose = "command"
        self.post_message(self.Sent(purpose, text, self.told))

    def _show(self) -> None:
        self.query_one(Label).update(_SIGN[self.purpose])
        self.query_one(Input).placeholder = _placeholder(self.purpose)
        told = "told to model ◉" if self.told else "not told to model ○"
        words = told if self.purpose == "command" else _WORDS[self.purpose]
        self.border_subtitle = (
            f"enter sends · {hint('inject.leave')} leaves · {words}" if self._focused else words
        )

    def on_descendant_focus(self) -> None:
        """Say how to get out again."""
        self._focused = True
        self._show()

    def on_descendant_blur(self) -> None:
        """Back to what enter would do."""
        self._focused = False
        self._show()
