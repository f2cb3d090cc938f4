"""The notices that answer keys of the wall: one for each kind of key."""

from __future__ import annotations

from typing import Literal, cast

from textual.screen import Screen

from sandbox_tui.tui.textual_support.toasts import DedupedToasts
from sandbox_tui.tui.textual_support.typed_app import app_of

Kind = Literal["pause", "mode", "decision", "message", "control"]


class KeyAnswers:
    """Shows notices; that of a key takes the place of the one before of the same kind of key, which
    may say the opposite.

    Args:
        screen: the wall.
    """

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._shown: dict[Kind, str] = {}

    def say(self, kind: Kind, words: str) -> None:
        """Show what a key did."""
        before, self._shown[kind] = self._shown.get(kind, ""), words
        if before:
            cast("DedupedToasts[int]", app_of(self._screen)).remove_shown_toast(before, "")
        self._screen.notify(words, markup=False)
