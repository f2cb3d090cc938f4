"""Events for the steps of a run: requests, replies, calls."""

from __future__ import annotations

from typing import Any, Literal

from sandbox_tui.core.events.kinds.base import Event
from sandbox_tui.core.events.kinds.values import (
    Actor,
    ContextLength,
    ToolCall,
    ToolFormat,
    Usage,
    Verdict,
)


class ModelAsked(Event, frozen=True, kw_only=True):
    """A request is about to be sent.

    Attributes:
        digest: sha256 of the conversation, to distinguish requests. It is computed before the
            conversation is rendered for a model whose tool calls are text.
        messages: number of messages in the request.
        token_count: tokens of the request as far as known (the last reply's count), else 0.
        attempt: 1 for the first attempt of this step.
        steps_left: number of remaining steps told to the model; None in older records, where the
            limit determines it.
    """

    step: int
    digest: str
    messages: int
    token_count: int = 0
    attempt: int = 1
    steps_left: int | None = None


class ModelDelta(Event, frozen=True, kw_only=True):
    """Part of a reply as it streams in.

    Attributes:
        channel: text, reasoning, or call (a fragment of a tool call's arguments).
        text: the fragment.
        index: the call of the reply that the fragment belongs to.
        name: the tool's name, in the first fragment of a call.
    """

    step: int
    channel: Literal["text", "reasoning", "call"]
    text: str
    index: int = 0
    name: str | None = None


class ModelReplied(Event, frozen=True, kw_only=True):
    """A whole reply.

    Attributes:
        message: the assistant message as added to the conversation.
        text, reasoning: its two kinds of prose.
        finish_reason: as reported by the server, or None.
        latency: seconds from request to last byte.
        first_token: seconds from request to the first fragment, or None.
        cost: US dollars of this reply, or None if the price is unknown.
        reminder: the reminder after a reply without a call; None if it contained one.
        unreadable: it contained calls as text that could not be run; the reminder says why.
    """

    step: int
    message: dict[str, Any]
    text: str
    reasoning: str
    usage: Usage
    finish_reason: str | None
    latency: float
    first_token: float | None = None
    cost: float | None = None
    reminder: str | None = None
    unreadable: bool = False


class ModelFailed(Event, frozen=True, kw_only=True):
    """A request failed.

    Attributes:
        retry_in: seconds until the next attempt, or None.
        status: HTTP status, or None if there was none or it is not recorded.
        max_attempts: the number of attempts after which the run ends.
        gives_up_in: seconds until the last attempt, if all those before it fail at once; None if
            there is none, or it is not recorded.
    """

    step: int
    error: str
    attempt: int
    retry_in: float | None = None
    status: int | None = None
    max_attempts: int = 5
    gives_up_in: float | None = None


class ToolFormatChosen(Event, frozen=True, kw_only=True):
    """The run uses this format of tool calls from now on.

    Attributes:
        format: the format.
        why: the reason, as a sentence for the user.
    """

    format: ToolFormat
    why: str


class ContextLengthFound(Event, frozen=True, kw_only=True):
    """The model's context length became known."""

    context: ContextLength


class ReplyInterrupted(Event, frozen=True, kw_only=True):
    """The user interrupted a reply: its fragments stay in the record, the conversation continues
    without it, and the request is repeated."""

    step: int


class PartialReplyCounted(Event, frozen=True, kw_only=True):
    """A reply broke off after a part of it had arrived: the user stopped it, the run ended, or its
    server failed. Servers count complete replies only.

    Attributes:
        usage: the tokens of the request and of that part, as estimated by us.
    """

    step: int
    usage: Usage


class CallProposed(Event, frozen=True, kw_only=True):
    """The model wants to call a tool."""

    call: ToolCall


class CallHeld(Event, frozen=True, kw_only=True):
    """A call waits for the user.

    Attributes:
        call: the call's number.
        rule: why the policy asks, in a few words; None if every call waits.
        reason: the rule's own explanation for the user.
        until_resumed: whether only the pause holds it: it runs once the run is resumed.
    """

    call: int
    rule: str | None = None
    reason: str = ""
    until_resumed: bool = False


class CallDecided(Event, frozen=True, kw_only=True):
    """A call was decided.

    Attributes:
        call: the call's number.
        verdict: the decision.
        by: who decided.
        rule: the rule that decided, or that asked for a decision, in a few words.
        arguments: the new arguments (JSON text) if edited.
        feedback: a message for the model if rejected, the observation itself if answered.
    """

    call: int
    verdict: Verdict
    by: Actor
    rule: str | None = None
    arguments: str | None = None
    feedback: str | None = None


class CallStarted(Event, frozen=True, kw_only=True):
    """A call's tool started."""

    call: int


class CallFinished(Event, frozen=True, kw_only=True):
    """A call was answered.

    Attributes:
        observation: the text the model gets.
        ok: False if the tool refused, the command failed, or the call was malformed.
        exit_code: the command's, or None if there was no command.
        stdout_bytes, stderr_bytes: size of the command's whole output, before any limit.
        truncated: whether the observation is shorter than the output.
        duration: seconds.
        timed_out: whether the time limit ended it.
        interrupted: whether the user ended it.
        background: whether processes that it started are still running.
    """

    call: int
    observation: str
    ok: bool
    exit_code: int | None = None
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    truncated: bool = False
    duration: float = 0.0
    timed_out: bool = False
    interrupted: bool = False
    background: bool = False
