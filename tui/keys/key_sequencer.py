"""Handles keys one after the other, in the order in which they were pressed.

Textual passes a key to the focused widget. If that does not consume it, the key bubbles from queue
to queue up to the app, where bindings are looked up. Meanwhile, the next key is dispatched. Over a
slow line, where several keys arrive at once, a letter can overtake the backspace before it, and
words typed after the key that opens an input line are treated as separate keys. Here, a key is
dispatched only after the previous one has been handled.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Awaitable, Coroutine
from time import monotonic
from typing import Any, Generic, TypeVar

from textual import events
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.timer import Timer

from sandbox_tui.tui.textual_support.private_api import character_to_key
from sandbox_tui.tui.textual_support.typed_app import app_of

KEY_TIMEOUT_SECONDS = 0.25
"""Timeout for one key, whose widget may have been removed or be busy."""

LEFT_SECONDS = 0.5
"""A key that follows sooner than this after an escape, or the same key, left a screen was meant for
that screen."""

REPEATED_ESCAPE_SECONDS = 0.5
"""An escape that follows another one sooner than this was meant for the same thing."""

SENT_LINE_SECONDS = 1.0
"""An escape that follows a sent line sooner than this was meant to leave its input."""

BURST_SECONDS = 0.4
"""Keys that follow each other sooner than this are typed in one go."""

REPEATED_KEYS = 4
"""A key that comes this often in a row is held down or pressed again: nobody types that."""

NEVER_IGNORED = frozenset(("escape", "ctrl+q", "ctrl+c"))
"""Keys that work even in a burst that is ignored."""

DIALOG_TIMEOUT_SECONDS = 2.0
"""Timeout for a dialog whose contents are being read."""

ROUNDS = 2
"""Number of times the marker bubbles: the second time, it comes after the messages that the key
caused."""


class KeyHandled(Message):
    """A marker that bubbles behind a key: when it arrives, the key has been handled.

    Attributes:
        number: of the key.
        start: the widget that received the key.
        rounds: how many more times it has to bubble.
    """

    def __init__(self, number: int, start: MessagePump, rounds: int) -> None:
        super().__init__()
        self.number = number
        self.start = start
        self.rounds = rounds


Result = TypeVar("Result")


class SequentialKeys(App[Result], Generic[Result]):
    """An app that handles one key at a time."""

    _keys_pressed = 0
    _key_under_way: int | None = None
    _key_timer: Timer | None = None
    _holds_keys = False
    _hold = 0
    _escaped_at = -math.inf
    _sent_at = -math.inf
    _last_key_at = -math.inf
    _ignored: tuple[str, int] | None = None
    """In a burst that is ignored, its last key, and how often that came in a row."""

    typed_ahead = ""
    """Characters typed before the app could read keys; they are handled first."""

    last_key = ""
    """The key that is being handled, or was last."""

    _left_at = -math.inf
    _left_by = ""
    _base_shown: Screen[Any] | None = None

    follows_leaving = False
    """Whether the key that is being handled came soon after a screen was left, by escape or by the
    same key."""

    is_repeated_escape = False
    """Whether the key that is being handled is an escape soon after another one, or soon after a
    line was sent."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._keys_waiting: deque[events.Key] = deque()

    def on_mount(self) -> None:
        """Notice each screen that is shown; handle what was typed before."""
        if self.typed_ahead:
            keys = (events.Key(character_to_key(typed), typed) for typed in self.typed_ahead)
            self._keys_waiting.extendleft(reversed(list(keys)))
            self._holds_keys = True
            self.call_later(self._let_keys_go)
        self.screen_change_signal.subscribe(  # pyright: ignore[reportUnknownMemberType]
            self, self._screen_shown, immediate=True
        )

    async def on_event(self, event: events.Event) -> None:
        """Queue a key while another is being handled."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif self._key_under_way is None and not self._holds_keys:
            if not self._is_ignored(event):
                await self._hand_out(event)
        else:
            self._keys_waiting.append(event)

    async def _hand_out(self, event: events.Key) -> None:
        start = self.focused or self.screen
        self._note_escape(event)
        is_soon = event.time - self._left_at < LEFT_SECONDS
        self.follows_leaving = is_soon and self._left_by in ("escape", event.key)
        self.last_key = event.key
        self._left_at = -math.inf  # whoever presses the key again means it
        self._last_key_at = event.time
        self._keys_pressed += 1
        self._key_under_way = self._keys_pressed
        await super().on_event(event)
        if event.is_forwarded and start.post_message(
            KeyHandled(self._keys_pressed, start, ROUNDS - 1)
        ):
            number = self._keys_pressed
            self._key_timer = self.set_timer(KEY_TIMEOUT_SECONDS, lambda: self._key_is_done(number))
        else:
            await self._next_key()

    @property
    def pressed_at(self) -> float:
        """When the key that is being handled was pressed; infinity if none is."""
        return math.inf if self._key_under_way is None else self._last_key_at

    def note_sent_line(self) -> None:
        """Take an escape that follows soon for one that was to leave the input of a line that is
        sent now."""
        self._sent_at = monotonic()

    def _note_escape(self, event: events.Key) -> None:
        since = event.time - self._escaped_at
        is_escape = event.key == "escape"
        leaves_input = is_escape and event.time - self._sent_at < SENT_LINE_SECONDS
        self.is_repeated_escape = leaves_input or (is_escape and since < REPEATED_ESCAPE_SECONDS)
        self._sent_at = -math.inf  # whoever presses another key means the next escape
        if not is_escape:
            self._escaped_at = -math.inf
        elif leaves_input or not self.is_repeated_escape:
            self._escaped_at = event.time

    async def on_key_handled(self, event: KeyHandled) -> None:
        """Called when the marker has bubbled up to the app."""
        event.stop()
        if event.number != self._key_under_way:
            return
        again = KeyHandled(event.number, event.start, event.rounds - 1)
        if event.rounds == 0 or not event.start.post_message(again):
            await self._key_is_done(event.number)

    async def _key_is_done(self, number: int) -> None:
        if number == self._key_under_way:
            await self._next_key()

    async def _next_key(self) -> None:
        if self._key_timer is not None:
            self._key_timer.stop()
            self._key_timer = None
        self._key_under_way = None
        await self._hand_out_waiting()

    async def _hand_out_waiting(self) -> None:
        while self._keys_waiting and self._is_ignored(self._keys_waiting[0]):
            self._keys_waiting.popleft()
        if self._keys_waiting and self._key_under_way is None and not self._holds_keys:
            await self._hand_out(self._keys_waiting.popleft())

    # --- keys for an input that did not open

    def ignore_burst(self) -> None:
        """Ignore the keys that were typed right after the one that is being handled: they were
        meant for the input that it would have opened."""
        self._ignored = ("", 0)

    def _is_ignored(self, event: events.Key) -> bool:
        if self._ignored is None or event.key in NEVER_IGNORED:
            return False
        key, times = self._ignored
        times = times + 1 if event.key == key else 1
        is_typed = event.time - self._last_key_at < BURST_SECONDS and times < REPEATED_KEYS
        self._ignored = (event.key, times) if is_typed else None
        self._last_key_at = event.time
        return is_typed

    # --- keys for a dialog that opens after something has been read

    def hold_keys_for(self, asking: Awaitable[None]) -> Coroutine[Any, Any, None]:
        """Hold keys back from now on, until `asking` shows a screen or ends, at most two seconds.

        Returns:
            What awaits `asking`.
        """
        self._holds_keys = True
        self._hold += 1
        timer = self.set_timer(DIALOG_TIMEOUT_SECONDS, self._let_keys_go)
        return self._let_keys_go_after(asking, timer, self._hold)

    async def _let_keys_go_after(self, asking: Awaitable[None], timer: Timer, hold: int) -> None:
        try:
            await asking
        finally:
            timer.stop()
            if hold == self._hold:  # otherwise, keys wait for another dialog now
                self._let_keys_go()

    def _screen_shown(self, screen: Screen[Any]) -> None:
        self._let_keys_go()
        if screen.is_modal or screen is self._base_shown:
            return
        if self._base_shown is not None and self._base_shown not in self.screen_stack:
            self._left_at, self._left_by = monotonic(), self.last_key
        self._base_shown = screen

    def _let_keys_go(self) -> None:
        if self._holds_keys:
            self._holds_keys = False
            self.call_later(self._hand_out_waiting)


def keys_for_dialog(
    node: MessagePump, asking: Coroutine[Any, Any, None]
) -> Coroutine[Any, Any, None]:
    """Return what awaits `asking`, which reads something and then opens a dialog: from now on, keys
    wait for the dialog."""
    app = app_of(node)
    return app.hold_keys_for(asking) if isinstance(app, SequentialKeys) else asking


def note_sent_line(node: MessagePump) -> None:
    """Note that a line is sent, whose input an escape that follows soon was to leave."""
    app = app_of(node)
    if isinstance(app, SequentialKeys):
        app.note_sent_line()


def is_repeated_escape(node: MessagePump) -> bool:
    """Return whether the key that is being handled is an escape soon after another one, or soon
    after a line was sent."""
    app = app_of(node)
    return isinstance(app, SequentialKeys) and app.is_repeated_escape


def pressed_at(node: MessagePump) -> float:
    """Return when the key that is being handled was pressed, on the monotonic clock; infinity if
    none is: a click is only on what has been drawn."""
    app = app_of(node)
    return app.pressed_at if isinstance(app, SequentialKeys) else math.inf


def follows_leaving(node: MessagePump) -> bool:
    """Return whether the key that is being handled came soon after a screen was left, by escape or
    by the same key."""
    app = app_of(node)
    return isinstance(app, SequentialKeys) and app.follows_leaving


def is_escape(node: MessagePump) -> bool:
    """Return whether the key that is being handled is escape."""
    app = app_of(node)
    return isinstance(app, SequentialKeys) and app.last_key == "escape"


def ignore_burst(node: MessagePump) -> None:
    """Ignore what was typed right after the key that is being handled: its input did not open."""
    app = app_of(node)
    if isinstance(app, SequentialKeys):
        app.ignore_burst()
