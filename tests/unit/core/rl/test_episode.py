"""Episodes: their lifecycle, how they end, their rewards and their records."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from sandbox_tui.core.agent.model_messages import DEFAULT_TOOL_NAMES, no_call
from sandbox_tui.core.base.errors import ConfigError, SandboxLost
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.core.models.base import Reply
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.rewards.base import RewardFailed, RewardResult, RolloutEnd
from sandbox_tui.core.rl.text_episode import TextEpisode
from sandbox_tui.core.rl.turn import StepResult, Turn
from tests.unit.core.rl.episode_parts import (
    ANSWER,
    LOOK,
    SUBMIT,
    TASK,
    Bench,
    Recorded,
    SameAsTarget,
    answering,
)


def limited(**limits: object) -> EpisodeSettings:
    return EpisodeSettings(limits=e.Limits(**limits))  # type: ignore[arg-type]


async def played(bench: Bench, *replies: object) -> StepResult:
    """Play these replies and return the last step's result."""
    await bench.episode.reset(TASK)
    result = None
    for reply in replies:
        result = await bench.episode.step(reply)  # type: ignore[arg-type]
    assert result is not None
    return result


async def test_the_context_is_in_files_and_the_question_alone_in_the_prompt() -> None:
    bench = Bench()
    turn = await bench.episode.reset(TASK)
    (sandbox,) = bench.source.opened
    assert sandbox.files[b"/testbed/input/rooms/list.txt"] == b"room 7: 42\n"
    prompt = str(turn.messages)
    assert TASK.problem in prompt
    assert "room 7: 42" not in prompt
    assert turn.text is None
    assert [tool["function"]["name"] for tool in turn.tools][-1] == "submit"
    await bench.episode.close()


async def test_a_right_answer_is_rewarded_at_the_end_alone() -> None:
    bench = Bench()
    await bench.episode.reset(TASK)
    first = await bench.episode.step(answering("42"))
    assert (first.reward, first.terminated, first.truncated) == (0.0, False, False)
    assert first.turn is not None
    assert first.observations[0].ok
    last = await bench.episode.step(SUBMIT)
    assert (last.reward, last.terminated, last.truncated) == (1.0, True, False)
    assert last.turn is None
    assert last.info.answer == "42"
    assert last.info.reward_parts == {"outcome": 1.0}
    assert (last.info.reason, last.info.steps, last.info.tool_calls) == ("submitted", 2, 2)
    (end,) = bench.reward.ends
    assert end.sandbox is bench.source.opened[0]
    await bench.episode.close()
    assert bench.source.opened[0].closed


async def test_messages_of_a_result_continue_the_turn() -> None:
    bench = Bench()
    turn = await bench.episode.reset(TASK)
    result = await bench.episode.step(LOOK)
    assert result.turn is not None
    messages = result.turn.messages
    assert messages[: len(turn.messages)] == turn.messages
    assert tuple(messages[len(turn.messages) + 1 :]) == result.messages
    assert [m["role"] for m in result.messages] == ["tool"]
    assert "99" in result.messages[-1]["content"]  # steps left of 100


async def test_raw_text_is_read_for_calls() -> None:
    create = json.dumps({"command": "create", "path": ANSWER, "file_text": "42"})
    call = f'<tool_call>{{"name": "str_replace_editor", "arguments": {create}}}</tool_call>'
    submit = '<tool_call>{"name": "submit", "arguments": {}}</tool_call>'
    result = await played(Bench(), f"I write it down.\n{call}", submit)
    assert result.reward == 1.0


async def test_text_without_a_call_is_a_step_with_a_reminder() -> None:
    result = await played(Bench(), "I think the key is 42.")
    assert no_call(DEFAULT_TOOL_NAMES) in str(result.messages)
    assert result.turn is not None


async def test_an_empty_reply_is_a_step() -> None:
    result = await played(Bench(), {"role": "assistant", "content": ""})
    assert result.turn is not None
    assert result.info.steps == 1


async def test_tokens_and_log_probabilities_are_kept_and_not_recorded() -> None:
    bench = Bench()
    reply = Reply(
        message=LOOK, token_ids=(5, 6), prompt_token_ids=(1, 2, 3), logprobs=(-0.5, -0.25)
    )
    await played(bench, reply)
    (kept,) = bench.episode.replies
    assert (kept.token_ids, kept.logprobs) == ((5, 6), (-0.5, -0.25))
    assert (kept.usage.input_tokens, kept.usage.output_tokens) == (3, 2)
    assert "token_ids" not in str(bench.sink.events)


