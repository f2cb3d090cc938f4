"""Names the panes for which there is no room beside the calls."""

from __future__ import annotations

from typing import Any

from textual.content import Content
from textual.screen import Screen
from textual.style import Style

from sandbox_tui.tui.keys.hint import hint


def hidden_panes(screen: Screen[Any]) -> Content:
    """Return the keys of the panes that a narrow screen hides, for the border; a click shows the
    pane. Empty if the screen has room for more than one pane."""
    if not screen.has_class("-narrow"):
        return Content()
    return Content.assemble(
        " · ",
        (f"{hint('cockpit.terminal')} terminal", _shows("terminals")),
        " · ",
        (f"{hint('cockpit.files')} files", _shows("side")),
    )


def _shows(pane: str) -> Style:
    return Style.from_meta({"@click": f"screen.pane('{pane}')"})
