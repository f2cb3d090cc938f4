"""Finds the answer in a reply: models show their work, box their answers, and announce them."""

from __future__ import annotations

import re

from sandbox_tui.core.evals.scorers.boxed import last_boxed

MAX_ANSWER_CHARACTERS = 200_000
"""Maximum length to read; of a longer answer, only the end is read."""

_ANNOUNCED = re.compile(
    r"(?:^|[\s*_#>])(?:the\s+)?(?:final\s+)?(?:answer|result)(?:\s+is|\s*[:=])[:\s]*(\S.*)",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"[^\S\n]+")
_BREAKS = re.compile(r" ?\n(?: ?\n)* ?")
_FENCE = re.compile(r"^\s*```[\w+-]*\s*$", re.MULTILINE)


def final_answer(text: str) -> str:
    """Return the part of a reply that is the answer.

    In this order: the content of the last `\\boxed{...}`; what follows the last "answer:" or "the
    answer is"; the last line that is not blank. Markup around it is removed.
    """
    text = text[-MAX_ANSWER_CHARACTERS:]
    boxed = last_boxed(text)
    if boxed is not None:
        return strip_markup(boxed)
    lines = [line for line in _FENCE.sub("", text).splitlines() if line.strip()]
    for line in reversed(lines):
        if found := _ANNOUNCED.search(line):
            return strip_markup(found[1])
    return strip_markup(lines[-1]) if lines else ""


def without_long_space(text: str) -> str:
    """Return the text with one space or line break in place of each run of them: a pattern with
    several places for space takes time that grows with a power of the run's length."""
    return _BREAKS.sub("\n", _BLANKS.sub(" ", text))


def strip_markup(text: str) -> str:
    """Remove surrounding markup, quotes and the full stop."""
    before = None
    while before != text:
        before = text
        text = text.strip().strip("*_`\"'“”").removeprefix("$").removesuffix("$")
        text = text.removeprefix("\\(").removesuffix("\\)")
        text = text.removeprefix("\\[").removesuffix("\\]").removesuffix(".")
    return text
