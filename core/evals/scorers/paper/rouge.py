"""Scores free text: ROUGE-L (Lin 2004), the F-measure of the longest common subsequence of words.

Words are those of the package rouge-score, which is unmaintained and only available as source: runs
of a-z and 0-9 in lower case, with stemming (Porter) of those longer than three letters. Unlike
there, a target in a script without such letters is compared by characters instead of scoring 0.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sandbox_tui.core.evals.optional_packages import missing_extra, require
from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.scorers.boxed import without_thinking
from sandbox_tui.core.evals.worker import WorkerFailed, call_in_worker

_WORD = re.compile(r"[a-z0-9]+")


@dataclass(slots=True, kw_only=True)
class Rouge:
    """Compares texts word by word.

    Attributes:
        timeout: seconds for one comparison.
    """

    timeout: float = 60.0
    name: str = field(default="rouge", init=False)

    def check_ready(self) -> None:
        """Raise `ConfigError` if its packages are missing."""
        require("nltk", "The scorer rouge")

    async def score(self, attempt: Attempt) -> Score:
        """Return the ROUGE-L F-measure."""
        text = without_thinking(attempt.answer or "")
        if not text:
            return Score(value=0.0, explanation=attempt.no_answer)
        try:
            value = await call_in_worker(
                rouge_l, text, attempt.task.target, timeout=self.timeout, share=self.name
            )
        except WorkerFailed as error:
            if error.missing:
                raise ScorerFailed(str(missing_extra("The scorer rouge"))) from error
            raise ScorerFailed(f"ROUGE-L cannot be computed: {error}.") from error
        return Score(value=value, explanation=f"ROUGE-L F is {value:.3f}.")


def rouge_l(text: str, target: str) -> float:
    """Return the ROUGE-L F-measure of two texts."""
    target_words = _words(target)
    text_words = _words(text)
    if not target_words:
        target_words, text_words = list("".join(target.split())), list("".join(text.split()))
    common = longest_common(text_words, target_words)
    return 2 * common / (len(text_words) + len(target_words)) if common else 0.0


def _words(text: str) -> list[str]:
    stem: Any = importlib.import_module("nltk.stem.porter").PorterStemmer().stem
    words = _WORD.findall(text.lower())
    return [stem(word) if len(word) > 3 else word for word in words]


def longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, bit-parallel (Hyyrö 2004): an answer of
    a million words takes seconds rather than hours."""
    places: dict[str, int] = {}
    for at, word in enumerate(other):
        places[word] = places.get(word, 0) | 1 << at
    every = (1 << len(other)) - 1
    row = every
    for word in one:
        matched = row & places.get(word, 0)
        row = (row + matched | row - matched) & every
    return len(other) - row.bit_count()
