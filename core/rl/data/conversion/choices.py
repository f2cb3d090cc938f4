"""Appends the options of a question to it, and converts its answer to letters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any, cast

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.data.shingles import normalised

QA_TYPE = "qa_type"
MULTIPLE_CHOICE = "Multiple Choice"
"""Value in a task's metadata by which the reference's router recognizes these questions."""


def with_choices(task: Task, column: str) -> Task:
    """Add options A, B, C ... to the problem, if the task's row has any.

    The answer may be a letter, a number that counts from 0, or the text of an option; or a list of
    those, if several are right.

    Raises:
        ConfigError: the answer is not one of the options, or there are more than 26.
    """
    choices = _decoded(task.metadata.get(column))
    if not isinstance(choices, list) or not choices:
        return task
    texts = [str(choice) for choice in cast("list[Any]", choices)]
    if len(texts) > len(ascii_uppercase):
        raise ConfigError(f"The task {task.id} has {len(texts)} choices; at most 26 have a letter.")
    options = "\n".join(
        f"{letter}. {text}" for letter, text in zip(ascii_uppercase, texts, strict=False)
    )
    metadata = {name: value for name, value in task.metadata.items() if name != column}
    return msgspec.structs.replace(
        task,
        problem=f"{task.problem}\n\n{options}",
        target=", ".join(_letters(task, texts)),
        metadata={**metadata, QA_TYPE: MULTIPLE_CHOICE},
    )


def _letters(task: Task, texts: Sequence[str]) -> list[str]:
    right = _decoded(task.target)
    answers = cast("list[Any]", right) if isinstance(right, list) else [task.target]
    return sorted({_letter(task, str(answer), texts) for answer in answers})


def _letter(task: Task, answer: str, texts: Sequence[str]) -> str:
    """Return the letter of an answer. Tries the option texts first: they may be numbers or
    letters."""
    words = normalised(answer)
    same = [at for at, text in enumerate(texts) if normalised(text) == words]
    if len(same) == 1:
        return ascii_uppercase[same[0]]
    letters = ascii_uppercase[: len(texts)]
    if answer.strip().isdecimal() and int(answer) < len(texts):
        return letters[int(answer)]
    if len(answer.strip()) == 1 and answer.strip().upper() in letters:
        return answer.strip().upper()
    raise ConfigError(f"The answer {answer!r:.80} of the task {task.id} is not one of its choices.")


def _decoded(value: object) -> object:
    """Decode JSON, the form of lists in the cells of a CSV file."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
