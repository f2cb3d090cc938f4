"""A toast about the end of a run, while its screen is open."""

from __future__ import annotations

from textual.widget import Widget

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events import types as e
from sandbox_tui.tui.format.answers import NO_ANSWER


def toast_end(widget: Widget, finished: e.RunFinished) -> None:
    """Show the answer and the location of the results, or the reason for the failure."""
    if finished.reason == "submitted":
        answer = sanitize_line((finished.answer or "").strip()) or NO_ANSWER
        results = f"\nresults in {sanitize_line(finished.output)}" if finished.output else ""
        widget.notify(f"{answer[:200]}{results}", title="submitted", markup=False, timeout=10)
        return
    reason = finished.reason.replace("_", " ")
    words = sanitize_line(finished.error or "")
    widget.notify(words, title=reason, severity="error", markup=False, timeout=20)
