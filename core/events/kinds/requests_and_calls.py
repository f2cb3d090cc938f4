"""The steps of a run: requests, replies, calls."""

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
    """A request is going out.

    Attributes:
        digest: sha256 of the conversation, to tell equal requests apart from unequal ones. A model
            whose tool calls are text gets it rendered as text.
        messages: how many messages it holds.
        token_count: tokens of the request as far as known (the last reply's count), else 0.
        attempt: 1 for the first try of this step.
        steps_left: what the model is told that remains; None in older records: as the limit says.
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
        index: which call of the reply the fragment belongs to.
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
        message: the assistant message as it goes back into the conversation.
        text, reasoning: its two kinds of prose.
        finish_reason: as the server named it, or None.
        latency: seconds from request to last byte.
        first_token: seconds from request to the first fragment, or None.
        cost: US dollars of this reply, or None where the price is not known.
        reminder: what the model was told after a reply without a call, None where it held one.
        unreadable: it wrote calls as text that could not be carried out; the reminder says why.
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
    """A request failed; `retry_in` is the seconds until the next try, None when there is none."""

    step: int
    error: str
    attempt: int
    retry_in: float | None = None


class ToolFormatChosen(Event, frozen=True, kw_only=True):
    """The tool calls of this run travel in this format from here on.

    Attributes:
        format: the format.
        why: the reason, as a sentence for people.
    """

    format: ToolFormat
    why: str


class ContextLengthFound(Event, frozen=True, kw_only=True):
    """The length of the model's context is known from here on."""

    context: ContextLength


class ReplyInterrupted(Event, frozen=True, kw_only=True):
    """A person broke off a reply: its fragments stay recorded, the conversation continues without
    it, and the model is asked again."""

    step: int


class CallProposed(Event, frozen=True, kw_only=True):
    """The model wants to call a tool."""

    call: ToolCall


class CallHeld(Event, frozen=True, kw_only=True):
    """A call waits for a person.

    Attributes:
        call: the call's number.
        rule: why, in a few words, where a policy asks; None where every call waits.
        reason: the rule's own words for the person.
    """

    call: int
    rule: str | None = None
    reason: str = ""


class CallDecided(Event, frozen=True, kw_only=True):
    """A call was decided about.

    Attributes:
        call: the call's number.
        verdict: what was decided.
        by: who decided.
        rule: the rule that decided, or that asked for a decision, in a few words.
        arguments: the new arguments (JSON text) when edited.
        feedback: words for the model when rejected, the observation itself when answered.
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
        ok: False when the tool refused, the command failed, or the call was malformed.
        exit_code: of the command, None where there was none.
        stdout_bytes, stderr_bytes: what the command wrote in full, before any bound.
        truncated: whether the observation is shorter than the output.
        duration: seconds.
        timed_out: whether the time limit ended it.
        interrupted: whether a person ended it.
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
