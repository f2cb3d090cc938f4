"""Toasts that cover nothing and do not pile up: one of the same kind replaces the previous one, and
the oldest are removed to make room for the newest.

They stand in lines of their own above the key bar, on every screen and dialog: what is above gets
smaller for as long as they are shown. Where nothing may move, those that disappear by themselves
cover the line above the key bar instead. A key that does nothing says so each time it is pressed; a
dozen toasts would leave no room for the screen.
"""

from __future__ import annotations

import re
import time
from typing import Any, Generic, TypeVar

from textual import events
from textual.app import App
from textual.message_pump import MessagePump
from textual.notifications import Notification, Notify, SeverityLevel
from textual.screen import Screen

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.textual_support.private_api import (
    place_toasts,
    remove_toast,
    shown_toasts,
)
from sandbox_tui.tui.textual_support.typed_app import app_of

SHARE = 4
"""Together, toasts take one in this many lines of the screen; a single one is always shown."""

MAX_TOASTS = 2
"""Maximum number of toasts at a time, besides those that stay."""

MAX_NOTICE_SECONDS = 5.0
"""A toast shown for at most this long, as by default, is a notice about the screen or dialog, and
disappears with that. It answers a key, and disappears with the next one, unless it warns."""

UNSEEN_SECONDS = 0.2
"""A key that was pressed sooner than this after an answer appeared was not pressed after reading
it: the answer is left to the next key."""

RESULT_SECONDS = 6.0
"""A toast about the result of some work, the next screen or something in the background is shown
for at least this long, and stays when the screen changes."""

MIN_LASTING_SECONDS = 3600.0
"""A toast shown for at least this long stays until the program removes it."""

AROUND = 3
"""Columns of a toast in addition to its text: its edge, and a blank on both sides."""

Result = TypeVar("Result")


class NoticesMoveNothing:
    """Mixin for screens on which nothing may move when a notice is shown: it covers part of the
    line above the key bar for as long."""


