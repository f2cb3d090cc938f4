"""Keeps the thumb of a scrollbar where the view is."""

from __future__ import annotations

from textual.scroll_view import ScrollView


def place_thumb(view: ScrollView) -> None:
    """A scrollbar that has only just appeared missed where the view had gone before."""
    if view.show_vertical_scrollbar:
        view.vertical_scrollbar.position = view.scroll_offset.y
