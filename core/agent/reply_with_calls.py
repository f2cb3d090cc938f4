"""Adds the calls read from a reply's text to that reply."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from sandbox_tui.core.agent.text_conversation import FAMILY_KEY, REPAIRS_KEY, TEXT_KEY
from sandbox_tui.core.base.json_arguments import without_surrogates
from sandbox_tui.core.models.base import Message, RawToolCall, Reply
from sandbox_tui.core.models.reply_builder import message_calls
from sandbox_tui.core.models.tool_formats.read_result import Reading


def with_calls(reply: Reply, reading: Reading, place: int) -> Reply:
    """Return a reply with the calls contained in its text.

    Args:
        reply: as the server sent it, without calls.
        reading: the result of reading its text.
        place: the number of messages before it, which makes the ids of its calls unique.
    """
    calls = tuple(
        RawToolCall(
            id=f"t{place:05d}{number:03d}",  # nine letters and digits: some servers require it
            name=call.tool,
            arguments=call.json,
            family=reading.family,
            repaired=call.repaired,
        )
        for number, call in enumerate(reading.calls)
    )
    reasoning = "\n".join(words for words in (reply.reasoning, reading.reasoning) if words)
    text = _text_without_calls(reply, reading)
    return replace(
        reply,
        message=_message(reply.message, calls, reading.family, text),
        text=text,
        reasoning=reasoning,
        calls=calls,
        problem=reading.problem,
    )


def _message(message: Message, calls: Sequence[RawToolCall], family: str, text: str) -> Message:
    """Return the message with its content as written, and its calls in the API's fields as well."""
    if not calls:
        return message
    internal: Message = {FAMILY_KEY: family, TEXT_KEY: text}
    if any(call.repaired for call in calls):
        internal[REPAIRS_KEY] = [call.repaired for call in calls]
    return {**message, "tool_calls": message_calls(calls), **internal}


def _text_without_calls(reply: Reply, reading: Reading) -> str:
    """Return the text without the calls, including the `thought` of a reply by schema."""
    if not reading.calls or reading.text:
        return reading.text
    try:
        value: Any = json.loads(reply.text, strict=False)
    except ValueError:
        return ""
    thought = cast(dict[str, Any], value).get("thought") if isinstance(value, dict) else None
    return without_surrogates(thought) if isinstance(thought, str) else ""
