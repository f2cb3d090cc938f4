"""Scores a number, with its unit and a tolerance."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.scorers.boxed import last_boxed
from sandbox_tui.core.evals.scorers.final_answer import final_answer, without_long_space
from sandbox_tui.core.evals.scorers.units import is_unit, same_unit
from sandbox_tui.core.evals.task import Task

MAX_DIGITS = 4_000
MAX_EXPONENT = 400
"""Numbers with more digits or larger powers of ten are rejected."""

_LATEX = (
    (re.compile(r"\\(?:text|mathrm|rm|operatorname)\s*\{([^{}]*)\}"), r" \1"),
    (re.compile(r"\\(?:times|cdot)"), "×"),
    (re.compile(r"\^\s*\{([^{}]*)\}"), r"^\1"),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\[,;:! ]|~|[\u00a0\u2009\u202f]"), " "),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\^?\s*\\circ\b\s*"), "°"),
    (re.compile(r"[−–](?=[0-9])"), "-"),
    (re.compile(r"(?<=[A-Za-z])\s*/\s*(?=[A-Za-z])"), "/"),
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>[+-]?(?:[0-9]{1,3}(?:([,_ ])[0-9]{3}(?:\2[0-9]{3})*)(?!\d)|[0-9]+)?"
    r"(?:\.[0-9]+)?)(?<=[0-9])(?!\d|\.\d)"
    r"(?:[eE](?P<e>[+-]?[0-9]+)|\s*[x×*·]\s*10\s*(?:\^|\*\*)?(?P<power>[+-]?[0-9]+|[⁻⁰¹²³⁴-⁹]+))?"
    r"(?:\s*(?P<unit>[A-Za-zµμΩ°℃%][^\s,;()]*))?"
)
_HEDGE = re.compile(r"\b(?:or|either|maybe|perhaps|between)\b|±|\+/-", re.IGNORECASE)
_STATED = re.compile(r"\b(?:is|are|equals|was)\s+(?:exactly\s+)?\Z", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:[,;/|&:]|and|to|-)?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Found:
    digits: str
    power: str
    unit: str
    start: int
    end: int


@dataclass
class NumberScorer:
    """1 if the answer is the target's number.

    The task's metadata say how to read it: `integer` (digits only, compared exactly), `relative`
    and `absolute` (maximum difference; exact without either), `unit` (a number in another unit is
    wrong; one without a unit is assumed to be in this one).
    """

    name: str = field(default="number", init=False)

    def reference_problem(self, task: Task) -> str:
        """Return why the target, or the difference allowed from it, is no number; empty if both
        are."""
        if _fraction(task.target) is None:
            return (
                f"the target {task.target[:60]!r} is not a number (such as 42, -0.5, 3/4 or 1e-3), "
                "and the scorer number needs one."
            )
        for name in ("relative", "absolute"):
            value = task.metadata.get(name, 0)
            if _fraction(str(value)) is None:
                return f"{name}, the difference that is allowed, is not a number but {value!r:.60}."
        return ""

    async def score(self, attempt: Attempt) -> Score:
        """Read a number from the answer and compare it with the target.

        Raises:
            ScorerFailed: the target is not a number.
        """
        task = attempt.task
        if problem := self.reference_problem(task):
            raise ScorerFailed(problem[0].upper() + problem[1:])
        if attempt.answer is None or not attempt.answer.strip():
            return Score(value=0, explanation=attempt.no_answer)
        read = _read(attempt.answer, task.metadata)
        if isinstance(read, str):
            return Score(value=0, explanation=read)
        expected = Fraction(task.target)
        relative = Fraction(str(task.metadata.get("relative", 0))) * abs(expected)
        allowed = max(relative, Fraction(str(task.metadata.get("absolute", 0))))
        is_correct = abs(read.value - expected) <= allowed
        return Score(
            value=int(is_correct), explanation=f"Read {read.text}, expected {task.target[:60]}."
        )


def _fraction(text: str) -> Fraction | None:
    """Return the number that a text is; None if it is none, or one too large to compute with."""
    mantissa, _, exponent = text.strip().lower().partition("e")
    if len(mantissa) > MAX_DIGITS or len(exponent) > len(f"-{MAX_EXPONENT}"):
        return None
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


@dataclass(frozen=True, slots=True)
class _Number:
    text: str
    value: Fraction


def _read(answer: str, metadata: Mapping[str, Any]) -> _Number | str:
    """Read the number in an answer; returns a sentence if there is none."""
    boxed = last_boxed(answer) is not None
    where = without_long_space(final_answer(answer))
    for pattern, plain in _LATEX:
        where = pattern.sub(plain, where)
    if "=" in where:
        where = where.rsplit("=", 1)[1]
    found = list(_numbers(where))
    if not found:
        return f"There is no number in {where[:80]!r}."
    if len(found) > 1 and (boxed or _is_undecided(where, found)):
        return f"There is more than one number in {where[:80]!r}."
    unit = str(metadata.get("unit", ""))
    number = next((n for n in reversed(found) if same_unit(n.unit, unit)), found[-1])
    if unit and is_unit(number.unit) and not same_unit(number.unit, unit):
        return f"The number is in {number.unit}; expected {unit}."
    if metadata.get("integer"):
        return _integer(number)
    return _value(number)


def _numbers(where: str) -> Iterator[_Found]:
    for found in _NUMBER.finditer(where):
        power = (found["e"] or found["power"] or "").translate(_SUPERSCRIPTS)
        unit = (found["unit"] or "").rstrip(".:!?*_`\"'")
        end = found.end() if is_unit(unit) or not unit else found.start("unit")
        yield _Found(re.sub(r"[,_ ]", "", found["digits"]), power, unit, found.start(), end)


def _is_undecided(where: str, found: list[_Found]) -> bool:
    """Return whether several of the numbers could be the answer."""
    if _is_only_last_stated(where, found):
        return False
    return bool(_HEDGE.search(where)) or _is_list(where, found)


def _is_only_last_stated(where: str, found: list[_Found]) -> bool:
    """Return whether earlier numbers belong to the problem: "what 28 divides or ends in 0 is
    391"."""
    stated = [bool(_STATED.search(where[: one.start])) for one in found]
    return stated[-1] and not any(stated[:-1])


def _is_list(where: str, found: list[_Found]) -> bool:
    """Return whether two numbers are next to each other, like alternatives."""
    return any(
        _LISTED.fullmatch(where[one.end : two.start]) for one, two in itertools.pairwise(found)
    )


def _integer(number: _Found) -> _Number | str:
    if number.power or not re.fullmatch(r"[+-]?[0-9]+", number.digits):
        return f"{number.digits[:60]!r} is not an integer in digits."
    return _value(number)


def _value(number: _Found) -> _Number | str:
    if len(number.digits) > MAX_DIGITS:
        return "The number is too long."
    if number.power and not re.fullmatch(r"[+-]?[0-9]+", number.power):
        return f"{number.power[:60]!r} is not a power of ten."
    if len(number.power) > 5 or abs(int(number.power or 0)) > MAX_EXPONENT:
        return "The number is too large or too small."
    value = Fraction(number.digits) * Fraction(10) ** int(number.power or 0)
    text = number.digits[:60] + (f"e{number.power}" if number.power else "")
    return _Number(f"{text} {number.unit}".strip() if is_unit(number.unit) else text, value)
