r"""Scores questions with one correct letter.

Follows the rules of the reference, in its order: the answer is the letter; `"answer": "C"`;
`Answer: C` or `the answer is C`; the letter in `\boxed{}`; the last capital letter on its own.
Differences from the reference:

- the last statement counts, not the first, since a model may change its mind;
- brackets, markdown, `\text{}` and "option" around a letter do not hide it;
- "a" and "I" in a sentence are words, and letters that the question does not offer do not count;
- the first letter of a word, or a letter in a name, does not count: `Benzene`, `B-12`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sandbox_tui.core.evals.scorers.base import Attempt, Score
from sandbox_tui.core.evals.scorers.boxed import last_boxed, without_thinking
from sandbox_tui.core.evals.scorers.final_answer import without_long_space
from sandbox_tui.core.evals.task import Task

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_JSON = re.compile(r'"answer"\s*:\s*"([A-Z])"', re.IGNORECASE)
_MARKUP = re.compile(r"\\(?:f?boxed|text\w*|math\w+)\b|[*`$\"“”()\[\]{}]")
_LETTER = r"(?:([A-Z])(?![\w'’-])|([a-z])(?=[ \t]*[.,;]?[ \t]*(?:\n|$)))"
_STATED = re.compile(
    r"(?i:answer)\s*(?:(?i:is)\s*)?[:：]\s*(?:(?i:option|choice)\s+)?" + _LETTER
    + r"|(?i:answer|choice|option)\s+(?i:is)\s+(?:(?i:option|choice)\s+)?" + _LETTER
)  # fmt: skip
_BOXED = re.compile(r"\s*(?:(?i:option|choice)\s+)?([A-Za-z])(?![A-Za-z])")
_ALONE = re.compile(
    r"(?<![\w'’-])([A-Z])(?![\w'’-])(?!(?<=[AI])[ \t]+(?!(?:is|as|and|or|because|since)\b)[a-z])"
)
_LAST_WORD = re.compile(r"(?:^|\s)([a-z])\s*[.,;]?\s*$")


@dataclass(slots=True, kw_only=True)
class Choice:
    """Compares the letter that the answer chooses with the target.

    Attributes:
        letters: letters that a question may offer.
    """

    letters: str = _ALPHABET
    name: str = field(default="choice", init=False)

    def reference_problem(self, task: Task) -> str:
        """Return why the target is no letter that a question may offer; empty if it is one."""
        right = task.target.strip().upper()
        if len(right) == 1 and right in self.letters:
            return ""
        return (
            f"the target {task.target[:60]!r} is not one of the letters {self.letters}, and the "
            "scorer choice needs one."
        )

    async def score(self, attempt: Attempt) -> Score:
        """Return 1.0 if the letter is the target."""
        return scored_choice(attempt.answer, attempt.task.target, self.letters)


def scored_choice(answer: str | None, target: str, letters: str) -> Score:
    """Return the score of one answer; see the module docstring for the rules."""
    text = without_thinking(answer or "")
    right = target.strip().upper()
    if text.upper() == right and right:
        return Score(value=1.0, explanation=f"The answer is {right}.")
    letter = chosen_letter(text, letters)
    if not letter:
        return Score(value=0.0, explanation=f"The answer has no letter; expected {right}.")
    if letter == right:
        return Score(value=1.0, explanation=f"The answer says {letter}.")
    return Score(value=0.0, explanation=f"The answer says {letter}, not {right}.")


def chosen_letter(text: str, letters: str = _ALPHABET) -> str:
    """Return the letter that a text chooses, as a capital; empty if there is none."""
    plain = without_long_space(_MARKUP.sub(" ", text))
    boxed = without_long_space(_MARKUP.sub(" ", last_boxed(text) or ""))
    return (
        _last(_JSON, text, letters)
        or _last(_STATED, plain, letters)
        or _first(_BOXED, boxed, letters)
        or _last(_ALONE, plain, letters)
        or _last(_LAST_WORD, plain, letters)
    )


def _last(pattern: re.Pattern[str], text: str, letters: str) -> str:
    """Return the last offered letter that the pattern finds."""
    last = ""
    for match in pattern.finditer(text):
        letter = next(group for group in match.groups() if group).upper()
        if letter in letters:
            last = letter
    return last


def _first(pattern: re.Pattern[str], text: str, letters: str) -> str:
    match = pattern.match(text)
    return match[1].upper() if match and match[1].upper() in letters else ""
