"""How a call ended, in a word or two."""

from __future__ import annotations

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.events.run_state import CallItem

HELD_BACK = "· held back"
"""The sign and word of a submit that a message of the user's holds back."""

_DECIDED = {"reject": "rejected", "skip": "skipped", "answer": "answered"}


def decided_words(item: CallItem) -> str:
    """Return what was decided instead of running a call, and by whom; empty if the call ran."""
    decided = item.decided
    if item.finished is None or decided is None or decided.verdict not in _DECIDED:
        return ""
    who = "the policy" if decided.by == "policy" else "you"
    return f"{_DECIDED[decided.verdict]} by {who}"


def failure_words(item: CallItem) -> str:
    """Return why a call failed; empty while it runs."""
    finished = item.finished
    if finished is None:
        return ""
    if finished.timed_out:
        return f"timed out after {short_duration(finished.duration)}"
    if finished.interrupted:
        return "interrupted"
    return "failed" if finished.exit_code is None else f"exit {finished.exit_code}"


def end_words(item: CallItem) -> str:
    """Return the sign of a call's end, with the reason if it did not succeed; empty while it
    runs."""
    if item.finished is None:
        return ""
    if decided := decided_words(item):
        return f"◆ {decided}"
    if item.status == "held_back":
        return HELD_BACK
    return "✓" if item.finished.ok else f"✗ {failure_words(item)}"