@pytest.mark.parametrize(("rule", "reward"), [("zero", 0.0), ("score", 1.0)])
async def test_the_overlong_rule(rule: str, reward: float) -> None:
    settings = EpisodeSettings(limits=e.Limits(max_steps=1), overlong=rule)  # type: ignore[arg-type]
    bench = Bench(settings)
    result = await played(bench, answering("42"))
    assert (result.reward, result.terminated, result.truncated) == (reward, False, True)
    assert result.info.reason == "max_steps"
    assert len(bench.reward.ends) == (rule == "score")


async def test_a_conversation_beyond_its_tokens_is_truncated() -> None:
    result = await played(Bench(limited(token_limit=10)), answering("42"))
    assert (result.reward, result.truncated, result.info.reason) == (0.0, True, "token_limit")


async def test_a_task_brings_its_own_limits() -> None:
    bench = Bench()
    await bench.episode.reset(Task(id="x", problem="?", target="", limits={"max_steps": 1}))
    result = await bench.episode.step(LOOK)
    assert result.info.reason == "max_steps"


async def test_an_episode_ends_by_itself_when_its_policy_never_answers() -> None:
    bench = Bench(limited(time_limit=0.01))
    await bench.episode.reset(TASK)
    async with asyncio.timeout(10):
        while not bench.episode.is_over:
            await asyncio.sleep(0)
    result = await bench.episode.step(LOOK)
    assert (result.reward, result.truncated, result.info.reason) == (0.0, True, "time_limit")
    assert result.turn is None
    with pytest.raises(RuntimeError, match="over"):
        await bench.episode.step(LOOK)
    await bench.episode.close()
    assert bench.source.opened[0].closed


