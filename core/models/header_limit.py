"""A limit for what a server sends before its response.

Informational responses (RFC 9110, 15.2) may come in any number, and the HTTP client reads on past
them without a word: a server that sends nothing else keeps a core busy. So the bytes that arrive
before the response are counted, with httpcore's `trace` extension: it hands over each connection,
and tells when its headers are waited for.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from sandbox_tui.core.base.errors import ModelError

MAX_HEADER_BYTES = 1 << 20
"""Bytes until the headers of a response have come; the HTTP parser takes 100 kB for one of them."""

_before_response: ContextVar[int | None] = ContextVar("bytes before the response", default=None)
"""Bytes that have come; None where the headers are here, or no request was sent."""


async def limit_headers(request: Any) -> None:
    """Limit what may come before the response to a request: for an HTTP client's event hooks."""
    request.extensions["trace"] = _on_trace


async def _on_trace(event: str, info: dict[str, Any]) -> None:
    if event.endswith(".receive_response_headers.started"):
        _before_response.set(0)
    elif ".receive_response_headers." in event:
        _before_response.set(None)
    elif event.endswith((".connect_tcp.complete", ".start_tls.complete")):
        _count_reads(info["return_value"])


def _count_reads(stream: Any) -> None:
    read = stream.read

    async def counted(max_bytes: int, timeout: float | None = None) -> bytes:
        data: bytes = await read(max_bytes, timeout)
        before = _before_response.get()
        if before is not None:
            _before_response.set(before + len(data))
            if before + len(data) > MAX_HEADER_BYTES:
                raise ModelError(
                    "The model server keeps sending headers and never starts its answer; the "
                    "connection was closed."
                )
        return data

    stream.read = counted
