"""Totals over the samples of evaluations: how many have ended, their scores, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from sandbox_tui.sessions.store.store import Store

_IS_OVER = "status NOT IN ('pending', 'running')"
_HAS_SCORE = "status = 'scored' AND coalesce(score BETWEEN 0 AND 1, 0)"

TOTALS = (
    "(SELECT json_group_array(json_array(mode, samples, over, lost, score)) FROM"
    " (SELECT mode, sum(samples) AS samples, sum(over) AS over, sum(lost) AS lost,"
    " avg(score) AS score FROM"
    f" (SELECT mode, count(*) AS samples, sum({_IS_OVER}) AS over,"
    f" sum({_IS_OVER} AND NOT ({_HAS_SCORE})) AS lost,"
    f" avg(CASE WHEN {_HAS_SCORE} THEN score END) AS score"
    " FROM eval_samples WHERE eval_id = evals.id GROUP BY task, mode)"
    " GROUP BY mode))"
)
"""SQL of the totals of a row of `evals`, for `totals_of`: one pass over its samples."""


@dataclass(frozen=True, slots=True)
class EvalTotals:
    """Totals of one evaluation.

    Attributes:
        samples: total number.
        over: number of samples that have ended.
        lost: number of those without a score, because of an error.
        scores: mean score over tasks by mode; modes without a score are left out.
    """

    samples: int = 0
    over: int = 0
    lost: int = 0
    scores: dict[str, float] = field(default_factory=dict[str, float])


def totals_of(found: str) -> EvalTotals:
    """Return the totals that `TOTALS` reads."""
    modes = msgspec.json.decode(found, type=list[tuple[str, int, int, int, float | None]])
    return EvalTotals(
        samples=sum(samples for _, samples, _, _, _ in modes),
        over=sum(over for _, _, over, _, _ in modes),
        lost=sum(lost for _, _, _, lost, _ in modes),
        scores={mode: score for mode, _, _, _, score in modes if score is not None},
    )


def spent(store: Store, eval_id: str) -> tuple[int, float]:
    """Return the tokens and US dollars of all attempts at all samples; deleted sessions do not
    count."""
    return _spent(store, "", [eval_id])


def spent_on_other_attempts(
    store: Store, eval_id: str, *, is_running: bool = True
) -> tuple[int, float]:
    """Return the tokens and US dollars of the attempts that are not the final one of a finished
    sample: those that failed, and those that were cancelled.

    Args:
        store: the database.
        eval_id: the evaluation.
        is_running: whether a program works on it, so that its running samples do not count yet.
    """
    counted = f"({_IS_OVER} OR status = 'running')" if is_running else _IS_OVER
    others = f" AND run_id NOT IN (SELECT run_id FROM eval_samples WHERE eval_id = ? AND {counted})"
    return _spent(store, others, [eval_id, eval_id])


def _spent(store: Store, condition: str, values: Sequence[str]) -> tuple[int, float]:
    totals = "coalesce(sum(input_tokens + output_tokens), 0) AS tokens, total(cost) AS cost"
    (row,) = store.rows(
        f"SELECT {totals} FROM eval_runs JOIN runs ON runs.id = run_id"
        f" WHERE eval_id = ?{condition}",
        list(values),
    )
    return row["tokens"], row["cost"]
