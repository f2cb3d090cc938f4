# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""A model in this process as the policy, and TRL as the engine that updates it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from typing_extensions import override

torch = pytest.importorskip("torch", reason="needs the extra trl")
pytest.importorskip("trl", reason="needs the extra trl")

import msgspec  # noqa: E402

from sandbox_tui.core.base.errors import ConfigError, ContextOverflow  # noqa: E402
from sandbox_tui.core.evals.task import Task  # noqa: E402
from sandbox_tui.core.rl.adapters.local_conversations import LocalConversations  # noqa: E402
from sandbox_tui.core.rl.adapters.local_policy import LocalPolicy  # noqa: E402
from sandbox_tui.core.rl.adapters.trl_engine import TrlEngine  # noqa: E402
from sandbox_tui.core.rl.recipe import (  # noqa: E402
    Checkpoints,
    DataFiles,
    Recipe,
    TrainingSettings,
)
from sandbox_tui.core.rl.training.attempt import Attempt  # noqa: E402
from sandbox_tui.core.rl.training.engine import ScoredAttempt, TrainingJob  # noqa: E402
from sandbox_tui.core.rl.training.policy import Policy  # noqa: E402
from sandbox_tui.core.rl.turn import Turn  # noqa: E402
from sandbox_tui.sessions.rl.checkpoints import newest_checkpoint  # noqa: E402
from tests.untrained_model import tokenizer, untrained_policy  # noqa: E402

ASKED = [{"role": "user", "content": "What is 2 + 2?"}]


@pytest.fixture
def policy() -> LocalPolicy:
    return untrained_policy()


def test_turns_are_appended_token_by_token(policy: LocalPolicy) -> None:
    reply = {"role": "assistant", "content": "4"}
    seen = {"role": "tool", "content": "so it is"}
    appended = policy.prompt_ids(ASKED, ()) + policy.reply_ids(reply) + policy.appended_ids([seen])
    assert appended == policy.prompt_ids([*ASKED, reply, seen], ())


def test_a_reply_depends_on_no_other_prompt_of_its_batch(policy: LocalPolicy) -> None:
    long = policy.prompt_ids([*ASKED, {"role": "user", "content": "And three more?"}], ())
    short = policy.prompt_ids(ASKED, ())
    alone = policy.generate([short], seeds=[7], max_tokens=12)[0]
    together = policy.generate([long, short, short], seeds=[1, 7, 8], max_tokens=12)
    assert together[1].token_ids == alone.token_ids
    assert together[1].logprobs == pytest.approx(alone.logprobs, abs=1e-4)
    assert together[2].token_ids != alone.token_ids


def test_a_template_without_the_end_token_is_refused(policy: LocalPolicy) -> None:
    fast = tokenizer("{%- for message in messages -%}{{- message.content -}}{%- endfor -%}")
    with pytest.raises(ConfigError, match="does not end an assistant message"):
        LocalPolicy(policy.model, fast)


async def test_an_episode_that_is_too_long_has_no_reply(policy: LocalPolicy) -> None:
    talking = LocalConversations(policy, reply_tokens=200, temperature=1.0).converse(1)
    long = [{"role": "user", "content": "x" * 100}]
    with pytest.raises(ContextOverflow, match="token_limit"):
        await talking.reply(Turn(messages=long, tools=[]))


async def test_a_reply_that_was_cut_is_ended_before_the_next_turn(policy: LocalPolicy) -> None:
    talking = LocalConversations(policy, reply_tokens=2, temperature=1.0).converse(1)
    first = await talking.reply(Turn(messages=ASKED, tools=[]))
    assert first.finish_reason == "length"
    request = {"role": "user", "content": "Go on."}
    second = await talking.reply(Turn(messages=[*ASKED, first.message, request], tools=[]))
    after = [*policy.tokenizer.encode("<|im_end|>"), *policy.appended_ids([request])]
    assert [*second.prompt_token_ids][-len(after) :] == after
    assert talking.transcript.sampled.count(True) == 4


def test_prompts_are_where_the_model_is(policy: LocalPolicy) -> None:
    """A trainer moves the model to its GPU, which the device `meta` stands for."""

    class Elsewhere:
        device = torch.device("meta")

        def __call__(self, **given: object) -> SimpleNamespace:
            tensors = [one for one in given.values() if isinstance(one, torch.Tensor)]
            assert {one.device for one in tensors} == {self.device}
            logits = torch.zeros(1, 1, len(policy.tokenizer))
            return SimpleNamespace(logits=logits, past_key_values=None)

    prompt = policy.prompt_ids(ASKED, ())
    policy.model = Elsewhere()
    (found,) = policy.generate([prompt], seeds=[7], max_tokens=4)
    assert len(found.token_ids) == 4


class Job(TrainingJob):
    """A training job that rewards replies with -1 and 1 in turn and records the engine's calls."""

    def __init__(self, folder: Path, steps: int) -> None:
        self.folder = folder
        newest = newest_checkpoint(folder)
        self.checkpoint = newest.path if newest else None
        self.first_step = newest.step + 1 if newest else 1
        self.recipe = Recipe(
            engine="trl",
            model=str(folder / "model"),
            data=DataFiles(train=""),
            training=TrainingSettings(steps=steps, prompts=1, group=4, learning_rate=1e-2),
            checkpoints=Checkpoints(every=1),
            threads=1,
        )
        self.recipe = msgspec.structs.replace(
            self.recipe, training=msgspec.structs.replace(self.recipe.training, reply_tokens=4)
        )
        self.asked: list[int] = []
        self.finished: dict[int, Mapping[str, float]] = {}

    @override
    def rollouts(self, step: int, policy: Policy) -> Sequence[ScoredAttempt]:
        self.asked.append(step)
        return asyncio.run(self._rollouts(step, policy))

    async def _rollouts(self, step: int, policy: Policy) -> list[ScoredAttempt]:
        return [await self._one(policy, 10 * step + n, 1.0 if n % 2 else -1.0) for n in range(4)]

    async def _one(self, policy: Policy, seed: int, advantage: float) -> ScoredAttempt:
        talking = policy.converse(seed)
        await talking.reply(Turn(messages=list(ASKED), tools=[]))
        task = Task(id="t", problem="", target="")
        attempt = Attempt(
            run_id=str(seed),
            task=task,
            reward=advantage,
            truncated=False,
            info=None,
            transcript=talking.transcript,
        )
        return ScoredAttempt(attempt, advantage)

    @override
    def measure(self, step: int, policy: Policy) -> None:
        pass

    @override
    def step_finished(self, step: int, metrics: Mapping[str, float]) -> None:
        self.finished[step] = metrics


def test_trl_trains_and_continues_from_a_checkpoint(policy: LocalPolicy, tmp_path: Path) -> None:
    policy.model.save_pretrained(tmp_path / "model")
    policy.tokenizer.save_pretrained(tmp_path / "model")
    first = Job(tmp_path, steps=2)
    TrlEngine().train(first)
    assert first.asked == [1, 2]
    assert all("loss" in metrics for metrics in first.finished.values())
    trained = LocalPolicy.load(str(tmp_path / "final"))
    before = policy.model.state_dict()
    after = trained.model.state_dict()
    assert any(not torch.equal(before[name], after[name]) for name in before)
    second = Job(tmp_path, steps=3)
    TrlEngine().train(second)
    assert (second.first_step, second.asked) == (3, [3])
