"""Optional reward terms: readable tool calls, and replies that are not too long. Neither is in the
reference; both are off unless a recipe gives them a weight."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from sandbox_tui.core.models.base import Message
from sandbox_tui.core.models.usage_estimate import BYTES_PER_TOKEN
from sandbox_tui.core.rl.rewards.base import RewardResult, RolloutEnd


@dataclass(slots=True, kw_only=True)
class FormatTerm:
    """The share of replies with readable tool calls: each reply calls a tool, and the arguments of
    all its calls are JSON objects. In a text-only episode: whether there is an answer.

    Attributes:
        weight: the term is between 0 and this.
    """

    weight: float
    name: str = field(default="format", init=False)

    async def reward(self, end: RolloutEnd) -> RewardResult:
        """Compute the term for one episode."""
        replies = _replies(end.messages)
        readable = sum(map(_is_readable, replies)) if end.mode == "sandbox" else bool(end.answer)
        share = readable / max(1, len(replies)) if end.mode == "sandbox" else float(readable)
        value = self.weight * share
        return RewardResult(
            value=value,
            parts={self.name: value},
            explanation=f"{share:.0%} of {len(replies)} replies are readable.",
        )


@dataclass(slots=True, kw_only=True)
class LengthTerm:
    """The soft overlong punishment of DAPO (arXiv 2503.14476), over all that a policy wrote.

    Attributes:
        weight: the term is between minus this and 0.
        first: number of tokens up to which there is no penalty.
        last: number of tokens from which the penalty is full.
    """

    weight: float
    first: int
    last: int
    name: str = field(default="length", init=False)

    async def reward(self, end: RolloutEnd) -> RewardResult:
        """Compute the term for one episode."""
        tokens = written_tokens(end.messages)
        beyond = max(0, tokens - self.first)
        share = min(1.0, beyond / max(1, self.last - self.first))
        value = -self.weight * share if share else 0.0
        return RewardResult(
            value=value,
            parts={self.name: value},
            explanation=f"About {tokens:,} tokens were written.",
        )


def written_tokens(messages: Iterable[Message]) -> int:
    """Estimate the tokens of the replies in a conversation from the length of their content,
    reasoning and arguments."""
    size = sum(
        len(text.encode("utf-8", "surrogatepass"))
        for reply in _replies(messages)
        for text in _written(reply)
    )
    return size // BYTES_PER_TOKEN


def _written(reply: Message) -> list[str]:
    texts = [reply.get("content"), reply.get("reasoning_content")]
    called = [_function(call).get("arguments") for call in _calls(reply)]
    return [text for text in (*texts, *called) if isinstance(text, str)]


def _replies(messages: Iterable[Message]) -> list[Message]:
    return [message for message in messages if message.get("role") == "assistant"]


def _is_readable(reply: Message) -> bool:
    calls = _calls(reply)
    return bool(calls) and all(_is_object(_function(call).get("arguments")) for call in calls)


def _calls(reply: Message) -> Sequence[Mapping[str, Any]]:
    return cast("list[dict[str, Any]]", reply.get("tool_calls") or [])


def _function(call: Mapping[str, Any]) -> Mapping[str, Any]:
    return cast("dict[str, Any]", call.get("function") or {})


def _is_object(arguments: object) -> bool:
    if isinstance(arguments, dict):
        return True
    try:
        return isinstance(json.loads(str(arguments)), dict)
    except ValueError:
        return False
