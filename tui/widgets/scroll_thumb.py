"""Positioning of a scrollbar's thumb."""

from __future__ import annotations

from textual.scroll_view import ScrollView


def place_thumb(view: ScrollView) -> None:
    """Move the thumb to the view's offset, which a newly shown scrollbar does not know."""
    if view.show_vertical_scrollbar:
        view.vertical_scrollbar.position = view.scroll_offset.y
