"""Finds the answer in a reply: models show their work, put answers in boxes, and announce them."""

from __future__ import annotations

import re

from sandbox_tui.core.evals.scorers.boxed import last_boxed

MAX_ANSWER_CHARACTERS = 200_000
"""Of a longer answer only the end is read."""

_ANNOUNCED = re.compile(
    r"(?:^|[\s*_#>])(?:the\s+)?(?:final\s+)?(?:answer|result)(?:\s+is|\s*[:=])[:\s]*(\S.*)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*```[\w+-]*\s*$", re.MULTILINE)


def final_answer(text: str) -> str:
    """The part of a reply that answers.

    In this order: what is in the last `\\boxed{...}`; what follows the last "answer:" or "the
    answer is"; the last line with anything in it. Markup around it is removed.
    """
    text = text[-MAX_ANSWER_CHARACTERS:]
    boxed = last_boxed(text)
    if boxed is not None:
        return bare(boxed)
    lines = [line for line in _FENCE.sub("", text).splitlines() if line.strip()]
    for line in reversed(lines):
        if found := _ANNOUNCED.search(line):
            return bare(found[1])
    return bare(lines[-1]) if lines else ""


def bare(text: str) -> str:
    """Text without the markup, quotes and full stop around it."""
    before = None
    while before != text:
        before = text
        text = text.strip().strip("*_`\"'“”").removeprefix("$").removesuffix("$")
        text = text.removeprefix("\\(").removesuffix("\\)")
        text = text.removeprefix("\\[").removesuffix("\\]").removesuffix(".")
    return text
