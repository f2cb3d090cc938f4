"""Common parts of the problems of this domain: a vocabulary, an example, constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.instructions.words import WORDS
from sandbox_tui.core.evals.pocket.problem import Problem

WORDS_FILE = "words.txt"
ONE_LINE = "[a-z]+( [a-z]+)*"
"""Lower-case words separated by single spaces."""

_VOCABULARY = (
    "Use only words from the input file words.txt, which has one word a line.",
    "Every word you use must be in the input file words.txt (one word on each line).",
    "The only words allowed are those that the input file words.txt lists, one a line.",
)
_PLAIN = (
    "Write everything in lower case, with single spaces between words and no punctuation.",
    "No capitals, no punctuation; one space between two words.",
    "Use lower-case letters and single spaces only.",
)


def vocabulary(draw: Draw, count: int = 420) -> list[str]:
    """Return the allowed words of a problem, in alphabetical order."""
    return sorted(draw.some(WORDS, count))


def told(draw: Draw, opening: str, rules: Sequence[str], ending: str) -> str:
    """Return the text of a problem: what to write, the rules in random order, and how to answer."""
    if draw.chance(0.5):
        listed = "\n".join(f"- {rule}" for rule in draw.shuffled(rules))
        return f"{opening}\n\n{listed}\n\n{ending}"
    return " ".join([opening, *draw.shuffled(rules), ending])


def text_problem(
    draw: Draw,
    opening: str,
    rules: Sequence[str],
    ending: str,
    example: str,
    constraints: dict[str, Any],
    *,
    words: Sequence[str] = (),
    size: int,
) -> Problem:
    """Return a problem that is solved by any text that meets the constraints.

    Args:
        example: a text that meets them.
        words: the only allowed words, which go into a file; empty: any.
    """
    rules = list(rules)
    files: dict[str, bytes] = {}
    checks = [[name, spec] for name, spec in constraints.items()]
    if words:
        rules += [draw.one_of(_VOCABULARY), draw.one_of(_PLAIN)]
        files[WORDS_FILE] = "".join(f"{word}\n" for word in words).encode()
        checks += [["vocabulary", list(words)], ["shape", ONE_LINE]]
    return Problem(
        text=told(draw, opening, rules, ending),
        target=example,
        scorer="constraints",
        size=size,
        files=files,
        metadata={"constraints": checks},
    )
