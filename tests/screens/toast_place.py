"""Checks that toasts have lines of their own, or cover those above the key bar."""

from __future__ import annotations

from textual.app import App
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets._toast import Toast, ToastRack

from sandbox_tui.tui.textual_support.toasts import NoticesMoveNothing
from sandbox_tui.tui.widgets.key_bar import KeyBar

SHORT = "No call is waiting."
LONG = "The server refused the request, and it says why in many words. " * 4


def say_something(app: App[int]) -> None:
    """Show a short toast and a long one with a title, both for the rest of a test."""
    app.notify(SHORT, timeout=600)
    app.notify(LONG, title="model error", severity="error", timeout=600)


def check_toasts(screen: Screen[object]) -> None:
    """Check that the toasts fill lines above the key bar, and that these lines are free, unless the
    toasts move nothing there."""
    rack = screen.query_one(ToastRack)
    assert screen.query(Toast), "it is shown"
    assert all(toast.region.x == 0 for toast in screen.query(Toast))
    assert rack.region.bottom == screen.query_one(KeyBar).region.y == screen.outer_size.height - 1
    assert rack.region.height <= screen.outer_size.height // 4
    covers = rack.has_class("-over")
    assert covers == isinstance(screen, NoticesMoveNothing)
    for widget in () if covers else screen.walk_children(Widget):
        if rack not in widget.ancestors_with_self and widget.display:
            assert not visible(widget).intersection(rack.region).area, widget
    for box in screen.query(".dialog, .line"):
        assert visible(box) == box.region, f"{box} is cut"


def visible(widget: Widget) -> Region:
    """Return the part of a widget that is on the screen."""
    if widget not in widget.screen._compositor.full_map:
        return Region()
    return widget.screen.find_widget(widget).visible_region
