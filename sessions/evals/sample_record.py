"""Derives the result of a sample from its recorded run."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from sandbox_tui.core.base.cut_text import cut_text
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.sample_request import CUT_DOCUMENT_COUNT
from sandbox_tui.core.evals.scorers.base import no_answer_words
from sandbox_tui.core.evals.scoring import INFRASTRUCTURE
from sandbox_tui.core.events import types as e
from sandbox_tui.core.sandboxes.docker.container_options import IMAGE_SIZE
from sandbox_tui.sessions.store.answers import answer_in_call
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.calls import submit_arguments
from sandbox_tui.sessions.store.tables.events import last_of_kind

MAX_SAID_CHARS = 200

T = TypeVar("T", bound=e.AnyEvent)

MAX_ATTEMPTS = 3
"""Maximum number of attempts for a sample whose runs fail because of the infrastructure."""


def recorded_result(store: Store, claimed: SampleResult) -> SampleResult:
    """Return the result of a claimed sample, from its run's events.

    Returns:
        A final result; or a pending one if the run did not end, was cancelled with its program, or
        failed because of the infrastructure and may be retried.

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
    if scored is None:
        why = "The run ended without a score."
        return msgspec.structs.replace(result, status="unscored", error=why)
    explanation = scored.explanation
    if explanation == no_answer_words(result.mode, result.answer):
        explanation = _with_what_submit_said(store, result.run_id, explanation)
    return with_score(result, scored.scorer, scored.value, explanation)


def _with_what_submit_said(store: Store, run_id: str, explanation: str) -> str:
    """Add the answer in the call of `submit` to the sentence that its file holds none."""
    said = answer_in_call(submit_arguments(store, [run_id]).get(run_id, ""))
    if not said:
        return explanation
    return f"{explanation.removesuffix('.')}; submit said {cut_text(said, MAX_SAID_CHARS)!r}."


def with_sandbox(store: Store, info: EvalInfo, run_id: str) -> EvalInfo:
    """Return the description of an evaluation, with the sandbox kind and the image that a run
    really used.

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
    """Return the result of a run that failed because of the infrastructure: pending, to be
    retried, or failed after `MAX_ATTEMPTS`."""
    status = "pending" if claimed.attempts < MAX_ATTEMPTS else "failed"
    return msgspec.structs.replace(claimed, status=status, error=why)


def killed_result(claimed: SampleResult) -> SampleResult:
    """Return the result of a run whose program was killed: pending; the attempt does not count."""
    return msgspec.structs.replace(
        unattempted(claimed), attempts=max(0, claimed.attempts - 1), began_at=claimed.began_at
    )


def cancelled_result(claimed: SampleResult, recorded: SampleResult) -> SampleResult:
    """Return the result of a run that was cancelled with its evaluation: pending, with the session
    and figures of the cancelled run; the attempt does not count."""
    return msgspec.structs.replace(
        recorded,
        status="pending",
        run_id=claimed.run_id,
        attempts=max(0, claimed.attempts - 1),
        finish_reason="cancelled",
        error="",
    )


def unattempted(sample: SampleResult) -> SampleResult:
    """Return a sample without the outcome of its last attempt: pending."""
    return SampleResult(
        task=sample.task,
        mode=sample.mode,
        number=sample.number,
        domain=sample.domain,
        level=sample.level,
        attempts=sample.attempts,
        scorer=sample.scorer,
        target=sample.target,
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
        cut_documents=int(labels.get(CUT_DOCUMENT_COUNT, 0)),
    )


def with_score(
    result: SampleResult, scorer: str, value: float | None, explanation: str
) -> SampleResult:
    """Return a result with a score; without a value, the scorer failed, and the explanation says
    why."""
    if value is None:
        return msgspec.structs.replace(result, status="unscored", scorer=scorer, error=explanation)
    return msgspec.structs.replace(
        result, status="scored", score=value, scorer=scorer, explanation=explanation
    )


def _last(store: Store, run_id: str, kind: type[T]) -> T | None:
    event = last_of_kind(store, run_id, kind.__name__)
    return event if isinstance(event, kind) else None
