# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false
"""An episode as an agent loop of verl (package `verl`, 0.9): tokens in, tokens out.

verl's workers, which are Ray actors, create one loop per rollout. The prompt is tokenized once;
sampled tokens are appended exactly as the server returned them, with their log-probabilities; only
the new messages of the sandbox are tokenized (verl's continuous-token builders). Nothing in the
sequence is ever decoded and encoded again. The reward is the episode's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from omegaconf import OmegaConf
from typing_extensions import override
from verl.experimental.agent_loop.agent_loop import (
    AgentLoopBase,
    AgentLoopMetrics,
    AgentLoopOutput,
    register,
)
from verl.utils.profiler import simple_timer

from sandbox_tui.core.base.errors import SandboxLost, SandboxUnavailable
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.types import Usage
from sandbox_tui.core.models.base import Reply
from sandbox_tui.core.rl.adapters.verl_pools import pool_of, verl_settings
from sandbox_tui.core.rl.adapters.verl_rows import task_of_row
from sandbox_tui.core.rl.episode import Episode
from sandbox_tui.core.rl.turn import StepResult, Turn

NAME = "sandbox_tui"
"""Name of this loop in `actor_rollout_ref.rollout.agent.default_agent_loop`."""

ATTEMPTS = 2
"""Maximum number of attempts at a rollout whose sandbox cannot be started or is lost."""

OUT_OF_TOKENS = "token_limit"


@dataclass
class Rollout:
    """The tokens of one rollout.

    Attributes:
        token_ids: the prompt and everything after it.
        prompt_length: number of tokens in the prompt.
        mask: for each token after the prompt, 1 if the policy sampled it, else 0.
        logprobs: for each token after the prompt, 0 if the policy did not sample it; None if the
            server reports none.
        metrics: seconds by activity, and number of preemptions by the server.
        extra_fields: the server's fields about the version of its weights.
    """

    token_ids: list[int]
    prompt_length: int
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] | None = None
    metrics: dict[str, Any] = field(default_factory=dict)
    extra_fields: dict[str, Any] = field(default_factory=dict)

    def note(self, output: Any) -> None:
        """Store what a server's reply reports in addition to its tokens."""
        before = self.metrics.get("num_preempted")
        count = output.num_preempted
        if before is None:
            self.metrics["num_preempted"] = -1 if count is None else count
        else:
            self.metrics["num_preempted"] = before + (count or 0)
        if not self.extra_fields:
            self.extra_fields.update(output.extra_fields)
        elif output.extra_fields.get("max_global_steps"):
            self.extra_fields["max_global_steps"] = output.extra_fields["max_global_steps"]


