"""Places the thumb of a scrollbar."""

from __future__ import annotations

from textual.scroll_view import ScrollView


def place_thumb(view: ScrollView) -> None:
    """Move the thumb to the view's offset: a scrollbar that has just appeared does not know it."""
    if view.show_vertical_scrollbar:
        view.vertical_scrollbar.position = view.scroll_offset.y
