"""Screens that close by themselves, when something is done, and not when a key says so."""

from __future__ import annotations

from typing import TypeVar

from textual.screen import Screen

from sandbox_tui.tui.textual_support.typed_app import app_of

Result = TypeVar("Result")


class ClosesWhenOnTop(Screen[Result]):
    """`Screen.dismiss` takes the topmost screen away, whichever that is: a person may have opened
    the settings or the palette over this one meanwhile. `dismiss_when_on_top` waits until they are
    through with them.

    Stands last among the bases: Textual takes a screen's style rules along the first ones.
    """

    _closed_with: tuple[Result | None] | None = None

    def dismiss_when_on_top(self, result: Result | None) -> None:
        """Close with this result as soon as nothing is on top of this screen."""
        if (
            app_of(self).screen is self
        ):  # `is_current` counts those that are seen behind a modal one
            self.dismiss(result)
        else:
            self._closed_with = (result,)

    def on_screen_resume(self) -> None:
        """Nothing is on top any more."""
        closed, self._closed_with = self._closed_with, None
        if closed is not None:
            self.dismiss(closed[0])
