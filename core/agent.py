"""The agent: a conversation in which the model calls tools until it submits.

This is the loop of LLM-in-Sandbox (arXiv 2601.16206, section 2): the model gets a task and three
tools; every turn it calls some; their observations go back to it; `submit` or a limit ends it.

    run   turn after turn, until there is a reason to stop
    step  one turn: deliver a person's words, ask, perform every call
    ask   one whole reply, over as many attempts as it is worth
    perform  one call: gate, tool, observation
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from . import prices
from .errors import ContextOverflow, ModelError, ModelIncomplete
from .events import (
    CallDecided,
    CallFinished,
    CallProposed,
    CallStarted,
    Delivered,
    FinishReason,
    Limits,
    ModelAsked,
    ModelDelta,
    ModelFailed,
    ModelReplied,
    ToolCall,
)
from .gate import Decision, Gate
from .journal import Journal
from .models.base import Delta, Message, Model, Reply, Request, WrittenCall
from .spans import span
from .tools.arguments import ArgumentsError, parse_arguments
from .tools.base import Observation, Tool

ATTEMPTS = 5
"""How often one reply is asked for before the run ends."""

LONGEST_WAIT = 300.0
"""Seconds a server may ask us to wait; more ends the run with what it said."""

TOO_LONG = "It wants to be left alone for {}: `sandbox-tui fork last` goes on from here then."

SMALLEST_REPLY = 4096
"""Tokens of a reply below which shrinking no longer helps an overfull conversation."""

NO_CALL = (
    "Your last message called no tool, so nothing happened. Call a tool in every message: "
    "execute_bash or str_replace_editor to go on, submit when the answer is written."
)
NOT_YET = "Not handed in yet: a person has written to you. Read it, then go on or submit again."
DENIED = "Not run: a rule of the person who started this run does not allow it."
ENDED = "The run was ended while this call was running."
LOST = (
    "Interrupted: the program that runs this sandbox was ended while this call was running, and "
    "has been started again. Its output is lost. What it did to files until then is kept; the "
    "shell's directory and variables are those before this call, unless it had come to its end."
)
EDITED = "[A person edited this call before it ran. It ran with:"
CUT = "Your last message was cut off by the token limit of one reply. Go on in smaller parts."


class _Interrupted(Exception):
    """A person broke the reply off."""


class Workbench(Protocol):
    """Where calls are carried out; `Run` is one."""

    async def use(self, tool: Tool, arguments: dict[str, Any], call: ToolCall) -> Observation:
        """Run `tool` and return its answer."""
        ...


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the agent stopped."""

    reason: FinishReason
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far an agent had come whose program is gone.

    Attributes:
        step: turns taken, the last one perhaps not to its end.
        calls: tool calls so far.
        cost: US dollars so far.
        context_tokens: tokens of the conversation, as last counted.
        interrupted: the call whose tool was at work.
        proposed: the call that had not got as far as that.
        proposed_cut: whether that call was cut off by the token limit of its reply.
        unproposed: calls of the last turn that were not yet looked at.
        submitted: whether a call of the last turn handed the work in.
    """

    step: int = 0
    calls: int = 0
    cost: float = 0.0
    context_tokens: int = 0
    interrupted: ToolCall | None = None
    proposed: ToolCall | None = None
    proposed_cut: bool = False
    unproposed: tuple[WrittenCall, ...] = ()
    submitted: bool = False


class Agent:
    """One model at work on one task.

    Args:
        standing: how far another program had come with it, whose `messages` these are.

    Attributes:
        messages: the conversation so far, in the OpenAI chat format.
        step_number: turns taken.
        calls: tool calls so far.
    """

    def __init__(
        self,
        *,
        model: Model,
        tools: Sequence[Tool],
        messages: list[Message],
        limits: Limits,
        gate: Gate,
        journal: Journal,
        workbench: Workbench,
        retry_base: float = 1.0,
        standing: Standing | None = None,
    ) -> None:
        standing = standing or Standing()
        self._model = model
        self._tools = {tool.name: tool for tool in tools}
        self._schemas = [{"type": "function", "function": dict(tool.schema)} for tool in tools]
        self._limits = limits
        self._gate = gate
        self._journal = journal
        self._workbench = workbench
        self._cost = standing.cost
        self._retry_base = retry_base
        self._context_tokens = standing.context_tokens
        self._reply_tokens = limits.max_tokens
        self._skip_wait = asyncio.Event()
        self._waiting = False
        self._asking: asyncio.Task[Reply] | None = None
        self._standing = standing
        self.messages = messages
        self.step_number = standing.step
        self.calls = standing.calls

    async def run(self) -> Ending:
        """Work until the model submits, a limit is reached, or the model fails."""
        try:
            ending = await self._end_turn(self._standing)
            while ending is None:
                ending = self._limit_reached() or await self.step()
            return ending
        except ContextOverflow as error:
            return Ending("token_limit", str(error))
        except ModelError as error:
            return Ending("model_error", str(error))

    async def step(self) -> Ending | None:
        """One turn; an `Ending` when the model submitted."""
        await self._gate.before_request()
        self.step_number += 1
        self._deliver()
        self._say_what_remains()
        reply = await self.ask()
        self.messages.append(reply.message)
        if not reply.calls:
            cut = reply.finish_reason == "length"
            self.messages.append({"role": "user", "content": CUT if cut else NO_CALL})
            return None
        submitted = False
        for written in reply.calls:
            submitted = await self.perform(written, already_submitted=submitted) or submitted
        return Ending("submitted") if submitted else None

    async def _end_turn(self, turn: Standing) -> Ending | None:
        """Carry out what is left of a turn that another program began."""
        submitted = turn.submitted
        if turn.interrupted is not None:
            self._finish(turn.interrupted, Observation(text=LOST, ok=False, interrupted=True), 0.0)
        if turn.proposed is not None:
            cut = turn.proposed_cut
            submitted = await self._carry_out(turn.proposed, cut, submitted) or submitted
        for written in turn.unproposed:
            submitted = await self.perform(written, already_submitted=submitted) or submitted
        return Ending("submitted") if submitted else None

    def skip_wait(self) -> None:
        """Try the model again now instead of waiting out the back-off."""
        self._skip_wait.set()

    def interrupt_reply(self) -> bool:
        """Break off the reply that is streaming in, or the wait before the next attempt: the model
        is asked again at once. False when there is neither."""
        if self._asking is not None:
            return self._asking.cancel()
        waits = self._waiting and not self._skip_wait.is_set()
        self.skip_wait()
        return waits

    def _limit_reached(self) -> Ending | None:
        limits = self._limits
        if self.step_number >= limits.max_steps:
            return Ending("max_steps", f"The run reached its limit of {limits.max_steps} steps.")
        if limits.token_limit is not None and self._context_tokens >= limits.token_limit:
            return Ending(
                "token_limit",
                f"The conversation reached its limit of {limits.token_limit} tokens.",
            )
        if limits.cost_limit is not None and self._cost >= limits.cost_limit:
            return Ending("cost_limit", f"The run reached its limit of ${limits.cost_limit:g}.")
        return None

    def _deliver(self) -> None:
        """Put what a person said into the conversation."""
        waiting = self._gate.take_outbox()
        if not waiting:
            return
        text = "\n\n".join(item.text for item in waiting)
        self.messages.append({"role": "user", "content": text})
        ids = tuple(item.id for item in waiting)
        self._journal.post(Delivered(step=self.step_number, ids=ids, text=text))

    def _say_what_remains(self) -> None:
        """Tell the model its budget at the end of the last message, as the reference does."""
        left = self._limits.max_steps - self.step_number + 1
        last = self.messages[-1]
        if isinstance(last.get("content"), str):
            self.messages[-1] = {**last, "content": f"{last['content']}\nSteps Remaining: {left}"}

    # --- asking

    async def ask(self) -> Reply:
        """One whole reply.

        Raises:
            ModelError: after the last attempt, or at once where another would not help.
        """
        incomplete = 0
        attempt = 1
        while True:
            try:
                return await self._attempt(attempt)
            except ContextOverflow as error:
                if not self._shrink_reply():
                    raise
                self._failed(error, attempt, 0.0)
            except _Interrupted:
                self._failed(ModelError("A person broke the reply off."), attempt, 0.0)
                attempt -= 1  # that is no failure of the model's
            except ModelIncomplete as error:
                incomplete += 1
                await self._back_off(error, attempt, give_up=incomplete > 1)
            except ModelError as error:
                await self._back_off(error, attempt, give_up=not error.retryable)
            attempt += 1
            await self._gate.before_request()
            self._deliver()

    async def _attempt(self, attempt: int) -> Reply:
        request = Request(
            messages=self.messages, tools=self._schemas, max_tokens=self._reply_tokens
        )
        self._journal.post(
            ModelAsked(
                step=self.step_number,
                digest=messages_digest(self.messages),
                messages=len(self.messages),
                token_count=self._context_tokens,
                attempt=attempt,
            )
        )
        await self._journal.kept()
        self._asking = asyncio.ensure_future(self._stream(request))
        try:
            return await self._asking
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                self._asking.cancel()
                raise
            raise _Interrupted from None
        finally:
            self._asking = None

    async def _stream(self, request: Request) -> Reply:
        began = time.monotonic()
        first: float | None = None
        async for part in self._model.ask(request):
            if isinstance(part, Delta):
                first = time.monotonic() - began if first is None else first
                self._journal.post_delta(
                    ModelDelta(
                        step=self.step_number,
                        channel=part.channel,
                        text=part.text,
                        index=part.index,
                        name=part.name,
                    )
                )
            else:
                self._replied(part, time.monotonic() - began, first)
                return part
        raise ModelIncomplete("The model's reply ended before it was whole.")

    def _replied(self, reply: Reply, latency: float, first: float | None) -> None:
        usage = reply.usage
        cost = prices.cost(self._model.name, usage)
        self._cost += cost or 0.0
        self._context_tokens = usage.input_tokens + usage.output_tokens
        self._journal.post(
            ModelReplied(
                step=self.step_number,
                message=reply.message,
                text=reply.text,
                reasoning=reply.reasoning,
                usage=usage,
                finish_reason=reply.finish_reason,
                latency=round(latency, 4),
                first_token=None if first is None else round(first, 4),
                cost=cost,
            )
        )

    async def _back_off(self, error: ModelError, attempt: int, *, give_up: bool) -> None:
        """Wait before the next attempt, or raise when there shall be none."""
        backed_off = self._retry_base * 2 ** (attempt - 1) * (0.75 + random.random() / 2)
        wait = error.retry_after if error.retry_after is not None else backed_off
        if wait > LONGEST_WAIT and not give_up:
            error = ModelError(f"{error} {TOO_LONG.format(span(wait))}", status=error.status)
        if give_up or attempt >= ATTEMPTS or wait > LONGEST_WAIT:
            self._failed(error, attempt, None)
            raise error
        self._failed(error, attempt, wait)
        self._skip_wait.clear()
        self._waiting = True
        try:
            await asyncio.wait_for(self._skip_wait.wait(), wait)
        except TimeoutError:
            return
        finally:
            self._waiting = False

    def _failed(self, error: ModelError, attempt: int, retry_in: float | None) -> None:
        self._journal.post(
            ModelFailed(step=self.step_number, error=str(error), attempt=attempt, retry_in=retry_in)
        )

    def _shrink_reply(self) -> bool:
        """Ask for a shorter reply, so that the conversation may fit after all."""
        if self._reply_tokens is None or self._reply_tokens <= SMALLEST_REPLY:
            return False
        self._reply_tokens = max(SMALLEST_REPLY, self._reply_tokens // 2)
        return True

    # --- calling

    async def perform(self, written: WrittenCall, *, already_submitted: bool) -> bool:
        """Carry out one call and answer it; True when it handed the work in."""
        self.calls += 1
        call = ToolCall(
            number=self.calls,
            step=self.step_number,
            id=written.id,
            name=written.name,
            arguments=written.arguments,
        )
        self._journal.post(CallProposed(call=call))
        return await self._carry_out(call, written.cut, already_submitted)

    async def _carry_out(self, call: ToolCall, cut: bool, already_submitted: bool) -> bool:
        observation, duration = await self._answer(call, cut, already_submitted)
        if observation.submitted and self._gate.holds_submit:
            observation = Observation(text=NOT_YET, ok=False)
        self._finish(call, observation, duration)
        return observation.submitted

    async def _answer(
        self, call: ToolCall, cut: bool, already_submitted: bool
    ) -> tuple[Observation, float]:
        """The call's observation, and the seconds its tool worked."""
        problem = self._problem(call, cut, already_submitted)
        if problem is not None:
            return Observation(text=problem, ok=False), 0.0
        decision = await self._gate.before_call(call)
        self._journal.post(
            CallDecided(
                call=call.number,
                verdict=decision.verdict,
                by=decision.by,
                rule=decision.rule,
                arguments=decision.arguments,
                feedback=decision.feedback,
            )
        )
        if decision.verdict in ("approve", "edit"):
            return await self._use(call, decision)
        return _without_running(decision), 0.0

    def _problem(self, call: ToolCall, cut: bool, already_submitted: bool) -> str | None:
        """What keeps a call from being run, as a sentence for the model."""
        if already_submitted:
            return "Not run: the work was handed in before this call."
        if cut:
            return "Error: this call was cut off by the token limit of one reply and was not run."
        if call.name not in self._tools:
            known = ", ".join(self._tools)
            return f"Error: there is no tool named {call.name[:80]!r}. The tools are: {known}."
        try:
            parse_arguments(call.arguments)
        except ArgumentsError as error:
            return f"Error: {error}"
        return None

    async def _use(self, call: ToolCall, decision: Decision) -> tuple[Observation, float]:
        raw = call.arguments if decision.arguments is None else decision.arguments
        try:
            arguments = parse_arguments(raw)
        except ArgumentsError as error:
            return Observation(text=f"Error: {error}", ok=False), 0.0
        began = time.monotonic()
        self._journal.post(CallStarted(call=call.number))
        try:
            await self._journal.kept()
            observation = await self._workbench.use(self._tools[call.name], arguments, call)
        except asyncio.CancelledError:
            ended = Observation(text=ENDED, ok=False, interrupted=True)
            self._finish(call, ended, time.monotonic() - began)
            raise
        if decision.verdict == "edit":
            observation = replace(observation, text=f"{EDITED} {raw}]\n{observation.text}")
        return observation, time.monotonic() - began

    def _finish(self, call: ToolCall, observation: Observation, duration: float) -> None:
        self._journal.post(
            CallFinished(
                call=call.number,
                observation=observation.text,
                ok=observation.ok,
                exit_code=observation.exit_code,
                stdout_bytes=observation.stdout_bytes,
                stderr_bytes=observation.stderr_bytes,
                truncated=observation.truncated,
                duration=round(duration, 4),
                timed_out=observation.timed_out,
                interrupted=observation.interrupted,
            )
        )
        message: Message = {"role": "tool", "tool_call_id": call.id, "content": observation.text}
        self.messages.append(message)


def _without_running(decision: Decision) -> Observation:
    """The observation of a call that was not let run."""
    words = decision.feedback or ""
    if decision.by == "policy":
        return Observation(text=f"{DENIED} {words}".rstrip(), ok=False)
    if decision.verdict == "answer":
        return Observation(text=words)
    if decision.verdict == "skip":
        return Observation(text="A person skipped this call; it was not run.", ok=False)
    text = "A person rejected this call; it was not run."
    return Observation(text=f"{text} They say: {words}" if words else text, ok=False)


def messages_digest(messages: list[Message]) -> str:
    """What tells a request apart from others; see `ModelAsked`."""
    data = json.dumps(messages, ensure_ascii=True, sort_keys=True).encode()
    return hashlib.sha256(data).hexdigest()[:16]
