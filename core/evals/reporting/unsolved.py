"""The tasks that an evaluation did not solve: what was asked, answered and expected, and why the
answer does not count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sandbox_tui.core.evals.reporting.outcomes import (
    NO_ANSWER,
    domain_of,
    failure_kind,
    has_score,
)
from sandbox_tui.core.evals.sample import EVAL_MODES, EvalMode, SampleResult

SOLVED_SCORE = 0.5
"""Minimum mean score at which a task counts as solved."""

MAX_UNSOLVED = 20
"""Maximum number of tasks that a report lists."""


@dataclass(frozen=True, slots=True)
class Unsolved:
    """A task that no sample of a mode solved. All text in it is untrusted.

    Attributes:
        sample: the best sample of the mode, or else the first.
        question: first line of the task's question; empty if unknown.
    """

    sample: SampleResult
    question: str = ""

    @property
    def answer(self) -> str:
        """The answer in one line; `no answer` if there is none."""
        return " ".join((self.sample.answer or "").split()) or NO_ANSWER

    @property
    def expected(self) -> str:
        """The target in one line."""
        return " ".join(self.sample.target.split())

    @property
    def why(self) -> str:
        """Why the answer does not count, in the words of the scorer or of the error."""
        words = self.sample.explanation or self.sample.error or failure_kind(self.sample)
        return " ".join(words.split())


def unsolved_tasks(
    results: Iterable[SampleResult], questions: Mapping[str, str]
) -> tuple[Unsolved, ...]:
    """Return the tasks by domain, name and mode; those with samples that are left are not counted.

    Args:
        results: all samples.
        questions: first line of the question of each task, by id.
    """
    groups: defaultdict[tuple[str, str, EvalMode], list[SampleResult]] = defaultdict(list)
    for one in sorted(results, key=lambda one: one.number):
        groups[domain_of(one), one.task, one.mode].append(one)
    found = sorted(groups, key=lambda key: (*key[:2], EVAL_MODES.index(key[2])))
    return tuple(
        Unsolved(max(groups[key], key=_worth), questions.get(key[1], ""))
        for key in found
        if _is_unsolved(groups[key])
    )


def left_out(found: Sequence[Unsolved]) -> str:
    """Return how many tasks a report does not list; empty if it lists all."""
    more = len(found) - MAX_UNSOLVED
    return f"… and {more} more" if more > 0 else ""


def _is_unsolved(samples: Sequence[SampleResult]) -> bool:
    return all(one.over and _worth(one) < SOLVED_SCORE for one in samples)


def _worth(sample: SampleResult) -> float:
    return sample.score if has_score(sample) and sample.score is not None else -1.0
