"""Screens that close only themselves, and only once."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

from sandbox_tui.tui.textual_support.typed_app import app_of

Result = TypeVar("Result")


class ClosesWhenOnTop(Screen[Result]):
    """A screen that can close itself without closing another one on top of it.

    `Screen.dismiss` closes the topmost screen, whichever that is: the user may have opened the
    settings or the palette over this one in the meantime, or this one may be closed already. Here,
    it waits until this screen is on top, and does nothing when it has been closed.

    Must be the last base class: Textual collects a screen's style rules along the first ones.
    """

    _closed_with: tuple[Result | None] | None = None

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with this result as soon as this screen is on top."""
        stack = app_of(self).screen_stack  # `is_current` is also true below a modal screen
        if stack and stack[-1] is self:
            self._closed_with = None
            return super().dismiss(result)
        self._closed_with = (result,) if self in stack else None
        return AwaitComplete.nothing()

    def dismiss_when_on_top(self, result: Result | None) -> None:
        """Close with this result as soon as this screen is on top, as a callback."""
        self.dismiss(result)

    def on_screen_resume(self) -> None:
        """Close now if `dismiss` was called before."""
        closed, self._closed_with = self._closed_with, None
        if closed is not None:
            self.dismiss(closed[0])
