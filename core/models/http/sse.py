"""Parses a server's response into JSON objects: server-sent events, or a single object.

The format is detected from the content, not the content type: a stream is recognized under any
type, and so is a JSON object or a web page in place of a stream.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, cast

from sandbox_tui.core.base.errors import ModelError, ModelIncomplete
from sandbox_tui.core.base.json_arguments import has_too_many_values
from sandbox_tui.core.models.error_mapping import broken_off, too_long

MAX_OBJECT_BYTES = 64_000_000
"""Maximum bytes of one object; a larger one is a server error."""

MAX_OBJECTS = 1_000_000
"""Maximum number of objects in one response; the longest replies take a tenth of that."""

_LINE_OVERHEAD_BYTES = 64
"""Memory of a line in addition to its bytes."""

DRAIN_SECONDS = 0.25
MAX_DRAINED_BYTES = 64 * 1024
"""Maximum bytes read after the declared end, so that the connection can be reused."""

_EVENT = re.compile(rb"(?:data|event|id|retry)?[ \t]*:")
_SNIFFED_BYTES = 8


async def iter_json(chunks: AsyncIterator[bytes]) -> AsyncGenerator[dict[str, Any] | None, None]:
    """Yield the response's objects in order, and None when the server marks the end.

    Raises:
        ModelIncomplete: part of it is not JSON.
        ModelError: it is something else, for example a web page, or ends in the middle.
    """
    head = await _head(chunks)
    if _EVENT.match(head.lstrip()):
        count = 0
        async with contextlib.aclosing(_events(head, chunks)) as events:
            async for data, is_whole in events:
                count += 1
                if count > MAX_OBJECTS:
                    raise too_long()
                if data.strip() == b"[DONE]":
                    await _drain(chunks)
                    yield None
                    return
                try:
                    value = _parsed(data)
                except ModelIncomplete as error:
                    if is_whole:
                        raise
                    raise broken_off() from error
                if isinstance(value, dict):
                    yield cast(dict[str, Any], value)
    elif head:
        yield _only(await _rest(head, chunks))
        yield None


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read the rest of the response if it is short and arrives soon.

    A connection can be reused only if its response was read to the end.
    """
    left = MAX_DRAINED_BYTES
    with contextlib.suppress(TimeoutError, ModelError):
        async with asyncio.timeout(DRAIN_SECONDS):
            async for chunk in chunks:
                left -= len(chunk)
                if left < 0:
                    return


async def _head(chunks: AsyncIterator[bytes]) -> bytes:
    head = b""
    async for chunk in chunks:
        head += chunk
        if len(head.lstrip(b"\xef\xbb\xbf \t\r\n")) >= _SNIFFED_BYTES:
            break
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")


async def _rest(head: bytes, chunks: AsyncIterator[bytes]) -> bytes:
    body = bytearray(head)
    async for chunk in chunks:
        body += chunk
        _check(len(body))
    return bytes(body)


async def _events(
    head: bytes, chunks: AsyncIterator[bytes]
) -> AsyncGenerator[tuple[bytes, bool], None]:
    """Yield the data of each server-sent event (WHATWG HTML, 9.2), and whether it is terminated:
    the last one may not be."""
    data: list[bytes] = []
    size = 0
    async with contextlib.aclosing(_lines(head, chunks)) as lines:
        async for line in lines:
            if not line:
                if data:
                    yield b"\n".join(data), True
                data, size = [], 0
            elif line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" "))
                size += len(line) + _LINE_OVERHEAD_BYTES
                _check(size)
    if data:
        yield b"\n".join(data), False


async def _lines(head: bytes, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    *lines, last = head.split(b"\n")
    for line in lines:
        yield line.removesuffix(b"\r")
    parts, size = [last], len(last)
    async for chunk in chunks:
        first, *more = chunk.split(b"\n")
        parts.append(first)
        size += len(first)
        _check(size)
        if not more:
            continue
        yield b"".join(parts).removesuffix(b"\r")
        for line in more[:-1]:
            yield line.removesuffix(b"\r")
        parts, size = [more[-1]], len(more[-1])
    yield b"".join(parts).removesuffix(b"\r")


def _check(size: int) -> None:
    if size > MAX_OBJECT_BYTES:
        raise too_long()


def _parsed(data: bytes) -> object:
    text = data.decode("utf-8", "replace")
    if has_too_many_values(text):
        raise too_long()
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelIncomplete(
            "Part of the model's reply was not valid JSON.", retryable=True
        ) from error


def _only(body: bytes) -> dict[str, Any]:
    """Return the object of a response that consists of one object."""
    if body.startswith((b"{", b"[")):
        value = _parsed(body)
        if isinstance(value, dict):
            return cast(dict[str, Any], value)
    kind = "a web page" if body.startswith(b"<") else "something else"
    raise ModelError(f"The server sent {kind} instead of a reply. Is the address right (…/v1)?")
