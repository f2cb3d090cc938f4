"""Executes tool calls: proposes, decides, runs, answers and records each one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import msgspec

from sandbox_tui.core.agent import model_messages as texts
from sandbox_tui.core.agent.approver import Approver, Decision
from sandbox_tui.core.agent.message_queue import MessageQueue
from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.events.items import NOT_YET
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.events.types import (
    CallDecided,
    CallFinished,
    CallProposed,
    CallStarted,
    ToolCall,
)
from sandbox_tui.core.models.base import RawToolCall
from sandbox_tui.core.tools.base import Observation, Tool


class ToolExecutor(Protocol):
    """Where tools run; implemented by `ToolEnvironment`."""

    async def execute(self, tool: Tool, arguments: dict[str, Any], call: ToolCall) -> Observation:
        """Run `tool` and return its observation."""
        ...


class ToolCalls:
    """The tool calls of one agent.

    Args:
        tools: the tools that may be called.
        executor: where they run; None if no tool can run.
        approver: decides about each call.
        messages: queued messages; a submit is refused while one of them must be read first.
        events: where all events are posted.
        count: number of calls made before.

    Attributes:
        count: number of calls so far.
    """

    def __init__(
        self,
        *,
        tools: Sequence[Tool],
        executor: ToolExecutor | None,
        approver: Approver,
        messages: MessageQueue,
        events: EventSink,
        count: int = 0,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._executor = executor
        self._approver = approver
        self._messages = messages
        self._events = events
        self.count = count

    async def execute(
        self, step: int, written: RawToolCall, *, after_submit: bool, edited: str | None = None
    ) -> tuple[ToolCall, Observation]:
        """Propose a call and answer it.

        Args:
            step: the step it belongs to.
            written: the call as the model wrote it.
            after_submit: whether an earlier call of the step submitted the work.
            edited: the user's arguments for this call, given before it was proposed.
        """
        self.count += 1
        call = ToolCall(
            number=self.count,
            step=step,
            id=written.id,
            name=written.name,
            arguments=written.arguments,
            family=written.family,
            repaired=written.repaired,
        )
        self._events.post(CallProposed(call=call))
        observation = await self.answer(
            call, cut=written.truncated, after_submit=after_submit, edited=edited
        )
        return call, observation

    async def answer(
        self,
        call: ToolCall,
        *,
        cut: bool,
        after_submit: bool,
        held: bool = False,
        edited: str | None = None,
    ) -> Observation:
        """Answer a proposed call. Arguments as in `execute` and `Approver.authorize`."""
        effective = call if edited is None else msgspec.structs.replace(call, arguments=edited)
        problem = self._problem(effective, cut and edited is None, after_submit)
        if problem is None:
            observation, duration = await self._decide(call, held=held, edited=edited)
        else:
            observation, duration = Observation(text=problem, ok=False), 0.0
        if observation.submitted and self._messages.blocks_submit:
            observation = Observation(text=NOT_YET, ok=False)
        self.finish(call, observation, duration)
        return observation

    def finish(self, call: ToolCall, observation: Observation, duration: float) -> None:
        """Record the answer to a call."""
        self._events.post(
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
                background=observation.background,
            )
        )

    def _problem(self, call: ToolCall, cut: bool, after_submit: bool) -> str | None:
        """Return why a call cannot run, as a sentence for the model."""
        if after_submit:
            return texts.AFTER_SUBMIT
        if cut:
            return texts.CUT_CALL
        if call.name not in self._tools:
            return texts.unknown_tool(call.name, self._tools)
        try:
            parse_arguments(call.arguments)
        except ArgumentsError as error:
            return f"Error: {error}"
        return None

    async def _decide(
        self, call: ToolCall, *, held: bool, edited: str | None
    ) -> tuple[Observation, float]:
        """Return the observation of a call that may run, and the seconds its tool took."""
        if edited is None:
            decision = await self._approver.authorize(call, held=held)
        else:
            decision = self._approver.authorize_edited(call, edited)
        self._events.post(
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
            return await self._invoke(call, decision)
        return _without_running(decision), 0.0

    async def _invoke(self, call: ToolCall, decision: Decision) -> tuple[Observation, float]:
        raw = call.arguments if decision.arguments is None else decision.arguments
        try:
            arguments = parse_arguments(raw)
        except ArgumentsError as error:
            return Observation(text=f"Error: {error}", ok=False), 0.0
        if self._executor is None:
            raise RuntimeError(f"{call.name} cannot run: this agent has tools and no executor")
        began = time.monotonic()
        self._events.post(CallStarted(call=call.number))
        ran = msgspec.structs.replace(call, arguments=raw)
        try:
            await self._events.wait_durable()
            observation = await self._executor.execute(self._tools[call.name], arguments, ran)
        except BaseException as error:  # it ends the run; answer the started call first
            cancelled = isinstance(error, asyncio.CancelledError)
            text = texts.ENDED if cancelled else f"{texts.BROKEN} {error}"
            broken = Observation(text=text, ok=False, interrupted=True)
            self.finish(call, broken, time.monotonic() - began)
            raise
        if decision.verdict == "edit":
            observation = replace(observation, text=texts.edited(raw, observation.text))
        measured = observation.seconds
        return observation, time.monotonic() - began if measured is None else measured


def _without_running(decision: Decision) -> Observation:
    """Return the observation of a call that was decided without running it."""
    words = decision.feedback or ""
    if decision.by == "policy":
        return Observation(text=texts.denied(words), ok=False)
    if decision.verdict == "answer":
        return Observation(text=words)
    if decision.verdict == "skip":
        return Observation(text=texts.SKIPPED, ok=False)
    return Observation(text=texts.rejected(words), ok=False)
