"""ROUGE-L, compared with hard-coded values of rouge-score 0.1.2 with its stemmer."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.evals.scorers.base import ScorerFailed
from sandbox_tui.core.evals.scorers.paper import rouge
from sandbox_tui.core.evals.scorers.paper.rouge import longest_common, rouge_l
from sandbox_tui.core.evals.worker import WorkerFailed
from tests.unit.core.evals.scorers.graded import graded

installed = pytest.mark.skipif(find_spec("nltk") is None, reason="needs the extra `evals`")

AS_THE_REFERENCE = [
    ("the cat sat on the mat", "the cat sat on the mat", 1.00000000),
    ("The Cat, sat: on the MAT!", "the cat sat on the mat", 1.00000000),
    ("the cat sat", "the cat sat on the mat", 0.66666667),
    ("on the mat the cat sat", "the cat sat on the mat", 0.50000000),
    ("cats were sitting", "the cat sits", 0.66666667),
    ("running quickly through forests", "he ran quick through the forest", 0.40000000),
    ("It was founded in 1912 by two engineers.", "Two engineers founded it in 1912.", 0.42857143),
    ("1912", "1912", 1.00000000),
    ("In 1912", "1912", 0.66666667),
    ("yes", "no", 0.00000000),
    ("a dog", "the cat sat on the mat", 0.00000000),
    ("state-of-the-art", "state of the art", 1.00000000),
    ("don't", "do not", 0.00000000),
    ("café", "cafe", 0.00000000),
    ("x_y", "x y", 1.00000000),
    ("the the the the", "the", 0.40000000),
    ("the", "the the the the", 0.40000000),
    ("!!!", "the cat", 0.00000000),
    ("\x00\x1b[31mcat", "the cat", 0.00000000),
    ("<b>cat</b>", "cat", 0.50000000),
    ("cat " * 100, "cat", 0.01980198),
    ("12.5 kg", "12,5 kg", 1.00000000),
    ("national nationality nationalities", "nation", 0.50000000),
    ("北京 2008", "2008", 1.00000000),
]


@installed
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("answer", "target", "value"), AS_THE_REFERENCE)
def test_graded_as_by_the_reference(answer: str, target: str, value: float) -> None:
    assert rouge_l(answer, target) == pytest.approx(value, abs=1e-6)


@installed
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("answer", "target", "ours"), [("北京", "北京", 1.0), ("北平", "北京", 0.5), ("Ж", "ж", 0.0)]
)
def test_scripts_without_latin_letters_are_compared(answer: str, target: str, ours: float) -> None:
    """The reference scores 0 for all of these."""
    assert rouge_l(answer, target) == ours


@pytest.mark.parametrize("answer", [None, "", " \n", "<think>the cat</think>"])
async def test_no_answer_is_wrong(answer: str | None) -> None:
    assert (await graded("rouge", answer, "the cat")).value == 0


@installed
async def test_a_flood_is_scored() -> None:
    score = await graded("rouge", "cat dog " * 200_000, "the cat " * 500)
    assert 0 < score.value < 0.01


async def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def call(*_arguments: object, **_named: object) -> float:
        raise WorkerFailed("rouge l failed", missing="nltk")

    monkeypatch.setattr(rouge, "call_in_worker", call)
    with pytest.raises(ScorerFailed, match=r"pip install 'sandbox-tui\[evals\]'"):
        await graded("rouge", "a", "b")


def by_table(one: list[str], other: list[str]) -> int:
    """Length of the longest common subsequence, from the textbook table."""
    row = [0] * (len(other) + 1)
    for left in one:
        above = row[:]
        for at, right in enumerate(other, 1):
            row[at] = above[at - 1] + 1 if left == right else max(above[at], row[at - 1])
    return row[-1]


WORDS = st.lists(st.sampled_from("abcd"), max_size=40)


@given(WORDS, WORDS)
def test_the_longest_common_subsequence_is_that_of_the_table(
    one: list[str], other: list[str]
) -> None:
    assert longest_common(one, other) == by_table(one, other) == longest_common(other, one)
