"""The JSON objects of a server's answer, whether it streams them as events or sends just one.

What counts is what the server sends, not what it says it sends: a stream is recognised without the
right content type, and a JSON object or a web page in a stream's place for what it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, cast

from ..errors import ModelError, ModelIncomplete

MOST_BYTES = 64_000_000
"""Most that is held of one object; more is a fault of the server's."""

_EVENT = re.compile(rb"(?:data|event|id|retry)?[ \t]*:")
_SNIFFED = 8


async def objects(pieces: AsyncIterator[bytes]) -> AsyncGenerator[dict[str, Any] | None, None]:
    """The answer's objects in order; None stands for the end that a server declares.

    Raises:
        ModelIncomplete: a piece of it is not JSON.
        ModelError: it is something else altogether, a web page for example.
    """
    head = await _head(pieces)
    if _EVENT.match(head.lstrip()):
        async for data in _events(head, pieces):
            if data.strip() == b"[DONE]":
                yield None
                return
            value = _parsed(data)
            if isinstance(value, dict):
                yield cast(dict[str, Any], value)
    elif head:
        yield _only(await _rest(head, pieces))
        yield None


async def _head(pieces: AsyncIterator[bytes]) -> bytes:
    head = b""
    async for piece in pieces:
        head += piece
        if len(head.lstrip(b"\xef\xbb\xbf \t\r\n")) >= _SNIFFED:
            break
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")


async def _rest(head: bytes, pieces: AsyncIterator[bytes]) -> bytes:
    body = bytearray(head)
    async for piece in pieces:
        body += piece
        _check(len(body))
    return bytes(body)


async def _events(head: bytes, pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The data of each server-sent event (WHATWG HTML, 9.2), the last also without a blank line."""
    data: list[bytes] = []
    async for line in _lines(head, pieces):
        if not line:
            if data:
                yield b"\n".join(data)
            data = []
        elif line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
            _check(sum(map(len, data)))
    if data:
        yield b"\n".join(data)


async def _lines(head: bytes, pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    *lines, last = head.split(b"\n")
    for line in lines:
        yield line.removesuffix(b"\r")
    parts, size = [last], len(last)
    async for piece in pieces:
        first, *more = piece.split(b"\n")
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
    if size > MOST_BYTES:
        raise ModelError("The model's reply is longer than anything sensible; it was cut off.")


def _parsed(data: bytes) -> object:
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise ModelIncomplete(
            "A piece of the model's reply was not valid JSON.", retryable=True
        ) from error


def _only(body: bytes) -> dict[str, Any]:
    """An answer that is one object."""
    if body.startswith((b"{", b"[")):
        value = _parsed(body)
        if isinstance(value, dict):
            return cast(dict[str, Any], value)
    kind = "a web page" if body.startswith(b"<") else "something else"
    raise ModelError(f"The server sent {kind} instead of a reply. Is the address right (…/v1)?")
