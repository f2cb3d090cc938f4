"""How the sample that a session attempted was scored, for comparisons of sessions."""

from __future__ import annotations

from typing import NamedTuple

from sandbox_tui.sessions.store.store import Store


class Verdict(NamedTuple):
    """The score of a sample. All text in it is untrusted.

    Attributes:
        score: between 0 and 1; None if there is none.
        why: what explains the score, or why there is none.
        expected: the task's target; empty if it has none.
        suite, task: what was attempted.
        mode: `sandbox` or `vanilla`.
    """

    score: float | None
    why: str
    expected: str
    suite: str
    task: str
    mode: str


def verdict_on(store: Store, run_id: str, eval_id: str = "") -> Verdict | None:
    """Return how the sample of a session was scored; None for a session of no evaluation.

    Args:
        store: the database.
        run_id: the session.
        eval_id: the evaluation that is meant if several have scored it; empty: the first.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows(
        "SELECT score, explanation, error, target, suite, task, mode FROM eval_samples"
        " JOIN evals ON evals.id = eval_id WHERE run_id = ?"
        " ORDER BY eval_id = ? DESC, eval_id LIMIT 1",
        [run_id, eval_id],
    )
    if not rows:
        return None
    (row,) = rows
    return Verdict(
        score=row["score"],
        why=row["explanation"] or row["error"],
        expected=row["target"],
        suite=row["suite"],
        task=row["task"],
        mode=row["mode"],
    )
