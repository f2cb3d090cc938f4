"""Estimates the tokens of a request and its reply, for servers that do not count them."""

from __future__ import annotations

import json

from sandbox_tui.core.events.types import Usage
from sandbox_tui.core.models.base import Delta, Reply, Request

BYTES_PER_TOKEN = 4
"""English prose and code take about four bytes of UTF-8 per token in today's tokenizers."""


def estimated_usage(request: Request, reply: Reply) -> Usage:
    """Return the tokens of a request and its reply by the length of their text, marked as an
    estimate."""
    answer = _size(reply.text) + sum(_size(call.arguments) for call in reply.calls)
    return _usage(request, answer, _size(reply.reasoning))


class PartialUsage:
    """Estimates the tokens of a reply while it arrives.

    Args:
        request: the request it answers.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._answer_bytes = self._reasoning_bytes = 0

    def add(self, delta: Delta) -> None:
        """Count a fragment of the reply."""
        if delta.channel == "reasoning":
            self._reasoning_bytes += _size(delta.text)
        else:
            self._answer_bytes += _size(delta.text)

    @property
    def usage(self) -> Usage | None:
        """The tokens of the request and of what has arrived; None if nothing has: nobody knows
        whether the server has read the request."""
        if not self._answer_bytes + self._reasoning_bytes:
            return None
        return _usage(self._request, self._answer_bytes, self._reasoning_bytes)


def _usage(request: Request, answer_bytes: int, reasoning_bytes: int) -> Usage:
    parts = [*request.messages, *request.tools]
    return Usage(
        input_tokens=sum(_size(json.dumps(part, ensure_ascii=False)) for part in parts)
        // BYTES_PER_TOKEN,
        output_tokens=max(1, (answer_bytes + reasoning_bytes) // BYTES_PER_TOKEN),
        reasoning_tokens=reasoning_bytes // BYTES_PER_TOKEN,
        estimated=True,
    )


def estimated_tokens(*texts: str) -> int:
    """Return the tokens of texts by their length."""
    return sum(map(_size, texts)) // BYTES_PER_TOKEN


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
