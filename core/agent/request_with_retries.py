"""Gets one whole reply from a model, with retries, back-off and interruption by the user."""

from __future__ import annotations

import asyncio
import random
import time
from asyncio import FIRST_COMPLETED
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace

from sandbox_tui.core.base.durations import format_duration
from sandbox_tui.core.base.errors import ContextOverflow, ModelError, ModelIncomplete
from sandbox_tui.core.events.notes import LOADING
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.events.types import (
    ContextLength,
    ContextLengthFound,
    FinishReason,
    Limits,
    ModelDelta,
    ModelFailed,
    PartialReplyCounted,
    ReplyInterrupted,
    ToolFormat,
    ToolFormatChosen,
    Warned,
)
from sandbox_tui.core.models.base import Delta, Model, Reply, Request, ToolFormatSettled
from sandbox_tui.core.models.http.server_return import until_it_accepts
from sandbox_tui.core.models.usage_estimate import PartialUsage

MAX_ATTEMPTS = Limits().max_attempts
"""Attempts at one reply if no limit says otherwise."""

MAX_BACK_OFF_SECONDS = 60.0
"""Longest wait before the next attempt unless the server asks for a longer one."""

MAX_DOUBLINGS = 10
"""Doublings of the first wait; the back-off has reached its maximum by then."""

AWAY_FACTORS = (5, 15, 45, 60)
"""The waits for a server that cannot be reached or limits requests, in multiples of the usual first
wait; the last one repeats. The default attempts bridge two minutes: the restart of a server."""

MAX_RETRY_AFTER_SECONDS = 300.0
"""Longest wait a server may request; a longer one ends the run with the server's error."""

RETRY_AFTER_TOO_LONG = (
    "It asks to wait {} before the next request; after that, `sandbox-tui fork last` continues "
    "from here."
)

MAX_LOADING_SECONDS = 600.0
"""How long one reply waits for a server that is loading its model, without losing an attempt."""

LOADING_RETRY_SECONDS = 5.0
"""Minimum wait before the next request to a server that is loading its model."""

STILL_LOADING = "The server was still loading its model after ten minutes."

MIN_REPLY_TOKENS = 4096
"""Below this, shortening the reply further does not help a conversation that is too long."""

MIN_CONTEXT_TOKENS = 8_000
SHORT_CONTEXT = (
    "The model's context holds {tokens} tokens; the prompt, the tools and one reply take about "
    "2,500. Many servers silently drop the beginning of a longer conversation: start the "
    "server with a longer context (docs/models.md says how)."
)

Renew = Callable[[int], Awaitable[Request]]
"""Makes the request of the given attempt, including messages queued since the last one."""


class _Interrupted(Exception):
    """The user interrupted the reply."""


@dataclass(frozen=True, slots=True)
class ReplyTiming:
    """How long a reply took, in seconds.

    Attributes:
        latency: from request to last byte.
        first_token: from request to first fragment; None if the reply was not streamed.
    """

    latency: float = 0.0
    first_token: float | None = None


class _LoadingWait:
    """How long a server may still load its model while one reply waits for it.

    Attributes:
        is_new: whether the last error was the first that the server was loading its model.
    """

    def __init__(self) -> None:
        self._began: float | None = None
        self.is_new = False

    def seconds_before_retry(self, error: ModelError) -> float | None:
        """Return the seconds until the next try; None if this error counts as a failed attempt."""
        if not error.is_loading:
            return None
        now = time.monotonic()
        self.is_new = self._began is None
        if self._began is None:
            self._began = now
        left = self._began + MAX_LOADING_SECONDS - now
        wait = max(LOADING_RETRY_SECONDS, error.retry_after or 0.0)
        return min(wait, left) if left > 0 else None


