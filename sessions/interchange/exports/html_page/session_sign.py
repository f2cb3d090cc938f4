"""The state of a session on the page: words, sign and colour are those of the program's lists."""

from __future__ import annotations

from typing import NamedTuple

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.outcome_sign import outcome_sign
from sandbox_tui.sessions.interchange.exports.run_story import marked
from sandbox_tui.sessions.store.run_summary import RunSummary


class SessionSign(NamedTuple):
    """How the state of a session is shown.

    Attributes:
        words: the state or the outcome.
        sign: one column.
        colour: the class of its colour in `page.css`.
    """

    words: str
    sign: str
    colour: str


def session_sign(summary: RunSummary) -> SessionSign:
    """Return the sign of a session: one that waits or is paused is not called running."""
    if summary.waits:
        return SessionSign("waits for you", "◆", "human")
    if summary.paused:
        return SessionSign("paused", "‖", "warn")
    return SessionSign(summary.outcome.replace("_", " "), *outcome_sign(summary.outcome))


def end_sign(end: e.RunFinished) -> SessionSign:
    """Return the sign of one end of a session, which may have several."""
    return SessionSign(marked(end), *outcome_sign(end.reason))
