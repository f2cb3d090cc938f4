"""What a sample counts as in a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from sandbox_tui.core.evals.sample import SampleResult

RIGHT = 1.0

NO_ANSWER = "no answer"

_SCORERS_OF_FILES = frozenset({"swe_bench"})
"""Scorers that look at the files of the sandbox: their samples need no answer."""

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
    """What kept a sample that is over from a right answer: the error or the limit that ended its
    run, a scorer that failed, or that there is no answer. Empty: it is right, or wrong and nothing
    else."""
    if not result.over or (has_score(result) and result.score == RIGHT):
        return ""
    if result.status == "failed":
        return _words(result.finish_reason) or "failed"
    if not has_score(result):
        return f"scorer {result.scorer}".rstrip()
    if result.finish_reason not in ("", "submitted"):
        return _words(result.finish_reason)
    has_answer = bool((result.answer or "").strip())
    return "" if has_answer or result.scorer in _SCORERS_OF_FILES else NO_ANSWER


def failures_by_kind(results: Iterable[SampleResult]) -> Counter[str]:
    """How many samples each kind of failure kept from a right answer."""
    return Counter(kind for result in results if (kind := failure_kind(result)))


def by_frequency(kinds: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Kinds and how many of each, the most frequent first."""
    return tuple(sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0])))


def _words(finish_reason: str) -> str:
    return finish_reason.replace("_", " ")


def tokens_of(result: SampleResult) -> float:
    """All tokens of a sample: every request's input and output."""
    return result.input_tokens + result.output_tokens
