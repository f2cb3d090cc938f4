"""Any OpenAI-compatible server, through the `openai` client, streaming.

One attempt at a time: what went wrong becomes a `ModelError` that says whether another may help,
and the agent decides. The openai package is imported with the first request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from ..config import ModelSettings
from ..errors import ModelError, ModelIncomplete
from .base import Delta, Reply, Request
from .failures import explain
from .reply_builder import ReplyBuilder

CONNECT_TIMEOUT = 15.0


class OpenAIModel:
    """See `Model`.

    Args:
        settings: which model on which server.
        api_key: for the server; a server of one's own often wants none.
    """

    def __init__(self, settings: ModelSettings, api_key: str | None) -> None:
        self.name = settings.name
        self._settings = settings
        self._api_key = api_key or "none"
        self._client: Any = None
        self._streams = True
        self._asks_usage = True
        self.params: dict[str, Any] = {
            "base_url": _without_secrets(settings.base_url),
            "temperature": settings.temperature,
            "extra_body": settings.extra_body,
        }

    async def ask(self, request: Request) -> AsyncIterator[Delta | Reply]:
        """See `Model.ask`."""
        deadline = min(request.deadline, self._settings.request_timeout)
        loop = asyncio.get_running_loop()
        until = loop.time() + deadline
        parts = self._parts(request)
        try:
            while True:
                wait = min(until - loop.time(), self._settings.stall_timeout)
                if wait <= 0:
                    raise TimeoutError
                try:
                    async with asyncio.timeout(wait):
                        part = await anext(parts)
                except StopAsyncIteration:
                    return
                yield part
        except TimeoutError as error:
            late = loop.time() >= until - 0.01
            limit = deadline if late else self._settings.stall_timeout
            doing = "did not finish its reply" if late else "sent nothing"
            raise ModelError(
                f"The model server {doing} within {limit:g} s.", retryable=True
            ) from error
        except ModelError:
            raise
        except Exception as error:
            raise explain(error, self._settings, self._api_key) from error
        finally:
            await parts.aclose()

    async def close(self) -> None:
        """See `Model.close`."""
        if self._client is not None:
            await self._client.close()

    async def _parts(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        """The reply's parts, over as many forms of the request as the server needs."""
        if self._streams:
            try:
                async for part in self._streamed(request):
                    yield part
                return
            except _Refused as refusal:
                self._asks_usage = False
                self._streams = refusal.of != "stream"
            async for part in self._parts(request):
                yield part
            return
        yield await self._whole(request)

    async def _streamed(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        options: dict[str, Any] = {"stream": True}
        if self._asks_usage:
            options["stream_options"] = {"include_usage": True}
        async with self._sent(request, options) as response:
            content_type = response.headers.get("content-type", "")
            if "event-stream" not in content_type:
                yield _from_body(await response.text(), content_type)
                return
            builder = ReplyBuilder()
            stream = await response.parse()
            async for chunk in stream:
                for delta in builder.take(chunk.model_dump()):
                    yield delta
            yield builder.finish()

    async def _whole(self, request: Request) -> Reply:
        async with self._sent(request, {}) as response:
            return _from_body(await response.text(), response.headers.get("content-type", ""))

    @asynccontextmanager
    async def _sent(self, request: Request, options: dict[str, Any]) -> AsyncGenerator[Any, None]:
        """The server's response, its body not yet read."""
        import openai

        body = self._body(request, options)
        create = self._connected().chat.completions.with_streaming_response.create
        try:
            async with create(**body) as response:
                yield response
        except openai.BadRequestError as error:
            refused = _refused_option(str(error).lower(), options)
            if refused:
                raise _Refused(refused) from error
            raise

    def _body(self, request: Request, options: dict[str, Any]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.name,
            "messages": list(request.messages),
            "tools": list(request.tools),
            **options,
        }
        if self._settings.temperature is not None:
            body["temperature"] = self._settings.temperature
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        if self._settings.extra_body:
            body["extra_body"] = self._settings.extra_body
        return body

    def _connected(self) -> Any:
        if self._client is None:
            import openai

            self._client = openai.AsyncOpenAI(
                api_key=self._api_key,
                base_url=self._settings.base_url or None,
                max_retries=0,
                timeout=openai.Timeout(
                    self._settings.stall_timeout, connect=CONNECT_TIMEOUT, write=60.0
                ),
            )
        return self._client


class _Refused(Exception):
    """The server does not know an option of ours: `stream_options` or `stream`."""

    def __init__(self, of: str) -> None:
        super().__init__(of)
        self.of = of


def _refused_option(words: str, options: dict[str, Any]) -> str:
    if "stream_options" in options and "stream_options" in words:
        return "stream_options"
    return "stream" if "stream" in options and "stream" in words else ""


def _from_body(text: str, content_type: str) -> Reply:
    """A reply that came as one JSON object.

    Raises:
        ModelError: it is something else, a web page for example.
    """
    import json

    try:
        body = json.loads(text)
    except ValueError as error:
        kind = "a web page" if "<html" in text[:500].lower() else content_type or "something else"
        raise ModelError(
            f"The server sent {kind} instead of a reply. Is the address right (…/v1)?"
        ) from error
    if not isinstance(body, dict) or "choices" not in body:
        raise ModelIncomplete("The server's reply holds no choices.", retryable=True)
    builder = ReplyBuilder()
    builder.take_whole(body)  # pyright: ignore[reportUnknownArgumentType]
    return builder.finish()


def _without_secrets(url: str) -> str:
    """An address without a user's name and password."""
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}" if separator else url
