"""The model protocol: a model answers a conversation with a streamed reply."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from sandbox_tui.core.events.types import ContextLength, ToolFormat, Usage

Message = dict[str, Any]
"""One message of a conversation, in the OpenAI chat format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to a model.

    Attributes:
        messages: the conversation.
        tools: OpenAI function objects.
        max_tokens: maximum tokens of the reply, or None for the server's own limit.
        response_format: required form of the reply, in the OpenAI API's format; None for free text.
        seed: sampling seed; None leaves it to the server.
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
    """A tool call as contained in a reply: the server's id, name, and raw JSON arguments.

    Attributes:
        truncated: the reply ended (token limit) before the arguments were complete; must not be
            run.
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
        usage: token counts, zero if the server did not report them.
        finish_reason: stop, tool_calls, length, content_filter ... or None.
        problem: message for the model if it wrote calls that cannot be run.
        token_ids: the sampled tokens of the reply, if the server returns them; never part of an
            event.
        prompt_token_ids: the tokens of the request, also if returned.
        logprobs: natural logarithm of the probability of each of `token_ids`, also if returned.
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
    """The format of tool calls from here on. Fields as in `events.ToolFormatChosen`."""

    format: ToolFormat
    why: str


ReplyPart: TypeAlias = Delta | ToolFormatSettled | ContextLength | Reply
"""What a model streams: its reply, piece by piece, and what it learns about its server."""


class Model(Protocol):
    """A model.

    Attributes:
        name: display name.
        params: server address and sampling parameters to record; no secrets.
    """

    name: str
    params: dict[str, Any]

    async def prepare(self) -> None:
        """Load what requests need, so that the first one takes no longer than the others. Sends
        nothing; the first request reports what is wrong."""
        return

    def ask(self, request: Request) -> AsyncGenerator[ReplyPart, None]:
        """Stream one reply: any number of `Delta`, then exactly one `Reply`.

        If the model learns the required format of tool calls, or its context length, it yields that
        in between. This makes one attempt; the agent decides about retries from the error.

        The caller closes the generator, with `contextlib.aclosing`. Otherwise the event loop closes
        it in a task of its own, some time later, perhaps after the model itself.

        Raises:
            ModelError: see its fields (ModelIncomplete, ContextOverflow).
        """
        ...

    async def close(self) -> None:
        """Close connections."""
        ...
