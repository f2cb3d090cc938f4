"""What a session has come to, on one line: its answer, why it failed, or the call that waits."""

from __future__ import annotations

from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.store.answers import submitted_answer
from sandbox_tui.tui.format.answers import NO_ANSWER, result_answer
from sandbox_tui.tui.theming.palette import Palette

MAX_CHARACTERS = 200
"""Maximum characters of a result: a list shows one line of it."""


def result_words(run: RunSummary, waits_for: str = "") -> str:
    """Return the call that waits, the answer or that there is none, or the error; empty if there is
    none of them.

    Args:
        run: the session.
        waits_for: the call that waits for the user, in words; empty if none does.
    """
    submitted = submitted_answer(run.outcome, run.answer)
    words = waits_for or submitted or run.error or result_answer(run.outcome, run.answer)
    words = words or run.said  # the details say that it is only in the call of `submit`
    if not words and run.outcome == "submitted":
        return NO_ANSWER
    return sanitize_line(" ".join(words[: 4 * MAX_CHARACTERS].split()))[:MAX_CHARACTERS]


def result_text(run: RunSummary, palette: Palette, waits_for: str = "") -> Text:
    """Return `result_words`, drawn: an answer stands out, an error does not."""
    decided = palette.good if submitted_answer(run.outcome, run.answer) else palette.dim
    style = palette.human if waits_for else decided
    return Text(result_words(run, waits_for), style=style, no_wrap=True)