async def test_a_command_ends_with_the_time_of_its_episode() -> None:
    bench = Bench(limited(time_limit=0.05))
    await bench.episode.reset(TASK)
    sandbox = bench.source.opened[0]

    async def never(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    sandbox.exec = never  # type: ignore[method-assign, assignment]
    result = await bench.episode.step(LOOK)
    assert (result.truncated, result.info.reason) == (True, "time_limit")


async def test_a_record_begins_with_the_run_and_ends_with_its_score() -> None:
    bench = Bench()
    await played(bench, answering("42"), SUBMIT)
    first, *_, scored, last = bench.sink.events
    assert isinstance(first, e.RunStarted)
    assert (first.run_id, first.model, first.task) == ("run-1", "tiny", TASK.problem)
    assert first.settings is not None
    assert first.settings.labels == {"step": "3"}
    assert isinstance(scored, e.Scored)
    assert (scored.scorer, scored.value) == ("same", 1.0)
    assert isinstance(last, e.RunFinished)
    assert (last.reason, last.answer, last.totals.steps, last.totals.calls) == (
        "submitted", "42", 2, 2,
    )  # fmt: skip


async def test_closing_early_gives_no_reward_and_leaves_no_sandbox() -> None:
    bench = Bench()
    await bench.episode.reset(TASK)
    await bench.episode.close()
    await bench.episode.close()
    assert bench.source.opened[0].closed
    last = bench.sink.events[-1]
    assert isinstance(last, e.RunFinished)
    assert last.reason == "cancelled"
    assert bench.reward.ends == []


async def test_a_failed_reward_is_not_zero() -> None:
    class Failing(SameAsTarget):
        async def reward(self, end: RolloutEnd) -> RewardResult:
            raise ZeroDivisionError

    bench = Bench()
    bench.episode._reward = Failing()
    await bench.episode.reset(TASK)
    with pytest.raises(RewardFailed, match="ZeroDivisionError"):
        await bench.episode.step(SUBMIT)
    scored, last = bench.sink.events[-2:]
    assert isinstance(scored, e.Scored)
    assert scored.value is None
    assert isinstance(last, e.RunFinished)
    await bench.episode.close()
    assert bench.source.opened[0].closed


async def test_a_lost_sandbox_gives_no_reward() -> None:
    bench = Bench()
    await bench.episode.reset(TASK)

    async def lost(*_: object, **__: object) -> None:
        raise SandboxLost("It is gone.")

    bench.source.opened[0].exec = lost  # type: ignore[method-assign, assignment]
    with pytest.raises(SandboxLost):
        await bench.episode.step(LOOK)
    last = bench.sink.events[-1]
    assert isinstance(last, e.RunFinished)
    assert last.reason == "sandbox_error"


async def test_a_sandbox_lost_before_the_submission_gives_no_reward() -> None:
    bench = Bench()
    await bench.episode.reset(TASK)

    async def lost(*_: object, **__: object) -> None:
        raise SandboxLost("It is gone.")

    bench.source.opened[0].read_file = lost  # type: ignore[method-assign, assignment]
    bench.source.opened[0].stat = lost  # type: ignore[method-assign, assignment]
    with pytest.raises(SandboxLost):
        await bench.episode.step(SUBMIT)
    assert bench.reward.ends == []


async def test_no_answer_is_worth_what_the_reward_says() -> None:
    result = await played(Bench(), SUBMIT)
    assert (result.reward, result.terminated, result.info.answer) == (0.0, True, None)


async def test_an_episode_that_was_closed_does_not_start() -> None:
    bench = Bench()
    await bench.episode.close()
    with pytest.raises(RuntimeError):
        await bench.episode.reset(TASK)
    assert bench.source.opened == []


async def test_a_cancelled_step_ends_the_episode() -> None:
    bench = Bench()
    await bench.episode.reset(TASK)
    has_begun = asyncio.Event()

    async def never(*_: object, **__: object) -> None:
        has_begun.set()
        await asyncio.Event().wait()

    bench.source.opened[0].exec = never  # type: ignore[method-assign, assignment]
    step = asyncio.create_task(bench.episode.step(LOOK))
    await has_begun.wait()
    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step
    await bench.episode.close()
    assert bench.source.opened[0].closed


async def test_a_message_of_someone_else_is_refused_and_the_turn_still_open() -> None:
    bench = Bench()
    await bench.episode.reset(TASK)
    with pytest.raises(ValueError, match="assistant"):
        await bench.episode.step({"role": "user", "content": "hello"})
    assert (await bench.episode.step(SUBMIT)).terminated


async def test_an_episode_begins_once_and_before_it_is_answered() -> None:
    bench = Bench()
    with pytest.raises(RuntimeError, match="reset first"):
        await bench.episode.step(SUBMIT)
    await bench.episode.reset(TASK)
    with pytest.raises(RuntimeError, match="once"):
        await bench.episode.reset(TASK)


async def test_a_reset_that_fails_leaves_no_sandbox() -> None:
    bench = Bench(EpisodeSettings(tool_format="smoke signals"))
    with pytest.raises(ConfigError, match="smoke signals"):
        await bench.episode.reset(TASK)
    await bench.episode.close()
    assert bench.source.opened[0].closed


# --- without a sandbox


def text_episode(reward: SameAsTarget, **fields: object) -> TextEpisode:
    return TextEpisode(EpisodeSettings(mode="text", **fields), reward, events=Recorded())  # type: ignore[arg-type]


async def first_turn(episode: TextEpisode) -> Turn:
    return await episode.reset(TASK)


async def test_the_text_only_arm_has_the_context_in_its_prompt_and_one_turn() -> None:
    reward = SameAsTarget()
    episode = text_episode(reward)
    turn = await first_turn(episode)
    assert turn.tools == []
    assert "room 7: 42" in str(turn.messages)
    result = await episode.step("<think>room 7 it is</think>42")
    assert (result.reward, result.terminated, result.turn) == (1.0, True, None)
    (end,) = reward.ends
    assert (end.mode, end.sandbox, end.answer) == ("text", None, "42")


async def test_an_answer_that_was_cut_is_truncated() -> None:
    reward = SameAsTarget()
    episode = text_episode(reward)
    await first_turn(episode)
    cut = Reply(message={"role": "assistant", "content": "42"}, text="42", finish_reason="length")
    result = await episode.step(cut)
    assert (result.reward, result.truncated, result.info.reason) == (0.0, True, "token_limit")
    assert reward.ends == []


async def test_the_text_only_prompt_as_text() -> None:
    turn = await first_turn(text_episode(SameAsTarget(), tool_format="hermes"))
    assert turn.text is not None
    assert turn.text.endswith("<|im_start|>assistant\n")
    assert "HOW TO CALL A TOOL" not in turn.text
    assert replace(turn, text=None).messages == turn.messages


async def test_a_limit_of_a_task_that_is_no_number_is_reported_before_a_sandbox_opens() -> None:
    bench = Bench()
    task = Task(id="x", problem="?", target="", limits={"command_timeout": "fast"})
    with pytest.raises(ConfigError, match="The limits of task x cannot be used"):
        await bench.episode.reset(task)
    assert not bench.source.opened
