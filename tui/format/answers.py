"""Formats the answers of several runs."""

from __future__ import annotations

from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import first_line

NO_ANSWER = "no answer"

MAX_ANSWERS = 3
"""Maximum number of different answers that are named."""

MAX_ANSWER_CHARACTERS = 24


def why_no_answer(answer: str | None) -> str:
    """Return why a run that submitted has no answer, given its empty answer."""
    return f"output/answer.txt {'was not written' if answer is None else 'is empty'}"


def answers_words(answers: list[tuple[str, int]]) -> str:
    """Return the most frequent answers, each with its count."""
    named = [f"{short_answer(answer)} ({count})" for answer, count in answers[:MAX_ANSWERS]]
    rest = len(answers) - len(named)
    return f"answers: {', '.join(named)}" + (
        f" and {numbers.counted(rest, 'other')}" if rest else ""
    )


def short_answer(answer: str, characters: int = MAX_ANSWER_CHARACTERS) -> str:
    """Return the beginning of an answer on one line."""
    line = first_line(answer)
    return line if len(line) <= characters else f"{line[: characters - 1]}…"
