"""Screens that close by themselves when something is done, rather than by a key."""

from __future__ import annotations

from typing import TypeVar

from textual.screen import Screen

from sandbox_tui.tui.textual_support.typed_app import app_of

Result = TypeVar("Result")


class ClosesWhenOnTop(Screen[Result]):
    """A screen that can close itself without closing another one on top of it.

    `Screen.dismiss` closes the topmost screen, whichever that is: the user may have opened the
    settings or the palette over this one in the meantime. `dismiss_when_on_top` waits until those
    are closed.

    Must be the last base class: Textual collects a screen's style rules along the first ones.
    """

    _closed_with: tuple[Result | None] | None = None

    def dismiss_when_on_top(self, result: Result | None) -> None:
        """Close with this result as soon as this screen is on top."""
        if (
            app_of(self).screen is self
        ):  # `is_current` is also true for screens visible behind a modal one
            self.dismiss(result)
        else:
            self._closed_with = (result,)

    def on_screen_resume(self) -> None:
        """Close now if `dismiss_when_on_top` was called before."""
        closed, self._closed_with = self._closed_with, None
        if closed is not None:
            self.dismiss(closed[0])