@register(NAME)
class SandboxAgentLoop(AgentLoopBase):
    """Runs one episode with the policy that verl serves, configured by the section `sandbox_tui` of
    verl's configuration (see `VerlSettings`)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        section = OmegaConf.select(self.config, "sandbox_tui", default=OmegaConf.create())
        self._settings = verl_settings(OmegaConf.to_container(section, resolve=True))
        self._response_length: int = self.rollout_config.response_length

    @override
    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> AgentLoopOutput:
        """Run one rollout of the task in a dataset row (see `verl_rows`)."""
        task = task_of_row(kwargs)
        for attempts_left in reversed(range(ATTEMPTS)):
            try:
                rollout, last = await self._attempt(task, sampling_params)
                return self._output(rollout, last)
            except (SandboxLost, SandboxUnavailable):
                if not attempts_left:
                    raise
        raise AssertionError("there is at least one attempt")

    async def _attempt(self, task: Task, sampling: Mapping[str, Any]) -> tuple[Rollout, StepResult]:
        episode = pool_of(self._settings).episode()
        try:
            turn = await episode.reset(task)
            prompt = await self.ct_build_initial_tokens(turn.messages, tools=turn.tools or None)
            rollout = Rollout(list(prompt), len(prompt))
            return rollout, await self._roll_out(rollout, episode, turn, sampling)
        finally:
            await episode.close()

    async def _roll_out(
        self, rollout: Rollout, episode: Episode, turn: Turn, sampling: Mapping[str, Any]
    ) -> StepResult:
        """Take turns until the episode is over or the response is full."""
        request_id = uuid4().hex  # one for all turns, so that they reach the server with the prefix
        while True:
            reply = await self._ask(rollout, request_id, sampling)
            with simple_timer("tool_calls", rollout.metrics):
                result = await episode.step(reply)
            if result.turn is None:
                return result
            await self._append_context(rollout, turn, result)
            if len(rollout.mask) >= self._response_length:
                return _out_of_tokens(result)
            turn = result.turn

    async def _ask(self, rollout: Rollout, request_id: str, sampling: Mapping[str, Any]) -> Reply:
        """Get the policy's reply, and append its tokens as sampled."""
        room = self._response_length - len(rollout.mask)
        max_reply_tokens = self._settings.episode.limits.max_tokens
        if max_reply_tokens is not None:
            room = min(room, max_reply_tokens)
        prompt = tuple(rollout.token_ids)
        with simple_timer("generate_sequences", rollout.metrics):
            output = await self.server_manager.generate(
                request_id=request_id,
                prompt_ids=list(prompt),
                sampling_params={**sampling, "max_tokens": room},
            )
        rollout.note(output)
        sampled, logprobs = list(output.token_ids), output.log_probs
        if logprobs and rollout.logprobs is None:
            rollout.logprobs = [0.0] * len(rollout.mask)
        merged, rollout.mask, rollout.logprobs = await self.ct_merge_assistant_token(
            rollout.token_ids,
            sampled,
            rollout.mask,
            rollout.logprobs,
            assistant_logprobs=logprobs if rollout.logprobs is not None else None,
        )
        rollout.token_ids = list(merged.token_ids)
        text = self._text_of(sampled)
        return Reply(
            message={"role": "assistant", "content": text},
            text=text,
            usage=Usage(input_tokens=len(prompt), output_tokens=len(sampled)),
            finish_reason="stop" if self._has_ended(sampled, room) else "length",
            token_ids=tuple(sampled),
            prompt_token_ids=prompt,
            logprobs=tuple(logprobs or ()),
        )

    async def _append_context(self, rollout: Rollout, turn: Turn, result: StepResult) -> None:
        """Append the tokens of the messages after the policy's reply, and of the start of the next
        turn."""
        assert result.turn is not None
        messages = result.turn.messages
        merged, rollout.mask, rollout.logprobs = await self.ct_merge_context_msg(
            messages[: len(turn.messages) + 1],
            messages,
            rollout.token_ids,
            rollout.mask,
            rollout.logprobs,
            tools=result.turn.tools or None,
        )
        rollout.token_ids = list(merged.token_ids)

    def _has_ended(self, sampled: Sequence[int], room: int) -> bool:
        """Return whether the policy ended its reply itself."""
        return len(sampled) < room or sampled[-1] in self.tokenizer.all_special_ids

    def _text_of(self, sampled: Sequence[int]) -> str:
        """Return the reply as text, without the tokens that end it. Other special tokens stay,
        because they may be tags of tool calls."""
        special = set(self.tokenizer.all_special_ids)
        end = len(sampled)
        while end and sampled[end - 1] in special:
            end -= 1
        return self.tokenizer.decode(list(sampled[:end]), skip_special_tokens=False)

    def _output(self, rollout: Rollout, last: StepResult) -> AgentLoopOutput:
        """Return the rollout in verl's format, cut to the response length."""
        begin, most, info = rollout.prompt_length, self._response_length, last.info
        extra_fields = {
            **rollout.extra_fields,
            "turn_scores": [],
            "tool_rewards": [],
            "reward_extra_info": _measures(last),
        }
        return AgentLoopOutput(
            prompt_ids=rollout.token_ids[:begin],
            response_ids=rollout.token_ids[begin:][:most],
            response_mask=rollout.mask[:most],
            response_logprobs=None if rollout.logprobs is None else rollout.logprobs[:most],
            reward_score=last.reward,
            num_turns=2 * info.steps + 1,
            metrics=AgentLoopMetrics(**rollout.metrics),
            extra_fields=extra_fields,
        )


def _out_of_tokens(result: StepResult) -> StepResult:
    """Return the result of an episode that exceeded the response length: truncated, with a reward
    of 0, as in the reference."""
    info = replace(result.info, reason=OUT_OF_TOKENS)
    return replace(result, turn=None, reward=0.0, truncated=True, info=info)


def _measures(last: StepResult) -> dict[str, float]:
    """Return the values that verl logs beside the reward; it requires the same names for each
    rollout."""
    return {
        "truncated": float(last.truncated),
        "steps": float(last.info.steps),
        "tool_calls": float(last.info.tool_calls),
        "failed_calls": float(last.info.failed_calls),
    }
