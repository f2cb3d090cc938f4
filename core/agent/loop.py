"""The agent: a conversation in which the model calls tools until it submits.

This is the loop of LLM-in-Sandbox (arXiv 2601.16206, section 2): the model gets a task and three
tools; in every turn it calls some and gets their observations; `submit` or a limit ends it.

    begin_turn   wait for the user, deliver queued messages, make the request
    ask          get one whole reply (`request_with_retries.py`)
    finish_turn  run the reply's calls (`tool_calls.py`) and answer them

A turn is what the events call a step: one request, its reply and the reply's calls. `run` takes
turns until it must stop; a trainer makes the replies and calls `begin_turn` and `finish_turn`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox_tui.core.agent import model_messages as texts
from sandbox_tui.core.agent.approver import Approver, NullApprover
from sandbox_tui.core.agent.checkpoint import AgentCheckpoint
from sandbox_tui.core.agent.message_queue import PROGRAM, MessageQueue
from sandbox_tui.core.agent.repetition import TIMES_UNTIL_TOLD, RepetitionCounter
from sandbox_tui.core.agent.request_with_retries import ReplyTiming, RequestWithRetries
from sandbox_tui.core.agent.tool_calls import ToolCalls, ToolExecutor
from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.events.sink import EventSink, NullEventSink
from sandbox_tui.core.events.types import (
    Delivered,
    FinishReason,
    Limits,
    ModelAsked,
    ModelReplied,
    ToolCall,
    TurnPolicy,
    Usage,
    Warned,
)
from sandbox_tui.core.models import pricing as prices
from sandbox_tui.core.models.base import Message, Model, Reply, Request
from sandbox_tui.core.tools.base import Observation, Tool

REPEATED = (
    "Call {call} repeats the calls before it with the same result ({times} times in a row). The "
    "model was told."
)
CUT_ANSWER = "The final answer was cut off at the reply's token limit."


@dataclass(frozen=True, slots=True)
class AgentResult:
    """Why the agent stopped.

    Attributes:
        reason: see `FinishReason`.
        error: an explanation in one sentence, unless the model submitted.
        answer: the reply's text, if the turn policy treats it as the final answer.
    """

    reason: FinishReason
    error: str | None = None
    answer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """The result of one turn.

    Attributes:
        observations: the answers to the reply's calls, in order.
        result: set if the turn ends the run.
    """

    observations: tuple[Observation, ...] = ()
    result: AgentResult | None = None


class Agent:
    """A model working on one task.

    Args:
        model: the model to ask; None if the caller makes the replies.
        messages: the conversation so far.
        tools: the tools the model may call.
        executor: where tools run; None if there are no tools.
        limits: what ends the run.
        turn_policy: what a reply without a call means, and what each request adds.
        approver: decides about requests and calls.
        queue: messages to deliver with the next request.
        events: where all events are posted.
        checkpoint: the state of an earlier agent to continue from; `messages` are then its own.
        retry_base: see `RequestWithRetries`.
        seed: seed of the first request, plus one per later step: with a fixed seed, a model whose
            conversation hardly changed would sample the same reply again.

    Attributes:
        messages: the conversation so far, in the OpenAI chat format; it only ever grows, so that a
            request is a prefix of the next one.
        requests: sends the requests; None if there is no model.
        step_number: steps taken.
    """

    def __init__(
        self,
        *,
        model: Model | None,
        messages: list[Message],
        tools: Sequence[Tool] = (),
        executor: ToolExecutor | None = None,
        limits: Limits | None = None,
        turn_policy: TurnPolicy | None = None,
        approver: Approver | None = None,
        queue: MessageQueue | None = None,
        events: EventSink | None = None,
        checkpoint: AgentCheckpoint | None = None,
        retry_base: float = 1.0,
        seed: int | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._turn_policy = turn_policy or TurnPolicy()
        self._approver = approver or NullApprover()
        self._queue = MessageQueue() if queue is None else queue
        self._events = events or NullEventSink()
        self._checkpoint = checkpoint or AgentCheckpoint()
        self._tool_names = [tool.name for tool in tools]
        self._schemas = [{"type": "function", "function": dict(tool.schema)} for tool in tools]
        self._model = model
        self._seed = seed
        self.requests: RequestWithRetries | None = None
        if model is not None:
            self.requests = RequestWithRetries(
                model,
                self._events,
                max_tokens=self._limits.max_tokens,
                retry_base=retry_base,
                tool_format=self._checkpoint.tool_format,
                max_attempts=self._limits.max_attempts,
            )
        self._calls = ToolCalls(
            tools=tools,
            executor=executor,
            approver=self._approver,
            messages=self._queue,
            events=self._events,
            count=self._checkpoint.calls,
        )
        self._cost = self._checkpoint.cost
        self._context_tokens = self._checkpoint.context_tokens
        self._repetition = self._checkpoint.repetition
        self._repeated_calls = 0  # in a row, counting only calls made by this agent
        self._warned_of: set[str] = set()
        self.messages = messages
        self.step_number = self._checkpoint.step

    async def run(self) -> AgentResult:
        """Work until the model submits, a limit is reached, or the model fails."""
        try:
            result = await self.finish_interrupted_turn()
            while result is None:
                result = self.limit_reached() or await self._turn()
            return result
        except ModelError as error:
            return AgentResult(RequestWithRetries.finish_reason(error), str(error))

    async def _turn(self) -> AgentResult | None:
        request = await self.begin_turn()
        reply = await self.ask(request)
        turn = await self.finish_turn(reply)
        return turn.result

    def limit_reached(self) -> AgentResult | None:
        """Return the result if a limit of steps, tokens, cost or repetition is reached."""
        limits = self._limits
        times = self._repeated_calls
        if limits.repeated_calls is not None and times >= limits.repeated_calls:
            words = f"The model made the same call {times} times in a row with the same result."
            return AgentResult("repeated_calls", words)
        if self.step_number >= limits.max_steps:
            steps = "1 step" if limits.max_steps == 1 else f"{limits.max_steps} steps"
            return AgentResult("max_steps", f"The run reached its limit of {steps}.")
        if limits.token_limit is not None and self._context_tokens >= limits.token_limit:
            words = f"The conversation reached its limit of {limits.token_limit} tokens."
            return AgentResult("token_limit", words)
        if limits.cost_limit is not None and self._cost >= limits.cost_limit:
            words = f"The run reached its limit of ${limits.cost_limit:g}."
            return AgentResult("cost_limit", words)
        return None

    # --- a turn

    async def begin_turn(self) -> Request:
        """Start the next turn; returns the request to answer."""
        if self._model is not None:
            await self._model.prepare()  # before the step, whose time is the model's
        await self._queue.wait_complete(self._approver.wait_until_resumed)
        self.step_number += 1
        self._deliver()
        if self._turn_policy.steps_remaining:
            self._append_steps_remaining()
        return self._request(attempt=1)

    async def ask(self, request: Request) -> Reply:
        """Return the model's whole reply to this turn's request, retried as needed.

        Raises:
            ModelError: after the last attempt, or immediately if another would not help.
        """
        if self.requests is None:
            raise RuntimeError("this agent has no model to ask")
        return await self.requests.reply(self.step_number, request, self._renewed)

    async def finish_turn(self, reply: Reply) -> TurnResult:
        """Record the reply, run its calls, and append everything to the conversation."""
        final = not (reply.calls or reply.problem) and self._turn_policy.no_call == "final_answer"
        reminder = None if final else self._reminder_after(reply)
        self._record(reply, reminder)
        self.messages.append(reply.message)
        if final:
            return TurnResult(result=_final(reply))
        if reminder is not None:
            self.messages.append({"role": "user", "content": reminder})
        observations: list[Observation] = []
        submitted = False
        for written in reply.calls:
            call, observation = await self._calls.execute(
                self.step_number, written, after_submit=submitted
            )
            self._append(call, observation)
            observations.append(observation)
            submitted = submitted or observation.submitted
        result = AgentResult("submitted") if submitted else None
        return TurnResult(observations=tuple(observations), result=result)

    async def finish_interrupted_turn(self) -> AgentResult | None:
        """Finish the turn that the checkpoint interrupted, if any."""
        checkpoint = self._checkpoint
        submitted, edited = checkpoint.submitted, checkpoint.edited
        if checkpoint.interrupted is not None:
            lost = Observation(text=texts.LOST, ok=False, interrupted=True)
            self._calls.finish(checkpoint.interrupted, lost, 0.0)
            self._append(checkpoint.interrupted, lost)
        if checkpoint.proposed is not None:
            observation = await self._calls.answer(
                checkpoint.proposed,
                cut=checkpoint.proposed_cut,
                after_submit=submitted,
                held=checkpoint.proposed_held,
                edited=edited,
            )
            self._append(checkpoint.proposed, observation)
            submitted, edited = observation.submitted or submitted, None
        for written in checkpoint.unproposed:
            call, observation = await self._calls.execute(
                self.step_number, written, after_submit=submitted, edited=edited
            )
            self._append(call, observation)
            submitted, edited = observation.submitted or submitted, None
        return AgentResult("submitted") if submitted else None

    def interrupt_reply(self) -> bool:
        """Interrupt the current reply or retry wait and retry now; False if there is neither."""
        return self.requests is not None and self.requests.interrupt()

    # --- its parts

    def _deliver(self) -> None:
        """Append the queued messages to the conversation."""
        waiting = self._queue.drain()
        if not waiting:
            return
        text = "\n\n".join(message.text for message in waiting)
        self.messages.append({"role": "user", "content": text})
        ids = tuple(message.id for message in waiting if message.id != PROGRAM)
        if ids:  # the user stepped in
            self._repetition, self._repeated_calls = RepetitionCounter(), 0
        self._events.post(Delivered(step=self.step_number, ids=ids, text=text))

    @property
    def _steps_left(self) -> int:
        return self._limits.max_steps - self.step_number + 1

    def _append_steps_remaining(self) -> None:
        last = self.messages[-1]
        if isinstance(last.get("content"), str):
            words = texts.with_steps_remaining(last["content"], self._steps_left)
            self.messages[-1] = {**last, "content": words}

    def _request(self, attempt: int) -> Request:
        self._events.post(
            ModelAsked(
                step=self.step_number,
                digest=messages_digest(self.messages),
                messages=len(self.messages),
                token_count=self._context_tokens,
                attempt=attempt,
                steps_left=self._steps_left,
            )
        )
        max_tokens = (
            self._limits.max_tokens if self.requests is None else self.requests.reply_tokens
        )
        return Request(
            messages=list(self.messages),
            tools=self._schemas,
            max_tokens=max_tokens,
            seed=None if self._seed is None else self._seed + self.step_number - 1,
        )

    async def _renewed(self, attempt: int) -> Request:
        """Return the request of the next attempt, including messages queued meanwhile."""
        await self._queue.wait_complete(self._approver.wait_until_resumed)
        self._deliver()
        return self._request(attempt)

    def _reminder_after(self, reply: Reply) -> str | None:
        """Return the reminder for the model after a reply without a call; None if it contained a
        call."""
        if reply.calls:
            return None
        if reply.problem:
            return reply.problem
        was_cut = reply.finish_reason == "length"
        return texts.cut_off(self._tool_names) if was_cut else texts.no_call(self._tool_names)

    def _append(self, call: ToolCall, observation: Observation) -> None:
        self.messages.append({"role": "tool", "tool_call_id": call.id, "content": observation.text})
        self._watch_for_repetition(call, observation)

    def _watch_for_repetition(self, call: ToolCall, observation: Observation) -> None:
        """Tell the model and the user, once, that the model repeats itself."""
        times = self._repeated_calls = self._repetition.count(call, observation.text)
        if times == TIMES_UNTIL_TOLD:
            self._queue.add(PROGRAM, texts.repeated_call(call.name, times))
            self._events.post(Warned(text=REPEATED.format(call=call.number, times=times)))

    def _record(self, reply: Reply, reminder: str | None) -> None:
        usage, cost = reply.usage, self._cost_of(reply.usage)
        timing = ReplyTiming() if self.requests is None else self.requests.timing
        first = timing.first_token
        self._cost += cost or 0.0
        self._context_tokens = usage.input_tokens + usage.output_tokens
        self._events.post(
            ModelReplied(
                step=self.step_number,
                message=reply.message,
                text=reply.text,
                reasoning=reply.reasoning,
                usage=usage,
                finish_reason=reply.finish_reason,
                latency=round(timing.latency, 4),
                first_token=None if first is None else round(first, 4),
                cost=cost,
                reminder=reminder,
                unreadable=bool(reply.problem),
            )
        )
        self._warn_of_limits(usage, cost)

    def _cost_of(self, usage: Usage) -> float | None:
        if self._model is None:
            return None
        return prices.cost(self._model.name, self._model.params.get("base_url"), usage)

    def _warn_of_limits(self, usage: Usage, cost: float | None) -> None:
        """Warn once about each limit that cannot be enforced for lack of token counts or prices."""
        limits, known = self._limits, usage.input_tokens + usage.output_tokens > 0
        counted = known and not usage.estimated
        if limits.token_limit is not None and usage.estimated:
            self._warn_once(
                f"token_limit ({limits.token_limit}) is checked against an estimate: the server "
                "does not report token counts."
            )
        elif limits.token_limit is not None and not counted:
            self._warn_once(
                f"token_limit ({limits.token_limit}) cannot be enforced: the server does not "
                "report token counts. max_steps and time_limit still apply."
            )
        if limits.cost_limit is not None and cost is None and self._model is not None:
            why = prices.why_unknown(self._model.name, counted=counted)
            self._warn_once(f"cost_limit (${limits.cost_limit:g}) cannot be enforced: {why}")

    def _warn_once(self, text: str) -> None:
        if text not in self._warned_of:
            self._warned_of.add(text)
            self._events.post(Warned(text=text))


def _final(reply: Reply) -> AgentResult:
    """Return the result of a run whose answer is a reply; a truncated reply is not a submission."""
    if reply.finish_reason == "length":
        return AgentResult("token_limit", CUT_ANSWER, answer=reply.text)
    return AgentResult("submitted", answer=reply.text)


def messages_digest(messages: list[Message]) -> str:
    """Return a digest that identifies a request; see `ModelAsked`."""
    data = json.dumps(messages, ensure_ascii=True, sort_keys=True).encode()
    return hashlib.sha256(data).hexdigest()[:16]
