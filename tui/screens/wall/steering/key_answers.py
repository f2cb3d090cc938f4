"""The notices that answer keys of the wall: one for each kind of key."""

from __future__ import annotations

from typing import Literal, cast

from textual.notifications import SeverityLevel
from textual.screen import Screen

from sandbox_tui.tui.textual_support.toasts import MAX_NOTICE_SECONDS, DedupedToasts
from sandbox_tui.tui.textual_support.typed_app import app_of

Kind = Literal["mode", "decision", "message", "control"]
"""Pausing and resuming are answers about the mode: "once you resume" ends with either."""


class KeyAnswers:
    """Shows notices; that of a key takes the place of the one before of the same kind of key, which
    may say the opposite.

    Args:
        screen: the wall.
    """

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._shown: dict[Kind, str] = {}

    def say(
        self,
        kind: Kind,
        words: str,
        *,
        severity: SeverityLevel = "information",
        seconds: float = MAX_NOTICE_SECONDS,
    ) -> None:
        """Show what a key did, or what happened to what the key is about, on the wall alone: other
        screens have other keys, and no numbers of runs."""
        self.put_away(kind)
        self._shown[kind] = words
        self._app.notify_here(words, severity, seconds)

    def put_away(self, kind: Kind) -> None:
        """Remove the notice of a kind of key: it may no longer be true."""
        if before := self._shown.pop(kind, ""):
            self._app.remove_shown_toast(before, "")

    @property
    def _app(self) -> DedupedToasts[int]:
        return cast("DedupedToasts[int]", app_of(self._screen))
