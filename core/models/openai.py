"""Any OpenAI-compatible server, through the `openai` client, streaming.

One attempt at a time: what went wrong becomes a `ModelError` that says whether another may help,
and the agent decides. The openai package takes as long to import as a sandbox to start, so that
`import_ahead` does it beside that; at the latest it is imported with the first request.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import re
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ..config import ModelSettings
from ..errors import ModelError
from ..tools.arguments import without_surrogates
from .base import Delta, Message, Reply, Request
from .failures import (
    broken_off,
    explain,
    names_no_model,
    refusal,
    reported,
    with_offer,
    without_keys,
    without_secrets,
)
from .reply_builder import ReplyBuilder
from .wire import objects

T = TypeVar("T")

CONNECT_TIMEOUT = 15.0

OFFER_TIMEOUT = 3.0
"""Seconds to ask a server for its models, when it does not know the one it was asked for."""


def import_ahead() -> None:
    """Begin to import the client, in a thread that nobody waits for."""
    threading.Thread(target=_import_client, name="import openai", daemon=True).start()


def _import_client() -> None:
    with contextlib.suppress(ImportError):  # the first request will say so
        importlib.import_module("openai.resources.chat")


class OpenAIModel:
    """See `Model`.

    Args:
        settings: which model on which server.
        api_key: for the server; a server of one's own often wants none.
    """

    def __init__(self, settings: ModelSettings, api_key: str | None) -> None:
        self.name = settings.name
        self._settings = settings
        self._api_key = (api_key or "").strip() or "none"
        self._client: Any = None
        self._form = _Form()
        self.params: dict[str, Any] = {
            "base_url": without_secrets(settings.base_url),
            "temperature": settings.temperature,
            "extra_body": without_keys(settings.extra_body),
        }

    async def ask(self, request: Request) -> AsyncIterator[Delta | Reply]:
        """See `Model.ask`."""
        deadline = min(request.deadline, self._settings.request_timeout)
        until = asyncio.get_running_loop().time() + deadline
        async with aclosing(self._parts(request)) as parts:
            try:
                while True:
                    async with asyncio.timeout_at(until):
                        part = await anext(parts)
                    yield part
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise ModelError(
                    f"The model server did not finish its reply within {deadline:g} s.",
                    retryable=True,
                ) from error

    async def close(self) -> None:
        """See `Model.close`."""
        if self._client is not None:
            await self._client.close()

    async def _parts(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        builder = ReplyBuilder()
        async with AsyncExitStack() as stack:
            response = await self._sent(request, stack)
            async for body in objects(self._pieces(response)):
                if body is None:
                    builder.done()
                    continue
                failure = reported(body, self._api_key)
                if failure is not None:
                    raise failure
                for delta in builder.take(body):
                    yield delta
        yield builder.finish()

    async def _sent(self, request: Request, stack: AsyncExitStack) -> Any:
        """The server's response, its body not yet read; what it refuses to take is left out.

        Raises:
            ModelError: there is none.
        """
        import openai

        create = self._connected().chat.completions.with_streaming_response.create
        form = self._form
        while True:
            sending = stack.enter_async_context(create(**self._body(request, form)))
            try:
                response = await (self._soon(sending) if form.stream else sending)
            except openai.APIStatusError as error:
                simpler = form.simpler(refusal(error))
                if simpler is None:
                    raise await self._explained(error) from error
                form = simpler
            except openai.OpenAIError as error:
                raise await self._explained(error) from error
            else:
                self._form = form
                return response

    async def _pieces(self, response: Any) -> AsyncGenerator[bytes, None]:
        """The response's body as it comes."""
        body: AsyncIterator[bytes] = response.iter_bytes()
        try:
            while True:
                piece = anext(body, None)
                data = await (self._soon(piece) if self._form.stream else piece)
                if data is None:
                    return
                yield data
        except ModelError:
            raise
        except Exception as error:
            raise broken_off(error, self._api_key) from error

    async def _soon(self, awaitable: Awaitable[T]) -> T:
        """What comes before the server counts as stalled."""
        limit = self._settings.stall_timeout
        try:
            async with asyncio.timeout(limit):
                return await awaitable
        except TimeoutError as error:
            raise ModelError(
                f"The model server sent nothing within {limit:g} s.", retryable=True
            ) from error

    async def _explained(self, error: Exception) -> ModelError:
        failure = explain(error, self._settings, self._api_key)
        if names_no_model(failure):
            return with_offer(failure, self.name, await self._offered(), self._api_key)
        return failure

    async def _offered(self) -> list[str]:
        """Names of the models the server has, as far as it says so quickly."""
        import openai

        try:
            async with asyncio.timeout(OFFER_TIMEOUT):
                page = await self._client.models.list()
            return [str(model.id) for model in page.data]
        except (TimeoutError, openai.OpenAIError, ValueError, AttributeError, TypeError):
            return []

    def _body(self, request: Request, form: _Form) -> dict[str, Any]:
        """What is sent. Messages and tools go beside the client's own parameters: those it looks
        through value by value, the whole conversation again with every request."""
        beside: dict[str, Any] = {"messages": _encodable(request.messages)}
        if request.tools:
            beside["tools"] = list(request.tools)
        body: dict[str, Any] = {"model": self.name, "messages": []}
        if form.stream:
            body["stream"] = True
        if form.stream and form.usage:
            body["stream_options"] = {"include_usage": True}
        if self._settings.temperature is not None:
            body["temperature"] = self._settings.temperature
        if request.max_tokens is not None:
            body[form.limit] = request.max_tokens
        body["extra_body"] = beside | self._settings.extra_body
        return body

    def _connected(self) -> Any:
        if self._client is not None:
            return self._client
        if not (self._api_key.isascii() and self._api_key.isprintable()):
            raise ModelError(f"{self._settings.api_key_env} holds characters that no key has.")
        import openai

        try:
            self._client = openai.AsyncOpenAI(
                api_key=self._api_key,
                base_url=self._settings.base_url or None,
                max_retries=0,
                timeout=openai.Timeout(None, connect=CONNECT_TIMEOUT),  # the rest: see ask, _soon
            )
        except Exception as error:  # the address is none
            raise explain(error, self._settings, self._api_key) from error
        return self._client


@dataclass(frozen=True, slots=True)
class _Form:
    """How a server wants to be asked, as far as its refusals have taught us."""

    stream: bool = True
    usage: bool = True
    limit: str = "max_tokens"

    def simpler(self, words: str) -> _Form | None:
        """The form without what the server says it does not take; None if it is about more."""
        if self.limit == "max_tokens" and re.search(r"use '?max_completion_tokens", words):
            return replace(self, limit="max_completion_tokens")
        if self.stream and self.usage and re.search(r"stream[_ ]options|include_usage", words):
            return replace(self, usage=False)
        if self.stream and re.search(r"\bstream(?:ing|ed)?\b", words):
            return replace(self, stream=False)
        return None


def _encodable(messages: Sequence[Message]) -> list[Message]:
    """The messages, without lone surrogates, which cannot be sent."""
    text = json.dumps(messages, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.loads(without_surrogates(text))
    return list(messages)
