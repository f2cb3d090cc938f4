"""Names the panes for which there is no room beside the calls."""

from __future__ import annotations

from textual.content import Content
from textual.dom import NoScreen
from textual.style import Style
from textual.widget import Widget

from sandbox_tui.tui.keys.hint import hint


def hidden_panes(calls: Widget) -> Content:
    """Return the keys of the panes that a narrow screen hides, for the border; a click shows the
    pane. Empty if the screen has room for more than one pane, or has lost the calls: a screen that
    closes removes its panes first."""
    try:
        is_narrow = calls.screen.has_class("-narrow")
    except NoScreen:
        return Content()
    if not is_narrow:
        return Content()
    return Content.assemble(
        " · ",
        (f"{hint('cockpit.terminal')} terminal", _shows("terminals")),
        " · ",
        (f"{hint('cockpit.files')} files", _shows("side")),
    )


def _shows(pane: str) -> Style:
    return Style.from_meta({"@click": f"screen.pane('{pane}')"})
