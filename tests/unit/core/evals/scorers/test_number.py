"""Numbers in answers: ordinary formats are read; near misses and hostile answers are refused."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox_tui.core.evals.scorers.base import Attempt, ScorerFailed
from sandbox_tui.core.evals.scorers.exact import ExactScorer
from sandbox_tui.core.evals.scorers.number import NumberScorer
from sandbox_tui.core.evals.task import Task


@pytest.mark.parametrize("text", ["42", "-0.5", "3/4", "1e-3", " 7 ", "1e400"])
def test_targets_that_are_numbers(text: str) -> None:
    assert NumberScorer().reference_problem(Task(id="t", problem="p", target=text)) == ""


def test_an_allowed_difference_that_is_no_number_is_found() -> None:
    task = Task(id="t", problem="p", target="1", metadata={"relative": "a little"})
    problem = NumberScorer().reference_problem(task)
    assert problem == "relative, the difference that is allowed, is not a number but 'a little'."


async def test_a_target_that_is_no_number_is_explained_in_words() -> None:
    with pytest.raises(ScorerFailed, match=r"^The target 'Dover' is not a number \(such"):
        await value("12", "Dover")


async def value(answer: str | None, target: str, **metadata: Any) -> float:
    task = Task(id="t", problem="p", target=target, metadata=metadata)
    attempt = Attempt(task=task, mode="vanilla", answer=answer)
    return (await NumberScorer().score(attempt)).value


@pytest.mark.parametrize(
    "answer",
    [
        "1234567",
        " 1234567\n",
        "1,234,567",
        "1 234 567",
        "1_234_567",
        "1\u202f234\u202f567",
        "+1234567",
        "**1234567**",
        "`1234567`.",
        "$1{,}234{,}567$",
        "\\boxed{1234567}",
        "\\boxed{1\\,234\\,567}",
        "The answer is 1234567.",
        "**Answer:** 1234567",
        "Final answer: 1,234,567",
        "12 × 5 = 60, so x = 1234567",
        "First I take 5 and 7.\nThen I multiply.\n\n1234567",
        "I thought of \\boxed{12} first, but it is \\boxed{1234567}",
        "```\n1234567\n```",
        "There are 1234567 ways.",
        "The sum of those that 28 divides or that end in 0 (or both) in the file is 1234567.",
        "Between 5 and 99 the number of them is exactly 1234567.",
    ],
)
async def test_integers_are_read(answer: str) -> None:
    assert await value(answer, "1234567", integer=True) == 1


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "",
        "1234568",
        "-1234567",
        "1234567.0",
        "1.234567e6",
        "1234567 or 1234568",
        "The sum is 1234568 or it is 1234567.",
        "The sum is 1234568 or 1234567.",
        "The sum is 1234568, or maybe 1234567.",
        "The sum is either 1234568 or 1234567.",
        "The sum is 1234567 or so, at most 1234568.",
        "It is 1234567 ± 3.",
        "What 28 divides or what ends in 0 is 1234568 and then 1234567.",
        "either 1234568 or 1234567",
        "between 1 and 1234567",
        "1, 2, 1234567",
        "1234566 1234567",
        "1234566-1234567",
        "\\boxed{3 \\text{ or } 1234567}",
        "\\boxed{1234567 1234568}",
        "١٢٣٤٥٦٧",
        "１２３４５６７",
        "123456٧",
        "NaN",
        "inf",
        "0x12d687",
        "1234567/1",
        "1.234.567",
        "one million",
        "1" + "0" * 5_000,
        "9" * 100_000,
        "1234567e99999999999",
        "no number",
    ],
)
async def test_no_other_integers(answer: str | None) -> None:
    assert await value(answer, "1234567", integer=True) == 0


async def test_large_integers_are_compared_to_the_last_digit() -> None:
    target = "12345678901234567890123456789012345678901234567890"
    assert await value(target, target, integer=True) == 1
    assert await value(target[:-1] + "1", target, integer=True) == 0
    assert await value("-" + target, "-" + target, integer=True) == 1
    assert await value("−" + target, "-" + target, integer=True) == 1


@pytest.mark.parametrize(
    "answer",
    [
        "12.5",
        "12.5 kJ",
        "12.5kJ",
        "12.500 kJ",
        "12.51",
        "1.25e1",
        "1.25 × 10^1 kJ",
        "1.25 x 10¹ kJ",
        "1.25*10**1",
        "$1.25 \\times 10^{1}\\,\\text{kJ}$",
        "\\boxed{12.5\\ \\mathrm{kJ}}",
        "The answer is 12.5 kilojoules.",
        "E = 2.5 * 5 = 12.5 kJ",
        "12.5 kJ (about 2.99 kcal)",
        "The heat is 12.5 kJ.",
        "≈ 12.5 kJ",
    ],
)
async def test_numbers_with_units_are_read(answer: str) -> None:
    assert await value(answer, "12.5", relative=0.001, unit="kJ") == 1


@pytest.mark.parametrize(
    "answer",
    [
        "12.52",
        "12.48",
        "12.5 J",
        "12.5 MJ",
        "12.5 kcal",
        "12500 J",
        "-12.5",
        "125",
        "12,5",
        "1.25 × 10^2",
        "1.25e-1",
        "12.4 or 12.5",
        "12.5 ± 3",
        "12.5/1",
        "nan kJ",
        "infinity",
        "1e400000000",
        "12.5e9999999999999999",
        "12.5 × 10⁻ kJ",
        "12.5 × 10⁻⁻¹",
        "12.5 × 10²⁻³",
        "١٢.٥",
    ],
)
async def test_no_other_numbers(answer: str) -> None:
    assert await value(answer, "12.5", relative=0.001, unit="kJ") == 0


@pytest.mark.parametrize(
    ("answer", "unit"),
    [
        ("3.2 m/s", "m/s"),
        ("3.2 m / s", "m/s"),
        ("3.2 °C", "°C"),
        ("3.2^\\circ C", "°C"),
        ("3.2 %", "%"),
        ("3.2\\%", "%"),
        ("3.2 percent", "%"),
        ("3.2 millilitres", "mL"),
        ("3.2 ml", "mL"),
        ("3.2 µm", "µm"),
        ("3.2 μm", "µm"),
        ("3.2 hours", "h"),
        ("3.2 M", "mol/L"),
        ("3.2 mol/L", "mol/L"),
        ("3.2 kg/m³", "kg/m^3"),
        ("3.2 people", "a pure number"),
    ],
)
async def test_units_have_several_spellings(answer: str, unit: str) -> None:
    assert await value(answer, "3.2", relative=0.001, unit=unit) == 1


async def test_a_long_space_is_read_at_once() -> None:
    assert await value("12.5" + " " * 190_000 + "kJ", "12.5", unit="kJ") == 1


async def test_absolute_tolerance() -> None:
    assert await value("0.004", "0", absolute=0.005) == 1
    assert await value("0.006", "0", absolute=0.005) == 0


@pytest.mark.parametrize(
    ("answer", "target", "right"),
    [
        ("ACGT", "acgt", True),
        ("AC GT\nACGT", "ACGTACGT", True),
        ("The answer is **-7/3**.", "-7/3", True),
        ("\\boxed{-\\frac{7}{3}}", "-7/3", True),
        ("\\boxed{\\text{Ada Lund}}", "ada lund", True),
        ('"C6H12O6"', "C6H12O6", True),
        ("I looked.\n\nAda Lund", "Ada Lund", True),
        ("0012345", "0012345", True),
        ("12345", "0012345", False),
        ("ACGA", "ACGT", False),
        ("Ada Lund or Ben Lund", "Ada Lund", False),
        ("either Ada Lund", "Ada Lund", False),
        ("not Ada Lund", "Ada Lund", False),
        ("", "ACGT", False),
        (None, "ACGT", False),
        ("ACGT" * 100_000, "ACGT", False),
        ("АCGT", "ACGT", False),  # a Cyrillic letter
    ],
)
async def test_exact(answer: str | None, target: str, right: bool) -> None:
    attempt = Attempt(task=Task(id="t", problem="p", target=target), mode="vanilla", answer=answer)
    assert (await ExactScorer().score(attempt)).value == right
