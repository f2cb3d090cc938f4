"""Describes how a session or an evaluation ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.remote.sockets import is_detached

WAITS = "waits for you"
"""What a run does in which a call waits for the user's decision."""

WAITS_PAUSED = "waits, paused"
"""What a paused run does in which a call waits, as long as `WAITS`."""

WAITS_FROZEN = "waits, frozen"
"""The same, of one whose sandbox is frozen, too."""


def now_words(run: RunSummary) -> str:
    """Return how a session ended, or what it does now: a paused one is not called running."""
    if run.waits:
        return waiting_words(run)
    if run.paused:
        return "frozen" if run.frozen else "paused"
    return run.outcome.replace("_", " ")


def waiting_words(run: RunSummary) -> str:
    """Return what a run does in which a call waits for the user."""
    if run.paused:
        return WAITS_FROZEN if run.frozen else WAITS_PAUSED
    return WAITS


def counted_outcome(words: str, count: int) -> str:
    """Return how many of several sessions ended in the same way, or do the same."""
    is_plural = count != 1 and words.startswith((WAITS, WAITS_PAUSED, WAITS_FROZEN))
    return f"{count} {words.replace('waits', 'wait', 1) if is_plural else words}"


def short_outcome(run: RunSummary) -> str:
    """Return `outcome_words` for a narrow column."""
    if run.waits or run.paused:
        return now_words(run)
    return "detached" if _runs_detached(run) else outcome_words(run)


def outcome_words(run: RunSummary) -> str:
    """Return how a session ended, or what it does now, such as wait for the user, and where."""
    now = now_words(run)
    if _runs_detached(run):
        return f"{now} (detached)"
    if run.outcome == "running" and run.elsewhere:
        return f"{now} on {sanitize_line(run.elsewhere)}"
    return now


def eval_status(status: str, lost: int) -> str:
    """Return the status of an evaluation, and how many of its samples have no score."""
    return ", ".join(filter(None, (status, without_score(lost))))


def without_score(lost: int) -> str:
    """Return how many samples an error left without a score; empty if none."""
    return f"{lost} without a score" if lost else ""


def eval_mark(samples: int, lost: int) -> str:
    """Return the mark of a finished evaluation: only one with every score looks like a success."""
    if not lost:
        return "✓"
    return "✗" if lost == samples else "!"


def mode_scores(modes: Sequence[str], scores: Mapping[str, float]) -> str:
    """Return the modes of an evaluation with their mean scores so far; only their names if none has
    one."""
    missing = f" {figures.NONE}" if scores else ""
    return ", ".join(
        f"{mode} {figures.points(scores[mode])} %" if mode in scores else f"{mode}{missing}"
        for mode in modes
    )


def _runs_detached(run: RunSummary) -> bool:
    return run.outcome == "running" and is_detached(run.id)