class DedupedToasts(App[Result], Generic[Result]):
    """An app that shows each kind of toast only once at a time, limits their number, and reserves
    lines for them."""

    # The default layer: a dock in it takes its lines from what is above, instead of covering it.
    CSS = """
    ToastRack {
        layer: default; dock: bottom; margin: 0 0 1 0; max-height: 25%; visibility: visible;
        overflow-y: auto; scrollbar-size-vertical: 1;
    }
    ToastRack.-over { layer: _toastrack; }
    Toast { width: 100%; max-width: 100%; margin: 0; padding: 0 1; background: $panel; }
    ToastRack.-over Toast { width: auto; }
    ToastRack.-over ToastHolder { align-horizontal: left; }
    """

    _news = ""
    """Words that tell what has happened, and so outlast keys and screens."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._screen_of: dict[str, Screen[Any]] = {}  # by identity of the notice about it
        self._long_notices: set[str] = set()  # words that are about the screen nevertheless

    def on_mount(self) -> None:
        """Watch the screens."""
        self.screen_change_signal.subscribe(  # pyright: ignore[reportUnknownMemberType]
            self, self._screen_changed, immediate=True
        )

    async def on_event(self, event: events.Event) -> None:
        """Remove the answers to earlier keys, unless the new one is an escape, which puts toasts
        away by itself."""
        if isinstance(event, events.Key) and not event.is_forwarded and event.key != "escape":
            pressed_ago = time.monotonic() - event.time
            for old in shown_toasts(self):
                if self._is_answer(old) and _age(old) - pressed_ago >= UNSEEN_SECONDS:
                    remove_toast(self, old)
        await super().on_event(event)

    def on_notify(self, event: Notify) -> None:
        """Drop toasts of the same kind and those without room; Textual adds the new one after
        this."""
        new = event.notification
        room, places = self.size.height // SHARE - self._lines_of(new), MAX_TOASTS - 1
        for old in reversed(shown_toasts(self)):
            if _kind(old) == _kind(new):  # its place is that of the new one
                remove_toast(self, old, refresh=False)
                continue
            room -= self._lines_of(old)
            lasts = old.timeout >= MIN_LASTING_SECONDS
            places -= not lasts
            if room < 0 or (places < 0 and not lasts):
                remove_toast(self, old, refresh=False)
        if self.screen_stack and self._is_notice(new):  # it is empty once the program ends
            about = self.screen if self._is_answer(new) else self._base_screen
            self._screen_of[new.identity] = about
        self._place(new)

    def _place(self, new: Notification) -> None:
        """Let toasts move nothing on a screen that asks for that, if none of them stays."""
        pass_by = all(toast.timeout < MIN_LASTING_SECONDS for toast in (new, *shown_toasts(self)))
        for screen in self.screen_stack:
            covers = pass_by and isinstance(screen, NoticesMoveNothing)
            place_toasts(screen, over=covers)

    def notify_here(self, words: str, severity: SeverityLevel, seconds: float) -> None:
        """Show a toast about the screen: it disappears with that, however long it is shown."""
        self._long_notices.add(words)
        self.notify(words, severity=severity, markup=False, timeout=seconds)

    def notify_news(self, words: str, seconds: float) -> None:
        """Show what has happened, whichever screen and keys follow, however short that is."""
        self._news = words
        self.notify(words, markup=False, timeout=seconds)

    @property
    def tells_news(self) -> bool:
        """Whether a toast tells what has happened elsewhere."""
        return any(toast.message == self._news for toast in shown_toasts(self))

    def _is_notice(self, toast: Notification) -> bool:
        """Return whether a toast is about a screen or a dialog, and disappears with it."""
        if toast.message == self._news:
            return False
        return toast.timeout <= MAX_NOTICE_SECONDS or toast.message in self._long_notices

    def _is_answer(self, toast: Notification) -> bool:
        """Return whether a toast disappears with the next key."""
        is_short = toast.timeout <= MAX_NOTICE_SECONDS and toast.message != self._news
        return is_short and toast.severity == "information"

    def remove_shown_toast(self, message: str, title: str) -> None:
        """Remove this toast; all others stay."""
        for old in shown_toasts(self):
            if (old.message, old.title) == (message, title):
                remove_toast(self, old)

    def remove_notices_with(self, words: str) -> None:
        """Remove the notices that contain these words: what they say is no longer true."""
        for old in shown_toasts(self):
            if words in old.message:
                remove_toast(self, old)

    def _screen_changed(self, screen: Screen[Any]) -> None:
        """Remove the notices of other screens, and of dialogs that are closed."""
        shown = self.screen_stack[self.screen_stack.index(self._base_screen) :]
        of, self._screen_of = self._screen_of, {}
        for old in shown_toasts(self):
            if (about := of.get(old.identity)) is None:
                continue
            if about in shown:
                self._screen_of[old.identity] = about
            else:
                remove_toast(self, old)

    @property
    def _base_screen(self) -> Screen[Any]:
        """The topmost screen that is not a dialog over another one."""
        stack = self.screen_stack
        return next((screen for screen in reversed(stack) if not screen.is_modal), stack[0])

    def _lines_of(self, notice: Notification) -> int:
        width = max(1, self.size.width - AROUND)
        lines = (
            [notice.title, *notice.message.split("\n")]
            if notice.title
            else notice.message.split("\n")
        )
        return sum(1 + len(line) // width for line in lines)


def complain_here(node: MessagePump, words: str, *, seconds: float = 10) -> None:
    """Show an error that answers a key on the screen of a node, and disappears with that screen."""
    app = app_of(node)
    if isinstance(app, DedupedToasts):
        app.notify_here(sanitize_line(words), "error", seconds)


def note_here(node: MessagePump, words: str, *, seconds: float = RESULT_SECONDS) -> None:
    """Say something about the screen that a node has just opened, which disappears with that
    screen."""
    app = app_of(node)
    if isinstance(app, DedupedToasts):
        app.notify_here(sanitize_line(words), "information", seconds)


def warn_here(app: App[Any], words: str, *, seconds: float) -> None:
    """Show a warning about the screen that is shown, which disappears with it."""
    if isinstance(app, DedupedToasts):
        app.notify_here(sanitize_line(words), "warning", seconds)


def tells_news(app: App[Any]) -> bool:
    """Return whether a toast on the screen tells what has happened elsewhere."""
    return isinstance(app, DedupedToasts) and app.tells_news


def passing_toasts(app: App[Any]) -> list[Notification]:
    """Return the toasts on the screen that the user can put away; others stay as long as what they
    say is true."""
    return [toast for toast in shown_toasts(app) if toast.timeout < MIN_LASTING_SECONDS]


def put_toasts_away(app: App[Any]) -> bool:
    """Remove the toasts that the user can put away; return whether there were any."""
    toasts = passing_toasts(app)
    for toast in toasts:
        remove_toast(app, toast)
    return bool(toasts)


def _age(notice: Notification) -> float:
    """Return the seconds since a toast was shown first."""
    return time.time() - notice.raised_at


def _kind(notice: Notification) -> tuple[str, str]:
    """Return what a toast is about: its words without the numbers in them."""
    return re.sub(r"\d+", "#", notice.message), notice.title
