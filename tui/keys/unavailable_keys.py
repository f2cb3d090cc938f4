"""Explains why a key does nothing now."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from textual.app import App
from textual.events import Key
from textual.message_pump import MessagePump

from sandbox_tui.tui.keys.available_actions import disabled_action, why_key_is_disabled
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.key_sequencer import ignore_burst
from sandbox_tui.tui.keys.unavailable_reasons import as_sentence
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

MIN_SECONDS = 1.0
"""Seconds for which it is shown even if it is outdated meanwhile: until it has been read."""


class ExplainsUnavailableKeys(App[Result], Generic[Result]):
    """An app that answers the key of an unavailable action with the reason: the one for the latest
    key only, and only as long as it is true."""

    _last_reason = ""
    _said_at = 0.0

    _reason_now: Callable[[], str] | None = None
    """Tells the reason as of now, as a sentence; empty if there is none any more."""

    def on_mount(self) -> None:
        """Watch the screens; Textual calls the `on_mount` of every base class."""
        self.screen_change_signal.subscribe(  # pyright: ignore[reportUnknownMemberType]
            self, self.forget_reason, immediate=True
        )

    def forget_reason(self, _: object = None) -> None:
        """Remove the reason for a key: it is not about a dialog that another key has opened, nor
        about another run."""
        self._reason_now = None
        for old in shown_toasts(self):
            if old.message == self._last_reason:
                remove_toast(self, old, refresh=False)

    def say_reason(self, reason_now: Callable[[], str]) -> None:
        """Show a reason until the keys of the screen change and it is no longer the one.

        Args:
            reason_now: returns the reason as of now, as a sentence; empty if there is none.
        """
        self.forget_reason()
        self._last_reason, self._reason_now = reason_now(), reason_now
        self._said_at = time.monotonic()
        for screen in self.screen_stack:  # the same subscription again changes nothing
            screen.bindings_updated_signal.subscribe(  # pyright: ignore[reportUnknownMemberType]
                self, self._forget_outdated_reason, immediate=True
            )
        self.notify(self._last_reason, timeout=SECONDS, markup=False)

    def say_refusal(self, words: str) -> None:
        """Say that a key decided nothing, until another key decides."""
        self.forget_reason()
        self._last_reason = words
        self.notify(words, markup=False)

    def _forget_outdated_reason(self, _: object = None) -> None:
        if self._reason_now is None or self._reason_now() == self._last_reason:
            return
        if (left := self._said_at + MIN_SECONDS - time.monotonic()) > 0:
            self.set_timer(left, self._forget_outdated_reason)
        else:
            for old in shown_toasts(self):
                if old.message == self._last_reason:
                    remove_toast(self, old)

    def on_key(self, event: Key) -> None:
        """Handle a key that no widget has consumed, before its action is looked up."""
        if event.key == "escape":  # pressed to get out of something: words would be in the way
            return
        screen = self.screen if self.screen_stack else None
        words = why_key_is_disabled(screen, event.key) if screen is not None else ""
        if screen is not None and words:
            action, _ = disabled_action(screen, event.key)
            if action in _OPENERS or words.startswith(_OPENERS_ELSEWHERE):
                ignore_burst(self)
            self.say_reason(partial(why_key_is_disabled, screen, event.key))

    def action_help_quit(self) -> None:
        """Answer ctrl+c where nothing is selected: say how to quit."""
        words = f"{hint('app.quit')} quits; ctrl+c copies what is selected."
        self._last_reason = words
        self.notify(words, timeout=SECONDS, markup=False)


def say_reason(node: MessagePump, reason_now: Callable[[], str]) -> None:
    """Say why an action does nothing, as long as that is true.

    Args:
        node: of the app.
        reason_now: returns the reason as of now, in a few words; empty if there is none.
    """
    app = app_of(node)
    if isinstance(app, ExplainsUnavailableKeys):
        app.say_reason(lambda: as_sentence(why) if (why := reason_now()) else "")


def say_refusal(node: MessagePump, words: str) -> None:
    """Say that a key decided nothing, until another key decides: see `forget_reason`.

    Args:
        node: of the app.
        words: a sentence.
    """
    app = app_of(node)
    if isinstance(app, ExplainsUnavailableKeys):
        app.say_refusal(words)


def forget_reason(node: MessagePump) -> None:
    """Remove the reason why a key did nothing: it was about something that the cursor has left."""
    app = app_of(node)
    if isinstance(app, ExplainsUnavailableKeys):
        app.forget_reason()
