"""Classifies samples for a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.events.kinds.values import EXIT_CODES, STOPPED_EARLY

FULL_SCORE = 1.0

NO_ANSWER = "no answer"

_SCORERS_OF_FILES = frozenset({"swe_bench"})
"""Scorers that check files in the sandbox: their samples need no answer."""

SCORER_FAILED = 1
"""Exit code if the scorer failed, or something else that ends no run."""

_CODES = {str(reason): code for reason, code in EXIT_CODES.items()}

NO_DOMAIN = "other"
"""Name of the row of tasks without a domain."""


def domain_of(result: SampleResult) -> str:
    """Return the name of the row that a sample counts towards."""
    return result.domain or NO_DOMAIN


def has_score(result: SampleResult) -> bool:
    """Return whether the sample has a valid score: a scorer whose score is not between 0 and 1
    failed."""
    return result.status == "scored" and result.score is not None and 0 <= result.score <= 1


def has_ended(result: SampleResult) -> bool:
    """Return whether the run ended without an infrastructure failure, scored or not."""
    return result.status in ("scored", "unscored")


def is_lost(result: SampleResult) -> bool:
    """Return whether the sample ended without a score: an error of the model's server, the sandbox,
    the scorer or this program prevented one."""
    return result.over and not has_score(result)


def exit_code(results: Iterable[SampleResult]) -> int:
    """Return the exit code of a program that ran an evaluation: `STOPPED_EARLY` if samples are
    left, that of the most frequent error if samples have no score, else 0."""
    found = list(results)
    if not all(result.over for result in found):
        return STOPPED_EARLY
    codes = Counter(_error_code(result) for result in found if is_lost(result))
    return codes.most_common(1)[0][0] if codes else 0


def _error_code(result: SampleResult) -> int:
    return _CODES.get(result.finish_reason) or SCORER_FAILED


def failure_kind(result: SampleResult) -> str:
    """Return why a finished sample has no correct answer: the error or limit that ended its run, a
    failed scorer, or a missing answer. Empty if the answer is correct, or just wrong."""
    if not result.over or (has_score(result) and result.score == FULL_SCORE):
        return ""
    if result.status == "failed":
        return _reason_words(result.finish_reason) or "failed"
    if not has_score(result):
        return f"scorer {result.scorer}".rstrip()
    if ending := ending_of(result):
        return ending
    has_answer = bool((result.answer or "").strip())
    return "" if has_answer or result.scorer in _SCORERS_OF_FILES else NO_ANSWER


def ending_of(result: SampleResult) -> str:
    """Return which limit or error ended a run in words; empty if the model ended it. A vanilla run
    has one step, whatever its reply: a reply that only calls a tool is no answer."""
    reason = result.finish_reason
    is_only_step = result.mode == "vanilla" and reason == "max_steps"
    return "" if is_only_step or reason in ("", "submitted") else _reason_words(reason)


def failures_by_kind(results: Iterable[SampleResult]) -> Counter[str]:
    """Return the number of samples by kind of failure."""
    return Counter(kind for result in results if (kind := failure_kind(result)))


def by_frequency(kinds: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Return the kinds with their counts, most frequent first."""
    return tuple(sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0])))


def _reason_words(finish_reason: str) -> str:
    return finish_reason.replace("_", " ")


def tokens_of(result: SampleResult) -> float:
    """Return the total tokens of a sample: input and output of every request."""
    return result.input_tokens + result.output_tokens
