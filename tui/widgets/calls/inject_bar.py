"""The input line for commands to the sandbox and messages to the model."""

from __future__ import annotations

from typing import ClassVar, Literal

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Label
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.tui.format.one_line import with_its_lines
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.terminal_io.external_editor import edit_in_editor
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.message_text import MessageText
from sandbox_tui.tui.widgets.line_input import ProseLine

Purpose = Literal["command", "message", "reject", "answer", "reword"]

PLACEHOLDER: dict[Purpose, str] = {
    "command": "run a command in the sandbox · {told} private · {message} message the model",
    "message": "message the model; it reads this before its next reply",
    "reject": "reason · the model reads it as the call's result",
    "reword": "edit what is queued",
    "answer": "result to return instead of running the call",
}
PRIVATE_PLACEHOLDER = (
    "run a private command in the sandbox · {told} visible · {message} message the model"
)
"""Of a command about which the model is not told."""

SEPARATOR = " · "
"""Between the parts of a placeholder."""

_WORDS: dict[Purpose, str] = {
    "message": "message to the model",
    "reject": "reject",
    "reword": "edit message",
    "answer": "answer",
}
_ENTER: dict[Purpose, str] = {"command": "run", "reword": "save"}
"""What enter does; it sends all others."""

_ABOUT_CALL: tuple[Purpose, ...] = ("reject", "answer")
"""What decides on the waiting call."""

_HAS_LINES: tuple[Purpose, ...] = ("message", "reword")
"""What is shown as several lines if it has them."""

AROUND = 3
"""Columns of the line that are not for the placeholder: the sign, and a place for the cursor."""

_SIGN: dict[Purpose, str] = {
    "command": "❯",
    "message": "✉",
    "reject": "✗",
    "answer": "↩",
    "reword": "✎",
}

_PRIVATE_SIGN = "○"
"""In place of that of a command about which the model is not told."""


def _placeholder(purpose: Purpose, width: int, *, is_private: bool = False) -> str:
    """Return what a line is for, as many of its parts as fit."""
    words = PRIVATE_PLACEHOLDER if is_private else PLACEHOLDER[purpose]
    words = words.format(told=hint("inject.told"), message=hint("live.message"))
    while width and cell_len(words) > width and SEPARATOR in words:
        words = words.rpartition(SEPARATOR)[0]
    return words


