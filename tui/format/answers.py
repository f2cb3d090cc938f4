"""Formats the answers of several runs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.store.answers import (
    NO_ANSWER,
    NOT_SUBMITTED,
    SAID,
    leftover_answer,
    other_said_mark,
    said_mark,
    submitted_answer,
    why_no_answer,
)
from sandbox_tui.sessions.store.answers import UNKNOWN_END as UNKNOWN_END
from sandbox_tui.sessions.store.tables.evals.verdicts import Verdict
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import first_line, sample_or_fork

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunSummary

MAX_ANSWERS = 3
"""Maximum number of different answers that are named."""

MAX_ANSWER_CHARACTERS = 24

MAX_JSON_CHARACTERS = 4_000
"""Longest answer whose fields are read: it has to be parsed whenever it is drawn."""


def answers_words(answers: list[tuple[str, int]], leftovers: int = 0) -> str:
    """Return the most frequent answers, each with its count; then how many were not submitted."""
    named = [f"{short_answer(answer)} ({count})" for answer, count in answers[:MAX_ANSWERS]]
    rest = len(answers) - len(named)
    words = f"answers: {', '.join(named)}" if named else ""
    words += f" and {numbers.counted(rest, 'other')}" if rest else ""
    return " · ".join(part for part in (words, leftovers_words(leftovers)) if part)


def leftovers_words(count: int) -> str:
    """Return how many answers were written but not submitted; empty if none was."""
    return f"{numbers.counted(count, 'answer')} not submitted" if count else ""


def result_answer(outcome: str | None, answer: str | None) -> str:
    """Return a run's answer, marked if it was not submitted; empty without one."""
    text = (answer or "").strip()
    return f"{NOT_SUBMITTED} {text}" if leftover_answer(outcome, answer) else text


def said_words(said: str, answer: str | None) -> str:
    """Return an answer that is only in the call of `submit`, marked, given its empty answer."""
    return f"{said} {said_mark(answer)}"


def answer_in_list(run: RunSummary, *, marks_said: bool) -> str:
    """Return the answer of a run on one line of several, or why one that submitted has none.

    Args:
        run: the session.
        marks_said: whether an answer that is only in the call of `submit` is marked: those of other
            runs of the list are in their files.
    """
    if run.said:
        return answer_line(run.said) + (f" · {SAID}" if marks_said else "")
    return answer_line(answer_or_why_none(run))


def tasks_with_marks(answered: Iterable[tuple[str, bool]]) -> set[str]:
    """Return the tasks of which only some runs wrote their answers to the file.

    Args:
        answered: of each run with an answer, the task, and whether that is only in its call of
            `submit`.
    """
    found: dict[str, set[bool]] = {}
    for task, is_only_said in answered:
        found.setdefault(task, set()).add(is_only_said)
    return {task for task, places in found.items() if len(places) > 1}


def with_other(answer: str, other: str) -> str:
    """Return the answer in a run's file, and the other one in its call of `submit`, if any."""
    return f"{answer} {other_said_mark(other)}" if other else answer


def answer_or_why_none(run: RunSummary, other: str = "") -> str:
    """Return the answer of a run, or why one that submitted has none; empty for others without
    one.

    Args:
        run: the session.
        other: the answer in its call of `submit` if its file holds another.
    """
    if run.said:
        return said_words(run.said, run.answer)
    if not run.answer and run.outcome == "submitted":
        return f"{NO_ANSWER}: {why_no_answer(run.answer, is_rebuilt=run.is_rebuilt)}"
    return with_other(result_answer(run.outcome, run.answer), other)


def sample_title(number: int, run: RunSummary, *, short: bool = False) -> str:
    """Return a sample's number, its name if the user gave one, and unless it is to be short, its
    answer, or why there is none."""
    submitted = answer_line(submitted_answer(run.outcome, run.answer))
    if run.said and not submitted:
        submitted = answer_line(run.said)  # the details say where it is
    result = f"answer: {submitted}" if submitted else first_line(run.error or "")
    result = "" if short else result
    parts = (sample_or_fork(number, is_fork=False), first_line(run.title or ""), result)
    return " · ".join(part for part in parts if part)


def fork_title(number: int, run: RunSummary) -> str:
    """Return the number of the sample that a session was forked from, and its name if the user gave
    one."""
    parts = (sample_or_fork(number, is_fork=True), first_line(run.title or ""))
    return " · ".join(part for part in parts if part)


def fields_words(answer: str) -> str:
    """Return an answer that is a JSON object as its fields, on one line and without the quotes;
    any other as it is."""
    if not answer.lstrip().startswith("{") or len(answer) > MAX_JSON_CHARACTERS:
        return answer
    try:
        fields: dict[str, object] = json.loads(answer)
    except (ValueError, RecursionError):
        return answer
    words = (f"{name}: {_value_words(value)}" for name, value in fields.items())
    return " · ".join(words) or answer


def _value_words(value: object) -> str:
    return (
        " ".join(value.split()) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    )


def answer_line(answer: str) -> str:
    """Return the first line of an answer, with an ellipsis if more lines follow; of a JSON object,
    its fields."""
    answer = fields_words(answer)
    more = " …" if len(answer.strip().splitlines()) > 1 else ""
    return f"{first_line(answer)}{more}"


def short_answer(answer: str, characters: int = MAX_ANSWER_CHARACTERS) -> str:
    """Return the beginning of an answer on one line."""
    line = answer_line(answer)
    return line if len(line) <= characters else f"{line[: characters - 1].rstrip(' …')}…"


def score_words(verdict: Verdict) -> str:
    """Return the score of a sample and what explains it, on one line; empty while there is none."""
    worth = "none" if verdict.score is None else f"{verdict.score:.3g}"
    why = sanitize_line(verdict.why)
    if verdict.score is None and not why:  # still running
        return ""
    return f"{worth} · {why}" if why else worth
