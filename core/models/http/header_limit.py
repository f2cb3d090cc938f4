"""Limits what a server sends before its response.

Any number of informational responses (RFC 9110, 15.2) may come first, and the HTTP client silently
reads past them: a server that sends nothing else keeps a core busy. So the bytes that arrive before
the response are counted, with httpcore's `trace` extension: it exposes each connection, and reports
when it waits for headers.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from sandbox_tui.core.base.errors import ModelError

MAX_HEADER_BYTES = 1 << 20
"""Maximum bytes until a response's headers end; the HTTP parser allows 100 kB per header."""

_before_response: ContextVar[int | None] = ContextVar("bytes before the response", default=None)
"""Bytes received so far; None if the headers are complete, or no request was sent."""


async def limit_headers(request: Any) -> None:
    """Limit the bytes before the response to a request; an event hook for an HTTP client."""
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
