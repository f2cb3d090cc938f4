"""Reward terms besides the outcome: off by default, and the values they give."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.episode_settings import EpisodeMode
from sandbox_tui.core.rl.rewards.base import RewardFailed, RolloutEnd
from sandbox_tui.core.rl.rewards.build import build_reward
from sandbox_tui.core.rl.rewards.outcome import OutcomeReward
from sandbox_tui.core.rl.rewards.settings import RewardSettings
from sandbox_tui.core.rl.rewards.terms import FormatTerm, LengthTerm, written_tokens


def assistant_message(text: str = "", *arguments: Any, **more: Any) -> dict[str, Any]:
    calls = [{"function": {"name": "execute_bash", "arguments": one}} for one in arguments]
    return {
        "role": "assistant",
        "content": text,
        **({"tool_calls": calls} if calls else {}),
        **more,
    }


TOLD = {"role": "tool", "content": "x" * 4000}


def end(
    *messages: dict[str, Any],
    mode: EpisodeMode = "sandbox",
    answer: str | None = "B",
    scorer: str = "exact",
) -> RolloutEnd:
    task = Task(id="t", problem="p", target="B", scorer=scorer)
    return RolloutEnd(task=task, mode=mode, answer=answer, reason="submitted", messages=messages)


@pytest.mark.parametrize(
    ("messages", "share"),
    [
        ([assistant_message("", "{}"), TOLD, assistant_message("", '{"a": 1}')], 1),
        ([assistant_message("", "{}"), TOLD, assistant_message("I forgot to call.")], 1 / 2),
        ([assistant_message("", "{}", "not JSON")], 0),
        ([assistant_message("", "[1]")], 0),
        ([assistant_message("", {"command": "ls"})], 1),
        ([], 0),
    ],
)
async def test_the_share_of_replies_that_can_be_read(messages: list[Any], share: float) -> None:
    assert (await FormatTerm(weight=0.2).reward(end(*messages))).value == pytest.approx(0.2 * share)


@pytest.mark.parametrize(("answer", "value"), [("B", 0.2), ("", 0), (None, 0)])
async def test_a_text_only_reply_has_its_form_where_it_answers(
    answer: str | None, value: float
) -> None:
    given = end(assistant_message("B"), mode="text", answer=answer)
    assert (await FormatTerm(weight=0.2).reward(given)).value == value


@pytest.mark.parametrize(
    ("tokens", "value"), [(0, 0), (100, 0), (150, -0.25), (200, -0.5), (900, -0.5)]
)
async def test_length_is_taken_off_between_its_bounds(tokens: int, value: float) -> None:
    term = LengthTerm(weight=0.5, first=100, last=200)
    assert (
        await term.reward(end(assistant_message("word" * tokens), TOLD))
    ).value == pytest.approx(value)


def test_all_that_the_policy_wrote_counts_and_nothing_else() -> None:
    message = assistant_message("four", "{1234}56", "é", reasoning_content="thought")
    assert written_tokens([message, TOLD, assistant_message()]) == (4 + 8 + 2 + 7) // 4


async def test_terms_are_off_by_default() -> None:
    assert isinstance(build_reward(RewardSettings()), OutcomeReward)
    result = await build_reward(RewardSettings()).reward(end(assistant_message("x" * 10**6)))
    assert (result.value, result.parts) == (1, {"outcome": 1})


async def test_terms_add_up() -> None:
    settings = RewardSettings(format_weight=0.1, length_weight=0.5, length_from=1, length_to=2)
    result = await build_reward(settings).reward(
        end(assistant_message("a long reply", "{}"), assistant_message("no call"))
    )
    assert result.parts == {"outcome": 1, "format": 0.05, "length": -0.5}
    assert result.value == pytest.approx(0.55)


async def test_a_failed_outcome_fails_the_whole_reward() -> None:
    reward = build_reward(RewardSettings(format_weight=0.1))
    with pytest.raises(RewardFailed):
        await reward.reward(end(assistant_message("", "{}"), scorer="nothing"))


def test_settings_that_cannot_be_used() -> None:
    with pytest.raises(ConfigError, match="length_from"):
        build_reward(RewardSettings(length_weight=1, length_from=5, length_to=5))
    with pytest.raises(ConfigError, match="no scorer 'x'"):
        build_reward(RewardSettings(scorer="x"), [Task(id="t", problem="p", target="t")])
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"format_weight": -1}, RewardSettings)
