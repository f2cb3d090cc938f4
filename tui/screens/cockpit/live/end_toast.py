"""A toast about the end of a run, while its screen is open."""

from __future__ import annotations

from textual.widget import Widget

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.tui.format.answers import NO_ANSWER, said_words
from sandbox_tui.tui.format.run_end import said_in_submit

MAX_CHARACTERS = 200
"""Characters of an answer in a toast."""


def toast_end(widget: Widget, finished: e.RunFinished, state: RunState) -> None:
    """Show the answer and the location of the results, or the reason for the failure."""
    if finished.reason == "submitted":
        answer = _answer(finished, said_in_submit(state))
        results = f"\nresults in {sanitize_line(finished.output)}" if finished.output else ""
        widget.notify(f"{answer}{results}", title="submitted", markup=False, timeout=10)
        return
    reason = finished.reason.replace("_", " ")
    words = sanitize_line(finished.error or "")
    widget.notify(words, title=reason, severity="error", markup=False, timeout=20)


def _answer(finished: e.RunFinished, said: str) -> str:
    """Return the answer; marked, if it is only in the call of `submit`."""
    written = sanitize_line((finished.answer or "").strip())[:MAX_CHARACTERS]
    if written or not said:
        return written or NO_ANSWER
    return said_words(sanitize_line(said)[:MAX_CHARACTERS], finished.answer)
