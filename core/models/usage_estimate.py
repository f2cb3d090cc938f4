"""Estimates the tokens of a request and its reply, for servers that do not count them."""

from __future__ import annotations

import json

from sandbox_tui.core.events.types import Usage
from sandbox_tui.core.models.base import Reply, Request

BYTES_PER_TOKEN = 4
"""English prose and code take about four bytes of UTF-8 per token in today's tokenizers."""


def estimated_usage(request: Request, reply: Reply) -> Usage:
    """Return the tokens of a request and its reply by the length of their text, marked as an
    estimate."""
    parts = [*request.messages, *request.tools]
    written = [reply.text, reply.reasoning, *(call.arguments for call in reply.calls)]
    return Usage(
        input_tokens=sum(_size(json.dumps(part, ensure_ascii=False)) for part in parts)
        // BYTES_PER_TOKEN,
        output_tokens=max(1, sum(map(_size, written)) // BYTES_PER_TOKEN),
        reasoning_tokens=_size(reply.reasoning) // BYTES_PER_TOKEN,
        estimated=True,
    )


def estimated_tokens(*texts: str) -> int:
    """Return the tokens of texts by their length."""
    return sum(map(_size, texts)) // BYTES_PER_TOKEN


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
