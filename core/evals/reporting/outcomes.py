"""What a sample counts as in a report."""

from __future__ import annotations

from sandbox_tui.core.evals.sample import SampleResult

NO_DOMAIN = "other"
"""The row of tasks without a domain."""


def domain_of(result: SampleResult) -> str:
    """The row that a sample counts in."""
    return result.domain or NO_DOMAIN


def has_score(result: SampleResult) -> bool:
    """Whether its score counts: a scorer that returned no number between 0 and 1 has failed."""
    return result.status == "scored" and result.score is not None and 0 <= result.score <= 1


def has_ended(result: SampleResult) -> bool:
    """Whether its run ended by itself, scored or not."""
    return result.status in ("scored", "unscored")


def failure_kind(result: SampleResult) -> str:
    """Why a sample that is over has no score: how its run ended, or which scorer failed."""
    if result.status == "failed":
        return result.finish_reason or "failed"
    return f"scorer {result.scorer}".rstrip()


def tokens_of(result: SampleResult) -> float:
    """All tokens of a sample: every request's input and output."""
    return result.input_tokens + result.output_tokens
