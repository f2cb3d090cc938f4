"""Explains why a key does nothing now."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.app import App
from textual.events import Key
from textual.message_pump import MessagePump

from sandbox_tui.tui.keys.available_actions import disabled_action, why_key_is_disabled
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.key_sequencer import ignore_burst
from sandbox_tui.tui.textual_support.private_api import remove_toast, shown_toasts
from sandbox_tui.tui.textual_support.typed_app import app_of

_OPENERS = (
    *(f"live.{name}" for name in ("shell", "inject", "message", "reject", "answer")),
    *("wall.message", "wall.reject"),
)
"""The actions of keys that open an input: what follows is typed text."""

_OPENERS_ELSEWHERE = tuple(f"{ACTIONS[name].short_title}: " for name in _OPENERS)
"""How the sentences about such keys begin where they have no action."""

Result = TypeVar("Result")

SECONDS = 3.0
"""Seconds for which the reason is shown."""


class ExplainsUnavailableKeys(App[Result], Generic[Result]):
    """An app that answers the key of an unavailable action with the reason: the one for the latest
    key only."""

    _last_reason = ""

    def on_mount(self) -> None:
        """Watch the screens; Textual calls the `on_mount` of every base class."""
        self.screen_change_signal.subscribe(  # pyright: ignore[reportUnknownMemberType]
            self, self.forget_reason, immediate=True
        )

    def forget_reason(self, _: object = None) -> None:
        """Remove the reason for a key: it is not about a dialog that another key has opened, nor
        about another run."""
        for old in shown_toasts(self):
            if old.message == self._last_reason:
                remove_toast(self, old, refresh=False)

    def on_key(self, event: Key) -> None:
        """Handle a key that no widget has consumed, before its action is looked up."""
        if event.key == "escape":  # pressed to get out of something: words would be in the way
            return
        words = why_key_is_disabled(self.screen, event.key) if self.screen_stack else ""
        if words:
            action, _ = disabled_action(self.screen, event.key)
            if action in _OPENERS or words.startswith(_OPENERS_ELSEWHERE):
                ignore_burst(self)
            self.forget_reason()
            self._last_reason = words
            self.notify(words, timeout=SECONDS, markup=False)

    def action_help_quit(self) -> None:
        """Answer ctrl+c where nothing is selected: say how to quit."""
        words = f"{hint('app.quit')} quits; ctrl+c copies what is selected."
        self._last_reason = words
        self.notify(words, timeout=SECONDS, markup=False)


def forget_reason(node: MessagePump) -> None:
    """Remove the reason why a key did nothing: it was about something that the cursor has left."""
    app = app_of(node)
    if isinstance(app, ExplainsUnavailableKeys):
        app.forget_reason()
