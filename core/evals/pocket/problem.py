"""The problems that task families generate, with sentences that say how to write an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox_tui.core.evals.pocket.draw import Draw

TOLERANCE = 0.001
"""Default maximum relative difference between a number and its target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A generated problem.

    Attributes:
        text: the problem, including the required format of the answer.
        target: a correct answer.
        scorer: scorer name.
        size: amount of work to do, in a measure that the family states.
        files: input files.
        metadata: data that the scorer needs.
    """

    text: str
    target: str
    scorer: str
    size: int
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])


Family = Callable[[Draw, int], Problem]
"""Generates a problem of one kind at a level (1, 2 or 3)."""

_INTEGER = (
    "Answer with one integer, in digits.",
    "Give the answer as an integer and nothing else.",
    "Your answer must be a single integer.",
    "State the result as one integer, without any words around it.",
)
_NUMBER = (
    "Give the answer in {unit}, as a number with at least {figures} significant figures.",
    "Answer with a number in {unit}; keep at least {figures} significant figures.",
    "State the result in {unit} to {figures} significant figures or more.",
    "The answer is wanted in {unit}: one number, {figures} significant figures at least.",
)
_PURE = (
    "Give the answer as a number with at least {figures} significant figures.",
    "Answer with one number; keep at least {figures} significant figures.",
)
_TEXT = (
    "Answer with nothing but {what}.",
    "Your answer must consist of {what}.",
    "Give only {what}.",
)


def _asked(text: str, ask: str) -> str:
    return f"{text}{ask}" if text.endswith("\n") else f"{text} {ask}"


def integer_problem(
    draw: Draw, text: str, value: int, *, size: int, files: Mapping[str, bytes] | None = None
) -> Problem:
    """Return a problem whose answer is an integer."""
    return Problem(
        text=_asked(text, draw.one_of(_INTEGER)),
        target=str(value),
        scorer="number",
        size=size,
        files=dict(files or {}),
        metadata={"integer": True},
    )


def number_problem(
    draw: Draw,
    text: str,
    value: float,
    unit: str,
    *,
    size: int,
    files: Mapping[str, bytes] | None = None,
    figures: int = 4,
    relative: float = TOLERANCE,
) -> Problem:
    """Return a problem whose answer is a number in a unit.

    Args:
        unit: unit as the problem names it, such as `km/h`; empty if there is none.
        figures: number of significant figures that the problem asks for.
        relative: maximum relative difference from the target.
    """
    ask = draw.one_of(_NUMBER if unit else _PURE).format(unit=unit, figures=figures)
    return Problem(
        text=_asked(text, ask),
        target=f"{value:.9g}",
        scorer="number",
        size=size,
        files=dict(files or {}),
        metadata={"relative": relative, "unit": unit},
    )


def exact_problem(
    draw: Draw,
    text: str,
    value: str,
    what: str,
    *,
    size: int,
    files: Mapping[str, bytes] | None = None,
) -> Problem:
    """Return a problem whose answer has exactly one spelling.

    Args:
        what: description of the answer, such as `the name of the ship`.
    """
    return Problem(
        text=_asked(text, draw.one_of(_TEXT).format(what=what)),
        target=value,
        scorer="exact",
        size=size,
        files=dict(files or {}),
    )


def at_level(level: int, *values: int) -> int:
    """Return the value for a level, given one value per level."""
    return values[level - 1]
