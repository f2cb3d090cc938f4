"""The status of a call that did not run because it was decided otherwise: by whom, and why."""

from __future__ import annotations

from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.tui.theming.palette import Palette

_WORDS = {"reject": "rejected", "skip": "skipped", "answer": "answered"}


def decided_status(item: CallItem, palette: Palette) -> Text | None:
    """Return what was decided instead of running a call, and by whom; None if the call ran."""
    decided = item.decided
    if item.finished is None or decided is None or decided.verdict not in _WORDS:
        return None
    who = "the policy" if decided.by == "policy" else "you"
    return Text(f"◆ {_WORDS[decided.verdict]} by {who}", style=palette.human, no_wrap=True)


def feedback_words(item: CallItem) -> str:
    """Return what the user wrote with the decision, in quotes; empty without words."""
    feedback = item.decided.feedback if item.decided else ""
    return f"“{sanitize_line(feedback)}”" if feedback else ""