class InjectBar(Horizontal):
    """One input line with several purposes; a message may have several lines.

    Attributes:
        purpose: what enter does.
        is_visible_to_model: whether the model is told about a command and its output.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("inject.leave", "leave"),
        binding("inject.earlier", "earlier(1)", show=False),
        binding("inject.later", "earlier(-1)", show=False),
        binding("inject.told", "toggle_visible_to_model"),
        binding("inject.newline", "newline"),
        binding("inject.editor", "open_editor"),
    ]

    DEFAULT_CSS = """
    InjectBar {
        height: 3; border: round $border-blurred; padding: 0 1;
        border-title-color: $role-dim; border-subtitle-color: $role-dim;
        &:focus-within {
            border: round $accent; border-title-color: $accent; border-subtitle-color: $accent;
        }
        Label { width: 2; color: $accent; }
        MessageText { display: none; }
        &.-lines { height: auto; ProseLine { display: none; } MessageText { display: block; } }
    }
    """

    _focused = False
    _before = ""
    _back = 0
    _unsent = ""
    _gone = ""
    _refused = ""
    _call = 0

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
            placeholder=_placeholder("command", 0), id="inject-input", select_on_focus=False
        )
        yield MessageText(id="inject-text")

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
        if text is not None:
            self._before = text
            self._put(text)
        field = self._field
        if field.focusable:
            self.screen.set_focus(field)
        else:  # it appears with the next refresh
            self.call_after_refresh(field.focus)

    def begin_deciding(self, call: int) -> None:
        """Forget what was typed about another call: a reason belongs to its call."""
        self._call = call
        for purpose in _ABOUT_CALL:
            self._drafts.pop(purpose, None)
        if self.purpose in _ABOUT_CALL:
            self._put("")
            self._show()

    @property
    def _field(self) -> ProseLine | MessageText:
        """The field that is shown."""
        return self.query_one(MessageText if self.has_class("-lines") else ProseLine)

    @property
    def _typed(self) -> str:
        field = self._field
        return field.text if isinstance(field, MessageText) else field.value

    @property
    def enter_words(self) -> str:
        """What enter does, for the key bar."""
        return _ENTER.get(self.purpose, "send")

    def _put(self, text: str, *, at_start: bool = False) -> None:
        """Show a text: a message with line breaks in a field of several rows, all others in one."""
        has_focus = self._field.has_focus
        self.set_class(self.purpose in _HAS_LINES and "\n" in text, "-lines")
        field = self._field
        if isinstance(field, MessageText):
            field.put(sanitize(text), at_start=at_start)
        else:
            field.value = sanitize(text, newlines=False)
            field.cursor_position = len(field.value)
        if has_focus:
            self.screen.set_focus(field)

    def say_gone(self, why: str) -> None:
        """Take no more lines, and say why."""
        self._gone = why
        self.query_one(Input).disabled = True
        self._show()

    def say_refused(self, why: str) -> None:
        """Say why the run takes no lines now, in place of what they are for; empty if it does."""
        if why != self._refused:
            self._refused = why
            self._show()

    def action_leave(self) -> None:
        """Return the focus and keep the typed text for its purpose."""
        self._switch_to("command")
        self.post_message(self.Closed())

    def action_earlier(self, step: int) -> None:
        """Recall an earlier line (1), or a later one (-1)."""
        sent = self._sent.get(self.purpose, [])
        back = min(max(self._back + step, 0), len(sent))
        if back == self._back:
            return
        if self._back == 0:
            self._unsent = self._typed
        self._back = back
        # the same key goes on from there, however many lines this one has
        self._put(sent[-back] if back else self._unsent, at_start=step > 0)

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only a command can be hidden from the model, and only a message has several lines."""
        if action in ("newline", "open_editor"):
            return self.purpose in _HAS_LINES
        return action != "toggle_visible_to_model" or self.purpose == "command"

    def action_newline(self) -> None:
        """Break the line of the message at the cursor."""
        field = self._field
        if isinstance(field, MessageText):
            field.insert("\n")
            return
        before, after = field.value[: field.cursor_position], field.value[field.cursor_position :]
        self._put(f"{before}\n{after}")
        self.query_one(MessageText).move_cursor((1, 0))

    @work(exclusive=True)
    async def action_open_editor(self) -> None:
        """Write the message in `$EDITOR`; it is sent from here."""
        try:
            written = await edit_in_editor(app_of(self), self._typed, ".md")
        except SandboxTuiError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        self._put(written.rstrip("\n"))

    @on(ProseLine.PastedLines)
    def _pasted_lines(self, event: ProseLine.PastedLines) -> None:
        """Let a message grow with the lines that were pasted into it."""
        if self.purpose in _HAS_LINES:
            event.stop()
            field = self.query_one(ProseLine)
            self._put(field.with_pasted_lines(field.value))

    @on(MessageText.Sent)
    def _sent_lines(self, event: MessageText.Sent) -> None:
        event.stop()
        text = self._typed.strip()
        if self.purpose == "reword" and text == sanitize(self._before).strip():
            text = self._before.strip()
        if text:
            self._send(text)

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
        self.refresh_bindings()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value if self.purpose in ("reject", "answer") else event.value.strip()
        if not text and self.purpose in ("command", "message", "reword"):
            return
        if self.purpose == "reword":
            text = with_its_lines(text, self._before)
        self._send(self.query_one(ProseLine).with_pasted_lines(text))

    def _send(self, text: str) -> None:
        purpose = self.purpose
        self._put("")
        self._switch_to("command")
        if purpose in ("command", "message"):
            self._sent.setdefault(purpose, []).append(text)
        self.post_message(self.Sent(purpose, text, self.is_visible_to_model))

    def _switch_to(self, purpose: Purpose) -> None:
        """Change what enter does, and show what was typed for that: a message is no command."""
        self._back = 0
        if purpose == self.purpose:
            return
        self._drafts[self.purpose] = self._typed
        self.purpose = purpose
        self._put(self._drafts.pop(purpose, ""))

    def _show(self) -> None:
        if self._gone:
            self.query_one(Input).placeholder = self._gone
            self.border_title = self.border_subtitle = ""
            return
        self.query_one(Label).update(_PRIVATE_SIGN if self._is_private else _SIGN[self.purpose])
        self._show_placeholder()
        told = "visible to model ◉" if self.is_visible_to_model else "private ○"
        words = told if self.purpose == "command" else _WORDS[self.purpose]
        if self._refused and self.purpose == "command":
            words = "read only"
        if self.purpose in _ABOUT_CALL and self._call:
            words = f"{words} call {self._call}"
        leave = f"{hint('inject.leave')} {self._leave_words}"
        self.border_title = words
        self.border_subtitle = f"enter {self.enter_words} · {leave}" if self._focused else ""

    @property
    def _is_private(self) -> bool:
        return self.purpose == "command" and not self.is_visible_to_model

    def _show_placeholder(self) -> None:
        width = self.content_size.width - AROUND
        words = self._gone or self._refused
        self.query_one(Input).placeholder = words or _placeholder(
            self.purpose, max(0, width), is_private=self._is_private
        )

    def on_resize(self) -> None:
        """Fit the placeholder into the line."""
        self._show_placeholder()

    @property
    def _leave_words(self) -> str:
        """What leaving does: only a command or a message is kept in the line."""
        return "close" if self.purpose in ("command", "message") else "cancel"

    def words_for(self, action: str) -> str | None:
        """Return what a key of the line currently does, for the key bar; None: as its table
        says."""
        if action == "toggle_visible_to_model":
            return "private" if self.is_visible_to_model else "visible"
        return self._leave_words if action == "leave" else None

    def on_descendant_focus(self) -> None:
        """Show how to leave the input."""
        self._focused = True
        self._show()

    def on_descendant_blur(self) -> None:
        """Show what enter would do."""
        self._focused = False
        self._show()
