"""Batches the requests of many episodes to a model in this process.

Requests that arrive while a batch is generated form the next one. Each reply has its own seed, so
that it does not depend on the rest of its batch.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from typing_extensions import override

from sandbox_tui.core.base.errors import ContextOverflow
from sandbox_tui.core.events.types import Usage
from sandbox_tui.core.models.base import Reply
from sandbox_tui.core.rl.adapters.local_policy import Completion, LocalPolicy
from sandbox_tui.core.rl.training.policy import Conversant, Policy, Transcript
from sandbox_tui.core.rl.turn import Turn


@dataclass(frozen=True, slots=True)
class _Asked:
    tokens: list[int]
    seed: int
    answer: asyncio.Future[Completion]


class LocalConversations(Policy):
    """Batches the requests of many episodes for one model. Bound to one event loop.

    Args:
        policy: the model.
        reply_tokens: maximum number of tokens per reply.
        temperature: sampling temperature.
        batch: maximum number of replies per batch.
    """

    def __init__(
        self, policy: LocalPolicy, *, reply_tokens: int, temperature: float, batch: int = 64
    ) -> None:
        self.policy = policy
        self.reply_tokens = reply_tokens
        self._temperature = temperature
        self._batch = batch
        self._waiting: list[_Asked] = []
        self._generating: asyncio.Task[None] | None = None

    @override
    def converse(self, seed: int) -> Conversant:
        return _LocalConversant(self, seed)

    async def complete(self, tokens: list[int], seed: int) -> Completion:
        """Sample the reply to a prompt.

        Args:
            tokens: token ids of the prompt.
            seed: sampling seed.
        """
        answer: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Asked(tokens, seed, answer))
        if self._generating is None or self._generating.done():
            self._generating = asyncio.create_task(self._generate())
        return await answer

    async def _generate(self) -> None:
        while self._waiting:
            await asyncio.sleep(0)  # episodes that are ready now join the batch
            batch, self._waiting = self._waiting[: self._batch], self._waiting[self._batch :]
            try:
                completions = await asyncio.to_thread(
                    self.policy.generate,
                    [one.tokens for one in batch],
                    seeds=[one.seed for one in batch],
                    max_tokens=self.reply_tokens,
                    temperature=self._temperature,
                )
            except Exception as error:  # noqa: BLE001 - passed on to the callers
                for one in batch:
                    if not one.answer.done():
                        one.answer.set_exception(error)
                continue
            for one, completion in zip(batch, completions, strict=True):
                if not one.answer.done():  # its episode may have been cancelled
                    one.answer.set_result(completion)


class _LocalConversant(Conversant):
    """The conversation of one episode."""

    def __init__(self, conversations: LocalConversations, seed: int) -> None:
        self.transcript = Transcript()
        self._conversations = conversations
        self._seed = seed
        self._turns = 0
        self._processed = 0  # number of messages in the transcript
        self._was_cut = False  # whether the last reply has no end token

    @override
    async def reply(self, turn: Turn) -> Reply:
        prompt = self._prompt(turn)
        completion = await self._conversations.complete(prompt, self._seed + self._turns)
        self._turns += 1
        self._was_cut = completion.finish_reason == "length"
        self.transcript.add_sampled(completion.token_ids, completion.logprobs)
        written = len(completion.token_ids)
        return Reply(
            message={"role": "assistant", "content": completion.text},
            text=completion.text,
            usage=Usage(input_tokens=len(prompt), output_tokens=written),
            finish_reason=completion.finish_reason,
            token_ids=tuple(completion.token_ids),
            prompt_token_ids=tuple(prompt),
            logprobs=tuple(completion.logprobs),
        )

    def _prompt(self, turn: Turn) -> list[int]:
        policy, transcript = self._conversations.policy, self.transcript
        if not self._turns:
            transcript.prompt = policy.prompt_ids(turn.messages, turn.tools)
        else:
            # the message in between is the policy's own; its tokens are already in the transcript
            transcript.add_read([policy.end] if self._was_cut else [])
            transcript.add_read(policy.appended_ids(turn.messages[self._processed + 1 :]))
        self._processed = len(turn.messages)
        tokens = transcript.tokens
        if len(tokens) + self._conversations.reply_tokens > policy.context_length:
            raise ContextOverflow(
                f"The conversation has {len(tokens)} tokens, and the model's context of "
                f"{policy.context_length} leaves no room for a reply. Lower "
                "episodes.limits.token_limit."
            )
        return tokens
