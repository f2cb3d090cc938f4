"""The status of a call that did not run because it was decided otherwise: by whom, and why."""

from __future__ import annotations

from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.tui.format.call_end import HELD_BACK, decided_words
from sandbox_tui.tui.theming.palette import Palette


def decided_status(item: CallItem, palette: Palette) -> Text | None:
    """Return what was decided instead of running a call, and by whom, or that a message held it
    back; None if the call ran."""
    if item.status == "held_back":
        return Text(HELD_BACK, style=palette.human, no_wrap=True)
    words = decided_words(item)
    return Text(f"◆ {words}", style=palette.human, no_wrap=True) if words else None


def feedback_words(item: CallItem) -> str:
    """Return what the user wrote with the decision, in quotes; empty without words."""
    feedback = item.decided.feedback if item.decided else ""
    return f"“{sanitize_line(feedback)}”" if feedback else ""
