"""Scores a text by constraints that a program can check, instead of one correct text."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed

MAX_CHARACTERS = 50_000

_FENCED = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)
_AROUND_WORDS = ".,;:!?()\"'“”‘’"


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    lines: list[str]
    words: list[str]


def _parsed(answer: str) -> _Text:
    """Parse an answer, without surrounding space and code fence; its words in lower case."""
    text = answer.replace("\r\n", "\n").strip()
    if fenced := _FENCED.fullmatch(text):
        text = fenced[1].strip()
    lines = [line.rstrip() for line in text.split("\n")]
    words = [word.strip(_AROUND_WORDS).lower() for word in text.split()]
    return _Text("\n".join(lines), lines, [word for word in words if word])


def _letters(text: str) -> Counter[str]:
    return Counter(c for c in text.lower() if c.isalpha())


def _json(text: _Text, spec: Any) -> bool:
    """Check an object with a list of words, their total length, and the longest of them."""
    found = json.loads(text.text)
    words = found["words"]
    return (
        set(found) == {"words", "letters", "longest"}
        and all(isinstance(word, str) and word in spec["vocabulary"] for word in words)
        and len(words) == len(set(words)) == spec["count"]
        and all(spec["letter"] in word for word in words)
        and type(found["letters"]) is int
        and found["letters"] == spec["letters"] == sum(map(len, words))
        and found["longest"] == max(words, key=len)
        and [len(word) for word in words].count(len(found["longest"])) == 1
    )


CHECKS: dict[str, Callable[[_Text, Any], bool]] = {
    "shape": lambda t, spec: all(re.fullmatch(spec, line) for line in t.lines),
    "lines": lambda t, spec: len(t.lines) == spec,
    "words": lambda t, spec: len(t.words) == spec,
    "words_in_lines": lambda t, spec: all(len(line.split()) == spec for line in t.lines),
    "vocabulary": lambda t, spec: set(t.words) <= set(spec),
    "distinct": lambda t, spec: (len(t.words) == len(set(t.words))) == spec,
    "without": lambda t, spec: not set(spec) & set(t.text.lower()),
    "includes": lambda t, spec: set(spec) <= set(t.words),
    "line_initials": lambda t, spec: "".join(line[:1] for line in t.lines).lower() == spec,
    "initials": lambda t, spec: "".join(word[0] for word in t.words) == spec,
    "sorted": lambda t, spec: all((a < b) == spec for a, b in pairwise(t.words)),
    "lengths": lambda t, spec: [len(word) for word in t.words] == spec,
    "letter_total": lambda t, spec: sum(_letters(t.text).values()) == spec,
    "letter_counts": lambda t, spec: all(_letters(t.text)[c] == n for c, n in spec.items()),
    "line_lengths": lambda t, spec: [len(line) for line in t.lines] == spec,
    "chain": lambda t, spec: (
        t.words[0] == spec and all(a[-1] == b[0] for a, b in pairwise(t.words))
    ),
    "shortest": lambda t, spec: min(map(len, t.words)) >= spec,
    "column": lambda t, spec: "".join(line[spec["at"] - 1] for line in t.lines) == spec["spells"],
    "line_length": lambda t, spec: all(len(line) == spec for line in t.lines),
    "no_letter_twice": lambda t, spec: (max(_letters(t.text).values()) == 1) == spec,
    "ends": lambda t, spec: t.text.endswith(spec),
    "commas": lambda t, spec: t.text.count(",") == spec,
    "every": lambda t, spec: all(
        (word == spec["word"]) == (i % spec["nth"] == 0) for i, word in enumerate(t.words, 1)
    ),
    "vowels_first": lambda t, spec: all(
        (word[0] in "aeiou") == ((i % 2 == 0) == spec) for i, word in enumerate(t.words)
    ),
    "growing": lambda t, spec: all((len(a) <= len(b)) == spec for a, b in pairwise(t.words)),
    "json": _json,
}
"""Checks by their names in a task's metadata; each takes the text and the constraint's value."""


@dataclass(slots=True, kw_only=True)
class ConstraintsScorer:
    """1 if the text meets all constraints in the task's metadata (`constraints`: pairs of a name in
    `CHECKS` and its value), else 0."""

    name: str = field(default="constraints", init=False)

    async def score(self, attempt: Attempt) -> Score:
        """Check the answer against every constraint."""
        if attempt.answer is None or not attempt.answer.strip():
            return Score(value=0, explanation=attempt.no_answer)
        if len(attempt.answer) > MAX_CHARACTERS:
            return Score(value=0, explanation="The answer is too long.")
        text = _parsed(attempt.answer)
        constraints = attempt.task.metadata["constraints"]
        broken = [name for name, spec in constraints if not _is_met(text, name, spec)]
        kept = f"{len(constraints) - len(broken)} of {len(constraints)} constraints are met"
        if broken:
            return Score(value=0, explanation=f"{kept}; broken: {', '.join(broken)}.")
        return Score(value=1, explanation=f"{kept}.")


def _is_met(text: _Text, name: str, spec: Any) -> bool:
    if name not in CHECKS:
        raise ScorerFailed(f"There is no constraint {name!r}.")
    try:
        return CHECKS[name](text, spec)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return False  # a text that the check cannot be applied to does not meet it
