"""Ignores clicks on widgets that are being removed.

Such a widget, for example a toast, remains visible until the next repaint. Textual looks up its
parent, since a selection could begin there, but it no longer has one.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.app import App
from textual.events import Event, MouseDown
from textual.screen import Screen

Result = TypeVar("Result")


class IgnoresStaleClicks(App[Result], Generic[Result]):
    """An app that ignores clicks on widgets that are being removed."""

    async def on_event(self, event: Event) -> None:
        """Ignore a button pressed on a removed widget."""
        if isinstance(event, MouseDown) and self.screen_stack:
            widget, _ = self.screen.get_widget_and_offset_at(int(event.x), int(event.y))
            if widget is not None and widget.parent is None and not isinstance(widget, Screen):
                return
        await super().on_event(event)
