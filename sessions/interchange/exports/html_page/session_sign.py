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


_NOT_RIGHT = {True: ("✗", "bad"), False: ("◐", "warn")}
"""Signs of a submitted answer without the full score, by whether it has none at all."""


def session_sign(summary: RunSummary, score: float | None = None) -> SessionSign:
    """Return the sign of a session: one that waits or is paused is not called running.

    Args:
        summary: the session.
        score: the score of its answer, as lists of samples show it; None if there is none.
    """
    if summary.outcome == "submitted" and score is not None and score < 1:
        return SessionSign(summary.outcome, *_NOT_RIGHT[score <= 0])
    if summary.waits:
        return SessionSign("waits for you", "◆", "human")
    if summary.paused:
        return SessionSign("frozen" if summary.frozen else "paused", "‖", "warn")
    return SessionSign(summary.outcome.replace("_", " "), *outcome_sign(summary.outcome))


def end_sign(end: e.RunFinished) -> SessionSign:
    """Return the sign of one end of a session, which may have several."""
    return SessionSign(marked(end), *outcome_sign(end.reason))
