"""What the recorded run of a sample came to."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.sample_request import CUT_DOCUMENTS
from sandbox_tui.core.evals.scoring import INFRASTRUCTURE
from sandbox_tui.core.events import types as e
from sandbox_tui.core.sandboxes.docker.container_options import IMAGE_SIZE
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.events import last_of_kind

T = TypeVar("T", bound=e.AnyEvent)

MAX_ATTEMPTS = 3
"""Runs of one sample that the infrastructure may fail."""


def recorded_result(store: Store, claimed: SampleResult) -> SampleResult:
    """A claimed sample as its run's events have it.

    Returns:
        The sample, over; or pending again where its run never came to its end, was cancelled with
        its program, or was failed by the infrastructure and may be tried again.

    Raises:
        StoreError: the database cannot be read.
    """
    finished = _last(store, claimed.run_id, e.RunFinished)
    if finished is None:
        return killed_result(claimed)
    scored = _last(store, claimed.run_id, e.Scored)
    started = _last(store, claimed.run_id, e.RunStarted)
    result = _with_totals(claimed, finished, started, 0.0 if scored is None else scored.seconds)
    if finished.reason == "cancelled":
        return msgspec.structs.replace(result, status="failed", error=finished.error or "")
    if finished.reason in INFRASTRUCTURE:
        return failed_result(result, finished.error or "")
    return _with_score(result, scored)


def with_sandbox(store: Store, info: EvalInfo, run_id: str) -> EvalInfo:
    """An evaluation with the kind of sandbox that a run of it really had, and its image.

    Raises:
        StoreError: the database cannot be read.
    """
    started = _last(store, run_id, e.RunStarted)
    if started is None:
        return info
    about = started.sandbox_info
    return msgspec.structs.replace(
        info,
        sandbox=started.sandbox,
        image=about.get("image", ""),
        image_size=about.get(IMAGE_SIZE, ""),
    )


def failed_result(claimed: SampleResult, why: str) -> SampleResult:
    """A sample whose run the infrastructure failed: to be run again, unless that happened often."""
    status = "pending" if claimed.attempts < MAX_ATTEMPTS else "failed"
    return msgspec.structs.replace(claimed, status=status, error=why)


def killed_result(claimed: SampleResult) -> SampleResult:
    """A sample whose run ended with its program: to be run again; the attempt does not count."""
    return msgspec.structs.replace(
        claimed, status="pending", run_id="", attempts=max(0, claimed.attempts - 1), error=""
    )


def _with_totals(
    claimed: SampleResult,
    finished: e.RunFinished,
    started: e.RunStarted | None,
    scoring_seconds: float,
) -> SampleResult:
    totals = finished.totals
    settings = started.settings if started is not None else None
    labels = settings.labels if settings is not None else {}
    return msgspec.structs.replace(
        claimed,
        answer=finished.answer,
        finish_reason=finished.reason,
        error="",
        seconds=max(0.0, totals.seconds - scoring_seconds),
        scoring_seconds=scoring_seconds,
        steps=totals.steps,
        calls=totals.calls,
        input_tokens=totals.usage.input_tokens,
        output_tokens=totals.usage.output_tokens,
        estimated=totals.usage.estimated,
        cost=totals.cost,
        ended_at=claimed.began_at + totals.seconds,
        cut_documents=int(labels.get(CUT_DOCUMENTS, 0)),
    )


def _with_score(result: SampleResult, scored: e.Scored | None) -> SampleResult:
    if scored is None:
        why = "The run ended without a score."
        return msgspec.structs.replace(result, status="unscored", error=why)
    if scored.value is None:
        return msgspec.structs.replace(
            result, status="unscored", scorer=scored.scorer, error=scored.explanation
        )
    return msgspec.structs.replace(
        result,
        status="scored",
        score=scored.value,
        scorer=scored.scorer,
        explanation=scored.explanation,
    )


def _last(store: Store, run_id: str, kind: type[T]) -> T | None:
    event = last_of_kind(store, run_id, kind.__name__)
    return event if isinstance(event, kind) else None
