"""One letter, graded by hand; where the reference differs, its score is listed after ours."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.evals.scorers.paper.choice import chosen_letter
from tests.unit.core.evals.scorers.graded import graded

AS_THE_REFERENCE = [
    # right
    ("C", "C", 1),
    ("c", "C", 1),
    (" C\n", "C", 1),
    ("C", "c", 1),
    ('{"answer": "C"}', "C", 1),
    ('{"reason": "B is wrong", "Answer" : "c"}', "C", 1),
    ("Answer: C", "C", 1),
    ("ANSWER:C", "C", 1),
    ("答案 answer：C", "C", 1),
    ("The answer is C", "C", 1),
    ("My choice is C, since A boils.", "C", 1),
    ("\\boxed{C}", "C", 1),
    ("Thus \\boxed{\\text{C}}", "C", 1),
    ("\\boxed{C. Ethanol}", "C", 1),
    ("(C)", "C", 1),
    ("C) Ethanol", "C", 1),
    ("C. Ethanol", "C", 1),
    ("B is too weak, so it must be C", "C", 1),
    ("**C**", "C", 1),
    # wrong
    ("B", "C", 0),
    ("Answer: B", "C", 0),
    ("The answer is B, not C", "C", 0),
    ("\\boxed{B}", "C", 0),
    ("C, no: B", "C", 0),
    ("ethanol", "C", 0),
    ("42", "C", 0),
    # hostile
    ("", "C", 0),
    (" \n\t", "C", 0),
    ("\\boxed{", "C", 0),
    ("\x00\x1b[31m", "C", 0),
    ("A B C D", "C", 0),
    ("🅒", "C", 0),
]

BETTER_THAN_THE_REFERENCE = [
    # answer, target, our score, the reference's score
    ("Answer: A. No, wait. Answer: C", "C", 1, 0),
    ("Answer: A. No, wait. Answer: C", "A", 0, 1),
    ("The answer is a compound of two; Answer: (C)", "C", 1, 0),
    ("The answer is a compound, so I pick C.", "C", 1, 0),
    ("C. I am sure", "C", 1, 0),
    ("C is a good choice", "C", 1, 0),
    ("The answer is C. It has A as precursor, then B", "B", 0, 0),
    ("Benzene", "B", 0, 1),
    ("\\boxed{Benzene}", "B", 0, 1),
    ("<think>Answer: B</think>C", "C", 1, 0),
    ("I would say a ketone", "A", 0, 1),
    ("CCCC", "C", 0, 1),
]


@pytest.mark.parametrize(("answer", "target", "value"), AS_THE_REFERENCE)
async def test_graded_as_by_the_reference(answer: str, target: str, value: float) -> None:
    assert (await graded("choice", answer, target)).value == value


@pytest.mark.parametrize(("answer", "target", "ours", "_theirs"), BETTER_THAN_THE_REFERENCE)
async def test_graded_better(answer: str, target: str, ours: float, _theirs: float) -> None:
    assert (await graded("choice", answer, target)).value == ours


async def test_no_answer_is_wrong() -> None:
    assert (await graded("choice", None, "C")).value == 0


async def test_a_letter_that_is_not_offered_is_no_choice() -> None:
    answer = "B, as shown by Z"
    assert (await graded("choice", answer, "B")).value == 0
    assert (await graded("choice", answer, "B", options={"letters": "ABCD"})).value == 1


LETTER = st.sampled_from(string.ascii_uppercase)
FORMS = st.sampled_from(
    [
        "{}", "({})", "{}.", "Answer: {}", "**Answer:** {}", "The answer is {}.", "Answer is: ({})",
        "\\boxed{{{}}}", "$\\boxed{{\\text{{{}}}}}$", '{{"answer": "{}"}}', "the correct option is {}",
        "Answer: option {}", "`{}`", "[{}]", "“{}”", "It follows that the choice is **{}**",
    ]
)  # fmt: skip


@given(LETTER, FORMS, st.sampled_from(["", "We compare the energies.\n", "a b c\n"]))
def test_every_usual_form_is_read(letter: str, form: str, before: str) -> None:
    assert chosen_letter(before + form.format(letter)) == letter


@given(st.text(max_size=80), st.text("ABCDXYZ", min_size=1, max_size=4))
def test_any_text_gives_a_letter_on_offer_or_none(text: str, letters: str) -> None:
    chosen = chosen_letter(text, letters)
    assert chosen == "" or (len(chosen) == 1 and chosen in letters)


@pytest.mark.parametrize("times", [1, 200_000])
def test_a_long_text_is_read_at_once(times: int) -> None:
    assert chosen_letter("answer is " * times) == ""
    assert chosen_letter("answer:" + " " * times) == ""
    assert chosen_letter("answer: b" + "\t " * times + "!") == ""
    assert chosen_letter("on b" + "\n " * times + "!") == ""
    assert chosen_letter("B " * times) == "B"
