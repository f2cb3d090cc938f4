"""Names the panes for which there is no room beside the calls."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from sandbox_tui.tui.keys.hint import hint


def hidden_panes(screen: Screen[Any]) -> str:
    """Return the keys of the panes that a narrow screen hides, for the border; empty if it has room
    for more than one pane."""
    if not screen.has_class("-narrow"):
        return ""
    return f" · {hint('cockpit.terminal')} terminal · {hint('cockpit.files')} files"
