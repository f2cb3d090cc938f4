"""The outcome reward: hand-graded, computed in a worker process; a failure is never a 0."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.scorers.base import Attempt, Score
from sandbox_tui.core.evals.scorers.paper import choice
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.episode_settings import EpisodeMode
from sandbox_tui.core.rl.rewards import outcome
from sandbox_tui.core.rl.rewards.base import RewardFailed, RewardResult, RolloutEnd
from sandbox_tui.core.rl.rewards.outcome import OutcomeReward
from tests.unit.core.evals.scorers.test_pretrain import GRADED

installed = pytest.mark.skipif(find_spec("math_verify") is None, reason="needs the extra `evals`")

CHOICE = {"qa_type": "Multiple Choice"}


def end(answer: str | None, target: str, mode: EpisodeMode = "sandbox", **more: Any) -> RolloutEnd:
    task = Task(id="t", problem="p", target=target, **more)
    return RolloutEnd(task=task, mode=mode, answer=answer, reason="submitted")


async def rewarded(answer: str | None, target: str, **more: Any) -> RewardResult:
    return await OutcomeReward().reward(end(answer, target, **more))


@installed
@pytest.mark.parametrize(("domain", "metadata", "answer", "target", "value"), GRADED)
async def test_the_reference_router_grades_as_the_evaluations_do(
    domain: str, metadata: dict[str, str], answer: str | None, target: str, value: float
) -> None:
    result = await rewarded(answer, target, domain=domain, metadata=metadata)
    assert result.value == pytest.approx(value)
    assert result.parts == {"outcome": result.value}
    assert result.explanation


SINGLE = [
    # content of the policy's answer.txt, target, reward
    ("B", "B", 1),
    ("b\n", "B", 1),
    ("(B)", "B", 1),
    ("**B**", "B", 1),
    ("\\boxed{B}", "B", 1),
    ("The answer is B.", "B", 1),
    ("Answer: A\nOn second thought, the answer is B.", "B", 1),
    ('{"answer": "B"}', "B", 1),
    ("B. Because the report says so", "B", 1),
    ("<think>A or B?</think>B", "B", 1),
    ("A", "B", 0),
    ("A B C D", "B", 0),
    ("Benzene", "B", 0),
    ("I do not know", "I", 0),
    ("", "B", 0),
    (None, "B", 0),
]
SEVERAL = [
    ("A, C", "A, C", 1),
    ("C,A", "A, C", 1),
    ("A and C", "A,C", 1),
    ("(A) (C)", "A, C", 1),
    ("Answers: A, C", "A, C", 1),
    ("A, C, C", "A, C", 1),
    ("A", "A, C", 2 / 3),
    ("A, B", "A, C", 1 / 2),
    ("A, B, C", "A, C", 4 / 5),
    ("A, B, C, D", "A, C", 2 / 3),
    ("B, D", "A, C", 0),
    ("none", "A, C", 0),
    (None, "A, C", 0),
]


@pytest.mark.parametrize(("answer", "target", "value"), SINGLE + SEVERAL)
async def test_choices_are_graded_as_by_hand(answer: str | None, target: str, value: float) -> None:
    result = await rewarded(answer, target, domain="instruct_pretrain", metadata=CHOICE)
    assert result.value == pytest.approx(value)


OPEN = [
    ("12", "12", 1),
    ("\\boxed{12}", "12", 1),
    ("\\boxed{\\frac{1}{2}}", "0.5", 1),
    ("12,000", "12000", 1),
    ("the old harbour", "the old harbour", 1),
    ("The Old Harbour.", "the old harbour", 1),
    ("the harbour", "the old harbour", 4 / 5),
    ("in the harbour", "the old harbour", 2 / 3),
    ("a mountain", "the old harbour", 0),
    ("13", "12", 0),
    (None, "12", 0),
]


@installed
@pytest.mark.parametrize(("answer", "target", "value"), OPEN)
async def test_open_answers_are_graded_as_by_hand(
    answer: str | None, target: str, value: float
) -> None:
    result = await rewarded(answer, target, domain="instruct_pretrain")
    assert result.value == pytest.approx(value)


async def test_a_task_may_name_its_scorer() -> None:
    result = await rewarded("7 km", "7", scorer="number", domain="math")
    assert result.value == 1
    result = await rewarded("Corrin", "corrin", scorer="exact", mode="text")
    assert result.value == 1


async def test_the_answer_is_compared_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Breaking a function in this process does not affect the worker."""
    monkeypatch.setattr(choice, "chosen_letter", lambda *_: 1 / 0)
    assert (await rewarded("Answer: B", "B", metadata=CHOICE)).value == 1


def spin(*_arguments: object) -> None:
    while True:
        pass


async def test_a_comparison_that_takes_too_long_fails_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(outcome, "grade", spin)
        with pytest.raises(RewardFailed, match=r"choice failed: spin took longer than 0.5 s"):
            await OutcomeReward(timeout=0.5, scorer="choice").reward(end("B", "B"))
    assert (await rewarded("B", "B", metadata=CHOICE)).value == 1


async def test_many_at_once_are_what_they_are_alone() -> None:
    answers = ["ABCD"[n % 4] for n in range(24)]
    ends = [end(letter, "C", metadata=CHOICE) for letter in answers]
    reward = OutcomeReward()
    results = await asyncio.gather(*map(reward.reward, ends))
    assert [result.value for result in results] == [letter == "C" for letter in answers]


@dataclass
class Broken:
    value: float = 0.5
    name: str = field(default="broken", init=False)

    async def score(self, attempt: Attempt) -> Score:
        assert attempt.mode == "vanilla"
        if attempt.answer == "raise":
            raise KeyError("it broke")
        return Score(value=self.value)


@pytest.mark.parametrize(
    ("answer", "value", "words"),
    [
        ("raise", 0.5, r"'it broke' \(KeyError\)\.$"),
        ("x", 2.0, "2.0, which is not"),
        ("x", float("nan"), "nan"),
    ],
)
async def test_a_failed_scorer_gives_no_reward(answer: str, value: float, words: str) -> None:
    name = f"{__name__}:Broken"
    reward = OutcomeReward(scorer=name, scorer_options={name: {"value": value}})
    with pytest.raises(RewardFailed, match=words):
        await reward.reward(end(answer, "x", mode="text"))


@installed
async def test_a_target_that_cannot_be_read_is_a_failure() -> None:
    with pytest.raises(RewardFailed, match="failed: The target of task t is not JSON"):
        await rewarded("any words", "this is not JSON", domain="instruct_follow")


def test_missing_requirements_are_reported_before_the_first_episode() -> None:
    with pytest.raises(ConfigError, match="no scorer 'nothing'"):
        OutcomeReward().check_ready([Task(id="t", problem="p", target="x", scorer="nothing")])


@pytest.mark.parametrize("name", sorted(outcome.PURE_SCORERS))
async def test_an_answer_that_is_missing_is_worth_0(name: str) -> None:
    metadata = {"constraints": []} if name == "constraints" else {}
    assert (await rewarded(None, "1", scorer=name, metadata=metadata)).value == 0
