"""A client for any OpenAI-compatible server, through the `openai` package, with streaming.

It makes one attempt per request: a failure becomes a `ModelError` that says whether a retry may
help, and the agent decides. Importing the openai package takes as long as starting a sandbox, so
`import_ahead` does it in parallel; the first request imports it at the latest.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import threading
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

import msgspec
from typing_extensions import override

from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.base.json_arguments import without_surrogates
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.events.types import Usage
from sandbox_tui.core.models import pricing
from sandbox_tui.core.models.base import Message, Model, ReplyPart, Request
from sandbox_tui.core.models.context_length import ContextSearch
from sandbox_tui.core.models.error_mapping import (
    inband_error,
    names_no_model,
    rejection_text,
    stream_error,
    to_model_error,
    was_disconnected,
    with_offered_models,
    without_keys,
    without_secrets,
)
from sandbox_tui.core.models.http.response_guard import (
    IDENTITY_ENCODING,
    guarded_client,
    import_client,
)
from sandbox_tui.core.models.http.sse import iter_json
from sandbox_tui.core.models.reply_builder import ReplyBuilder
from sandbox_tui.core.models.template_limits import TemplateLimits, fitted
from sandbox_tui.core.models.usage_estimate import estimated_usage

T = TypeVar("T")

CONNECT_TIMEOUT_SECONDS = 15.0

_ABOUT_TOOLS = ("tool_choice", "parallel_tool_calls")

OFFER_TIMEOUT_SECONDS = 3.0
"""Timeout for listing a server's models after it rejected the requested one."""


@cache
def import_ahead() -> None:
    """Import the client and the prices in a background thread, once."""
    threading.Thread(target=_import_ahead, name="import openai", daemon=True).start()


def _import_ahead() -> None:
    with contextlib.suppress(ImportError):  # the first request will report it
        import_client()
        pricing.load()


