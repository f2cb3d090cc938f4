"""What a model is: something that answers a conversation with a streamed reply."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from sandbox_tui.core.events.types import ContextLength, ToolFormat, Usage

Message = dict[str, Any]
"""One message of a conversation, in the OpenAI chat format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to a model.

    Attributes:
        messages: the conversation.
        tools: OpenAI function objects.
        max_tokens: most tokens of the reply, or None for the server's own limit.
        response_format: what the reply has to be, as the OpenAI API has it; None: free.
        seed: of the sampling; None: the server's choice.
    """

    messages: Sequence[Message]
    tools: Sequence[dict[str, Any]]
    max_tokens: int | None = None
    response_format: Mapping[str, Any] | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """Part of a reply. Fields as in `events.ModelDelta`."""

    channel: Literal["text", "reasoning", "call"]
    text: str
    index: int = 0
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawToolCall:
    """A tool call as it stands in a reply: the server's id, name, and raw JSON arguments.

    Attributes:
        truncated: the reply ended (token limit) before the arguments were whole; not to be run.
        family, repaired: as in `events.ToolCall`.
    """

    id: str
    name: str
    arguments: str
    truncated: bool = False
    family: str = ""
    repaired: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole reply.

    Attributes:
        message: the assistant message to append to the conversation.
        text, reasoning: its prose (no lone surrogates).
        calls: its tool calls, in order.
        usage: tokens, zeros where the server did not say.
        finish_reason: stop, tool_calls, length, content_filter ... or None.
        problem: what the model is told where it wrote calls that cannot be carried out.
        token_ids: the tokens of the reply as they were sampled, where the server gives them; never
            part of an event.
        prompt_token_ids: the tokens of the request, likewise.
        logprobs: natural logarithm of the probability of each of `token_ids`, likewise.
    """

    message: Message
    text: str = ""
    reasoning: str = ""
    calls: tuple[RawToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None
    problem: str = ""
    token_ids: tuple[int, ...] = ()
    prompt_token_ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolFormatSettled:
    """From here on the tool calls travel in this format. Fields as in `events.ToolFormatChosen`."""

    format: ToolFormat
    why: str


ReplyPart: TypeAlias = Delta | ToolFormatSettled | ContextLength | Reply
"""What a model streams: its reply, piece by piece, and what it has learnt about its server."""


class Model(Protocol):
    """A model.

    Attributes:
        name: what to show.
        params: server address and sampling parameters to record; no secrets.
    """

    name: str
    params: dict[str, Any]

    def ask(self, request: Request) -> AsyncIterator[ReplyPart]:
        """Stream one reply: any number of `Delta`, then exactly one `Reply`. A model that learns
        how tool calls have to travel, or how long its context is, says so in between.

        One attempt; the agent decides about retries from the error.

        Raises:
            ModelError: see its fields (ModelIncomplete, ContextOverflow).
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
