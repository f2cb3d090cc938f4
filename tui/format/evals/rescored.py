"""What scoring the answers of an evaluation again has changed, in a sentence."""

from __future__ import annotations

from sandbox_tui.core.evals.reporting.outcomes import has_score
from sandbox_tui.sessions.evals.rescore import Change, Rescored
from sandbox_tui.tui.format import numbers


def changed_verdicts(found: Rescored) -> str:
    """Return how many verdicts changed, of how many tasks, and in which direction."""
    changes = found.changes
    tasks = numbers.counted(len({one.after.task for one in changes}), "task")
    verdicts = f"{len(changes)} of {numbers.counted(found.scored, 'verdict')} changed"
    return f"{verdicts}, of {tasks}: {_directions(found)}." if changes else f"{verdicts}."


def _directions(found: Rescored) -> str:
    """Return how many samples have a higher score now, a lower one, one at last, or none any
    more."""
    kinds = [_direction(one) for one in found.changes]
    names = ("higher", "lower", "scored for the first time", "without a score now")
    counts = ((kinds.count(name), name) for name in names)
    return ", ".join(f"{count} {name}" for count, name in counts if count)


def _direction(change: Change) -> str:
    before, after = change.before, change.after
    if not has_score(after):
        return "without a score now"
    if not has_score(before):
        return "scored for the first time"
    return "higher" if (after.score or 0.0) > (before.score or 0.0) else "lower"