class OpenAIModel(Model):
    """A model on a server that implements the OpenAI chat completions protocol.

    Args:
        settings: the model and its server.
        api_key: for the server; self-hosted servers often need none.
    """

    def __init__(self, settings: ModelSettings, api_key: str | None) -> None:
        self.name = settings.name
        self._settings = settings
        self._api_key = (api_key or "").strip() or "none"
        self._client: Any = None
        self._connecting = asyncio.Lock()  # runs that share the model share its client
        self._quirks = ServerQuirks()
        self._context = ContextSearch(settings, api_key)
        self._connection_may_be_stale = False  # after a response: its connection may be reused
        self.params: dict[str, Any] = {
            "base_url": without_secrets(settings.base_url),
            "temperature": settings.temperature,
            "extra_body": without_keys(settings.extra_body),
        }

    @override
    async def prepare(self) -> None:
        with contextlib.suppress(ModelError, ImportError):
            await self._connected()

    @override
    async def ask(self, request: Request) -> AsyncGenerator[ReplyPart, None]:
        limit = self._settings.request_timeout
        until = asyncio.get_running_loop().time() + limit
        async with aclosing(self._stream(request)) as parts:
            try:
                while True:
                    async with asyncio.timeout_at(until):
                        part = await anext(parts)
                    yield part
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise ModelError(
                    f"The model server did not finish its reply within {limit:g} s.",
                    retryable=True,
                ) from error

    @override
    async def close(self) -> None:
        await self._context.close()
        if self._client is not None:
            await self._client.close()

    async def _stream(self, request: Request) -> AsyncGenerator[ReplyPart, None]:
        builder = ReplyBuilder()
        async with AsyncExitStack() as stack:
            response = await self._send(request, stack)
            if (context := self._context.take()) is not None:
                yield context
            chunks = await stack.enter_async_context(aclosing(self._chunks(response)))
            bodies = await stack.enter_async_context(aclosing(iter_json(chunks)))
            async for body in bodies:
                if body is None:
                    builder.done()
                    continue
                failure = inband_error(body, self._api_key)
                if failure is not None:
                    raise failure
                for delta in builder.take(body):
                    yield delta
        reply = builder.finish()
        if reply.usage == Usage():
            reply = replace(reply, usage=estimated_usage(request, reply))
        self._context.begin()  # by now the model is loaded with its actual context length
        yield reply

    async def _send(self, request: Request, stack: AsyncExitStack) -> Any:
        """Send the request without fields the server rejects; the response's body is not read yet.

        Raises:
            ModelError: no response.
        """
        client = await self._connected()
        import openai

        create = client.chat.completions.with_streaming_response.create
        quirks = self._quirks
        while True:
            sending = stack.enter_async_context(create(**self._body(request, quirks)))
            try:
                response = await (self._with_stall_timeout(sending) if quirks.stream else sending)
            except openai.APIStatusError as error:
                downgraded = quirks.downgraded(rejection_text(error))
                if downgraded is None:
                    raise await self._to_model_error(error) from error
                quirks = downgraded
            except openai.OpenAIError as error:
                retry = self._connection_may_be_stale and was_disconnected(error)
                self._connection_may_be_stale = False
                if not retry:
                    raise await self._to_model_error(error) from error
            else:
                self._quirks, self._connection_may_be_stale = quirks, True
                return response

    async def _chunks(self, response: Any) -> AsyncGenerator[bytes, None]:
        """Yield the response's body, as it arrives."""
        try:
            # `response.iter_bytes` would not close this generator, which it wraps
            async with aclosing(response.http_response.aiter_bytes()) as body:
                while True:
                    piece = anext(body, None)
                    data = await (self._with_stall_timeout(piece) if self._quirks.stream else piece)
                    if data is None:
                        return
                    yield data
        except ModelError:
            raise
        except Exception as error:
            raise stream_error(error, self._api_key) from error

    async def _with_stall_timeout(self, awaitable: Awaitable[T]) -> T:
        """Await the result, or raise an error after the stall timeout."""
        limit = self._settings.stall_timeout
        try:
            async with asyncio.timeout(limit):
                return await awaitable
        except TimeoutError as error:
            raise ModelError(
                f"The model server sent nothing within {limit:g} s.", retryable=True
            ) from error

    async def _to_model_error(self, error: Exception) -> ModelError:
        failure = to_model_error(error, self._settings, self._api_key)
        if names_no_model(failure):
            return with_offered_models(
                failure, self.name, await self._offered_models(), self._api_key
            )
        return failure

    async def _offered_models(self) -> list[str]:
        """Return the names of the server's models; empty if it does not respond quickly."""
        import openai

        try:
            async with asyncio.timeout(OFFER_TIMEOUT_SECONDS):
                page = await self._client.models.list()
            return [str(model.id) for model in page.data]
        except (
            *(TimeoutError, openai.OpenAIError, ModelError),
            *(ValueError, AttributeError, TypeError, RecursionError),
        ):
            return []

    def _body(self, request: Request, quirks: ServerQuirks) -> dict[str, Any]:
        """Return the request body.

        Messages and tools go into `extra_body`: the client validates its own parameters value by
        value, which would cover the whole conversation with every request.
        """
        messages = fitted(request.messages, quirks.template)
        extra_body: dict[str, Any] = {"messages": _encodable(messages)}
        if request.tools:
            extra_body["tools"] = list(request.tools)
        if request.response_format is not None:
            extra_body["response_format"] = dict(request.response_format)
        body: dict[str, Any] = {"model": self.name, "messages": []}
        if quirks.stream:
            body["stream"] = True
        if quirks.stream and quirks.usage:
            body["stream_options"] = {"include_usage": True}
        if self._settings.temperature is not None:
            body["temperature"] = self._settings.temperature
        if request.max_tokens is not None:
            body[quirks.limit] = request.max_tokens
        more = self._settings.extra_body
        if not request.tools:  # servers reject fields about absent tools
            more = {name: value for name, value in more.items() if name not in _ABOUT_TOOLS}
        if request.seed is not None:
            more = {**more, "seed": request.seed}
        body["extra_body"] = extra_body | more
        return body

    async def _connected(self) -> Any:
        async with self._connecting:
            if self._client is None:
                self._client = await self._new_client()
            return self._client

    async def _new_client(self) -> Any:
        if not (self._api_key.isascii() and self._api_key.isprintable()):
            raise ModelError(
                f"{self._settings.api_key_env} contains characters that cannot be in an API key."
            )
        http_client = await guarded_client()
        await asyncio.to_thread(pricing.load)
        import openai

        try:
            return openai.AsyncOpenAI(
                api_key=self._api_key,
                base_url=self._settings.base_url or None,
                max_retries=0,
                timeout=openai.Timeout(
                    None, connect=CONNECT_TIMEOUT_SECONDS
                ),  # other timeouts: see ask, _with_stall_timeout
                default_headers=IDENTITY_ENCODING,
                http_client=http_client,
            )
        except Exception as error:  # the address is invalid
            raise to_model_error(error, self._settings, self._api_key) from error


@dataclass(frozen=True, slots=True)
class ServerQuirks:
    """What the server does not support, learned from its rejections."""

    stream: bool = True
    usage: bool = True
    limit: str = "max_tokens"
    template: TemplateLimits = field(default_factory=TemplateLimits)

    def downgraded(self, words: str) -> ServerQuirks | None:
        """Return a copy without the rejected feature; None if the rejection is about something
        else."""
        template = self.template.updated(words)
        if template is not None:
            return replace(self, template=template)
        if self.limit == "max_tokens" and re.search(r"use '?max_completion_tokens", words):
            return replace(self, limit="max_completion_tokens")
        if self.stream and self.usage and re.search(r"stream[_ ]options|include_usage", words):
            return replace(self, usage=False)
        if self.stream and re.search(r"\bstream(?:ing|ed)?\b", words):
            return replace(self, stream=False)
        return None


def _encodable(messages: Sequence[Message]) -> list[Message]:
    """Replace lone surrogates, which cannot be encoded, in the messages."""
    try:
        msgspec.json.encode(messages)
    except UnicodeEncodeError:
        return json.loads(without_surrogates(json.dumps(messages, ensure_ascii=False)))
    return list(messages)
