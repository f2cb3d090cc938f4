"""Several letters: F1 of the sets, graded by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.evals.scorers.paper.multiple_choice import letters_of
from tests.unit.core.evals.scorers.graded import graded

AS_THE_REFERENCE = [
    ("A, C, D", "A, C, D", 1.0),
    ("A,C,D", "A, C, D", 1.0),
    ("d, c, a", "A, C, D", 1.0),
    ("A, A, C", "A, C", 1.0),
    ("A, C,", "A,C", 1.0),
    ("A", "A, C", 2 / 3),
    ("A, B", "A, C", 0.5),
    ("A, B, C, D", "A, C", 2 / 3),
    ("A, B, C, D, E", "A", 1 / 3),
    ("B", "A, C", 0.0),
    ("B, D", "A, C", 0.0),
    ("", "A, C", 0.0),
    (",,,", "A, C", 0.0),
    ("none of them", "A, C", 0.0),
    ("AC", "A, C", 0.0),
    ("1, 2", "A, C", 0.0),
    ("left, right", "right, left", 1.0),
    ("left", "right, left", 2 / 3),
    ("\x00, \x1b", "A, C", 0.0),
    ("Ａ, Ｃ", "A, C", 0.0),
]

BETTER_THAN_THE_REFERENCE = [
    # answer, target, our score, the reference's score
    ("Answer: A, C", "A, C", 1.0, 0.5),
    ("The answers are A and C.", "A, C", 1.0, 0.0),
    ("\\boxed{A, C}", "A, C", 1.0, 0.0),
    ("(A), (C)", "A, C", 1.0, 0.0),
    ("A; C", "A, C", 1.0, 0.0),
    ("A and C", "A, C", 1.0, 0.0),
    ("**A**, **C**", "A, C", 1.0, 0.0),
    ("Both hold.\nAnswer: A, C", "A, C", 1.0, 0.5),
    ("<think>A, B</think>A, C", "A, C", 1.0, 0.4),
]


@pytest.mark.parametrize(("answer", "target", "value"), AS_THE_REFERENCE)
async def test_graded_as_by_the_reference(answer: str, target: str, value: float) -> None:
    assert (await graded("multiple_choice", answer, target)).value == pytest.approx(value)


@pytest.mark.parametrize(("answer", "target", "ours", "_theirs"), BETTER_THAN_THE_REFERENCE)
async def test_graded_better(answer: str, target: str, ours: float, _theirs: float) -> None:
    assert (await graded("multiple_choice", answer, target)).value == pytest.approx(ours)


async def test_no_answer_is_wrong() -> None:
    assert (await graded("multiple_choice", None, "A, C")).value == 0


@given(
    st.sets(st.sampled_from("ABCDEFGH"), min_size=1),
    st.sampled_from([", ", ",", "; ", " and ", " "]),
)
def test_a_list_of_letters_is_read(letters: set[str], separator: str) -> None:
    assert letters_of(separator.join(sorted(letters))) == letters


@given(st.text(max_size=100))
def test_any_text_is_read(text: str) -> None:
    assert all(part == part.strip().upper() for part in letters_of(text))


def test_a_long_list_is_read_at_once() -> None:
    assert letters_of("A, " * 100_000) == {"A"}
    assert letters_of("answer" + "\n" * 100_000 + "A and B") == {"A", "B"}
    assert len(letters_of("answer" + "\n" * 100_000 + "!")) == 1
    assert letters_of("answer " * 50_000 + "!") == {("answer " * 50_000 + "!").upper()}
