"""Exports one line in OpenAI's chat format for fine-tuning: messages, tools, and loss weights.

`weight` is the format's loss mask: 1 trains on a reply, 0 does not. It is 0 for replies whose calls
were malformed, or were edited, rejected, skipped or answered by the user.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, cast

from sandbox_tui.core.agent.conversation_from_events import Message, conversation
from sandbox_tui.core.agent.text_conversation import FAMILY_KEY
from sandbox_tui.core.base.errors import RequestRefused
from sandbox_tui.core.events import types as e
from sandbox_tui.core.tools.registry import DEFAULT_TOOLS, find_tool
from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording

DEFAULT_NAMES = tuple(tool.name for tool in DEFAULT_TOOLS)


def write(recording: Recording) -> Iterable[Part]:
    """Write the conversation as chat messages for fine-tuning.

    Raises:
        RequestRefused: the session has no conversation.
    """
    if not recording.summary.has_conversation:
        raise RequestRefused(
            f"The session {recording.summary.id} has no conversation to train on: "
            "export it in another format."
        )
    weights = _weights(recording.events)
    said = [event.text for event in recording.events if isinstance(event, e.ModelReplied)]
    messages = [_strict(message, weights, said) for message in conversation(recording.events)]
    while messages and messages[-1]["role"] == "user":
        messages.pop()  # a trailing user message has no reply
    example = {
        "messages": messages,
        "tools": _tools(messages, recording.events),
        "parallel_tool_calls": any(len(m.get("tool_calls") or ()) > 1 for m in messages),
    }
    line = json.dumps(example, ensure_ascii=False) + "\n"
    return [Part(".jsonl", line.encode("utf-8", "replace"))]


def _weights(events: Iterable[e.AnyEvent]) -> list[int]:
    """Return a weight, 1 or 0, for each reply in order."""
    weights: list[int] = []
    decided: set[int] = set()
    for event in events:
        match event:
            case e.ModelReplied(finish_reason=reason, unreadable=unreadable):
                weights.append(0 if reason == "length" or unreadable else 1)
            case e.CallDecided(call=call, verdict=verdict):
                decided.add(call)
                if verdict != "approve" and weights:
                    weights[-1] = 0
            case e.CallFinished(call=call, ok=False) if call not in decided and weights:
                weights[-1] = 0  # malformed: refused before anyone decided
            case _:
                pass
    return weights


def _strict(message: Message, weights: list[int], texts: list[str]) -> Message:
    """Return a copy of a message with only the fields of the format.

    Calls that were written as text appear only in `tool_calls`. For an assistant message, this pops
    the first entry of `weights` and of `texts`, which holds the prose of each reply.
    """
    role = message["role"]
    if role != "assistant":
        return message
    text = texts.pop(0)
    content = text if FAMILY_KEY in message else message.get("content")
    kept: Message = {"role": role, "content": content or None}
    calls = cast(list[dict[str, Any]], message.get("tool_calls") or [])
    if calls:
        kept["tool_calls"] = [
            {"id": c.get("id", ""), "type": "function", "function": c.get("function", {})}
            for c in calls
        ]
    elif kept["content"] is None:
        kept["content"] = ""
    kept["weight"] = weights.pop(0)
    return kept


def _tools(messages: list[Message], events: Sequence[e.AnyEvent]) -> list[dict[str, Any]]:
    """Return the schemas of the run's tools, and a minimal schema for any other tool that was
    called."""
    first = events[0] if events else None
    recorded = first.settings if isinstance(first, e.RunStarted) else None
    names = recorded.tools if recorded and recorded.tools is not None else DEFAULT_NAMES
    schemas = [dict(tool.schema) for name in names if (tool := find_tool(name)) is not None]
    known = {schema["name"] for schema in schemas}
    for message in messages:
        for call in message.get("tool_calls") or ():
            name = str(call["function"].get("name", ""))
            if name and name not in known:
                known.add(name)
                schemas.append({"name": name, "parameters": {"type": "object"}})
    return [{"type": "function", "function": schema} for schema in schemas]


EXPORTER = Exporter("chat-jsonl", "OpenAI chat JSONL with loss masks", ".jsonl", write)