class RequestWithRetries:
    """Sends the requests of one agent to its model.

    Args:
        model: the model to ask.
        events: where attempts, fragments and failures are posted.
        max_tokens: maximum tokens per reply; None for the server's limit.
        retry_base: seconds before the second attempt, doubled for each further one up to
            `MAX_BACK_OFF_SECONDS`.
        max_attempts: maximum number of attempts at one reply.

    Attributes:
        failure: the server's last error; None once a part of a reply has arrived since.
        reply_tokens: maximum tokens of the next reply; less than `max_tokens` while the
            conversation would not fit otherwise.
    """

    def __init__(
        self,
        model: Model,
        events: EventSink,
        *,
        max_tokens: int | None,
        retry_base: float,
        tool_format: ToolFormat | None = None,
        max_attempts: int = MAX_ATTEMPTS,
    ) -> None:
        self._model = model
        self._events = events
        self._max_tokens = max_tokens
        self._retry_base = retry_base
        self._max_attempts = max_attempts
        self._stream_task: asyncio.Task[Reply] | None = None
        self._tool_format = tool_format or ToolFormat()
        self._backing_off = False
        self._skip_wait = asyncio.Event()
        self.failure: ModelError | None = None
        self.reply_tokens = max_tokens
        self.timing = ReplyTiming()

    async def reply(self, step: int, request: Request, renew: Renew) -> Reply:
        """Return one whole reply; `timing` then holds how long it took.

        Raises:
            ModelError: after the last attempt, or immediately if another would not help.
        """
        incomplete = 0
        attempt = 1
        loading = _LoadingWait()
        while True:
            try:
                reply = await self._attempt(step, request)
            except ContextOverflow as error:
                if not self._shrink_reply():
                    raise
                self._failed(step, error, attempt, 0.0)  # a shorter reply costs no attempt
            except _Interrupted:
                self._events.post(ReplyInterrupted(step=step))
            except ModelIncomplete as error:
                incomplete += 1
                self.failure = error
                await self._back_off(step, error, attempt, give_up=incomplete > 1)
                attempt += 1
            except ModelError as error:
                self.failure = error
                wait = loading.seconds_before_retry(error)
                if wait is None:
                    failure = _still_loading(error) if error.is_loading else error
                    await self._back_off(step, failure, attempt, give_up=not error.retryable)
                    attempt += 1
                else:
                    if loading.is_new:
                        self._events.post(Warned(text=LOADING))
                    if not await self._wait(wait):
                        continue  # the same request, recorded once
            else:
                if reply.finish_reason == "length":
                    self.reply_tokens = self._max_tokens  # the reduced limit was too short
                return reply
            request = replace(await renew(attempt), max_tokens=self.reply_tokens)

    @staticmethod
    def finish_reason(error: ModelError) -> FinishReason:
        """Return why a run without a reply ends: if asking later may help, its model was only
        unavailable."""
        if isinstance(error, ContextOverflow):
            return "token_limit"
        is_temporary = error.retryable and not isinstance(error, ModelIncomplete)
        return "model_unavailable" if is_temporary else "model_error"

    def interrupt(self) -> bool:
        """Interrupt the current reply or retry wait and retry now; False if there is neither."""
        if self._stream_task is not None:
            return self._stream_task.cancel()
        waits = self._backing_off and not self._skip_wait.is_set()
        self._skip_wait.set()
        return waits

    async def _attempt(self, step: int, request: Request) -> Reply:
        await self._events.wait_durable()
        partial = PartialUsage(request)
        self._stream_task = asyncio.ensure_future(self._stream(step, request, partial))
        try:
            return await self._stream_task
        except ModelError:
            self._count(step, partial)
            raise
        except asyncio.CancelledError:
            self._count(step, partial)
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                self._stream_task.cancel()
                raise
            raise _Interrupted from None
        finally:
            self._stream_task = None

    def _count(self, step: int, partial: PartialUsage) -> None:
        """Record what a reply that broke off has cost, if a part of it had arrived."""
        if partial.usage is not None:
            self._events.post(PartialReplyCounted(step=step, usage=partial.usage))

    async def _stream(self, step: int, request: Request, partial: PartialUsage) -> Reply:
        began = time.monotonic()
        first: float | None = None
        async with aclosing(self._model.ask(request)) as parts:
            async for part in parts:
                if isinstance(part, Reply | Delta):
                    self.failure = None
                if isinstance(part, Reply):
                    self.timing = ReplyTiming(time.monotonic() - began, first)
                    return part
                if not isinstance(part, Delta):
                    self._record(part)
                    continue
                first = time.monotonic() - began if first is None else first
                partial.add(part)
                self._events.post_delta(_recorded(step, part))
                await self._events.wait_for_room()
        raise ModelIncomplete("The model's reply ended before it was complete.")

    def _record(self, found: ToolFormatSettled | ContextLength) -> None:
        """Record what the model has learned about its server, unless it is already recorded."""
        if isinstance(found, ContextLength):
            self._events.post(ContextLengthFound(context=found))
            if found.tokens < MIN_CONTEXT_TOKENS:
                self._events.post(Warned(text=SHORT_CONTEXT.format(tokens=found.tokens)))
        elif found.format != self._tool_format:
            self._tool_format = found.format
            self._events.post(ToolFormatChosen(format=found.format, why=found.why))

    async def _back_off(self, step: int, error: ModelError, attempt: int, *, give_up: bool) -> None:
        """Wait before the next attempt; raises if there is none."""
        wait = self._wait_after(attempt, error)
        too_long = wait > MAX_RETRY_AFTER_SECONDS
        if too_long and not give_up:
            words = f"{error} {RETRY_AFTER_TOO_LONG.format(format_duration(wait))}"
            error = ModelError(words, status=error.status, retryable=True)
        if give_up or attempt >= self._max_attempts or too_long:
            self._failed(step, error, attempt, None)
            raise error
        later = range(attempt + 1, self._max_attempts)
        left = wait + sum(self._wait_after(number, error) for number in later)
        self._failed(step, error, attempt, wait, left)
        await self._wait(wait, error.server if error.is_away else None)

    def _wait_after(self, attempt: int, error: ModelError) -> float:
        """Return the seconds to wait after a failed attempt."""
        asked = error.retry_after
        if asked is not None and (attempt == 1 or not error.limits_requests):
            return asked
        if error.is_away or error.limits_requests:
            factor = AWAY_FACTORS[min(attempt, len(AWAY_FACTORS)) - 1]
            wait = self._retry_base * factor * (1 + random.random() / 4)
            return max(asked or 0.0, min(wait, MAX_BACK_OFF_SECONDS))
        backed_off = self._retry_base * 2 ** min(attempt - 1, MAX_DOUBLINGS)
        return min(backed_off * (0.75 + random.random() / 2), MAX_BACK_OFF_SECONDS)

    async def _wait(self, seconds: float, away: tuple[str, int] | None = None) -> bool:
        """Wait; True if the user ended the wait early, possibly after queueing a message.

        Args:
            seconds: the longest wait.
            away: a server that was away; the wait ends when it accepts connections again.
        """
        self._skip_wait.clear()
        self._backing_off = True
        skipped = asyncio.ensure_future(self._skip_wait.wait())
        back = [asyncio.ensure_future(until_it_accepts(away))] if away is not None else []
        try:
            await asyncio.wait((skipped, *back), timeout=seconds, return_when=FIRST_COMPLETED)
            return skipped.done()
        finally:
            self._backing_off = False
            for waiting in (skipped, *back):
                waiting.cancel()
            await asyncio.gather(skipped, *back, return_exceptions=True)

    def _failed(
        self,
        step: int,
        error: ModelError,
        attempt: int,
        retry_in: float | None,
        gives_up_in: float | None = None,
    ) -> None:
        self._events.post(
            ModelFailed(
                step=step,
                error=str(error),
                attempt=attempt,
                retry_in=retry_in,
                status=error.status,
                max_attempts=self._max_attempts,
                gives_up_in=gives_up_in,
            )
        )

    def _shrink_reply(self) -> bool:
        """Halve the reply limit so that the conversation may still fit; False at the minimum."""
        if self.reply_tokens is None or self.reply_tokens <= MIN_REPLY_TOKENS:
            return False
        self.reply_tokens = max(MIN_REPLY_TOKENS, self.reply_tokens // 2)
        return True


def _still_loading(error: ModelError) -> ModelError:
    return ModelError(
        STILL_LOADING, status=error.status, retryable=True, retry_after=error.retry_after
    )


def _recorded(step: int, part: Delta) -> ModelDelta:
    return ModelDelta(
        step=step, channel=part.channel, text=part.text, index=part.index, name=part.name
    )
