"""Renders a conversation for models whose tool calls are text: no tool role, no call fields.

The agent's own conversation stays in the OpenAI chat format and is rendered for each request. The
rendering of a message depends only on itself and earlier messages, so a request stays a prefix of
the next one and the server's prompt cache stays valid.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from sandbox_tui.core.models.base import Message
from sandbox_tui.core.models.reply_builder import content_text
from sandbox_tui.core.models.template_limits import NO_TEXT, join_user_messages
from sandbox_tui.core.models.tool_formats.families.base import Family
from sandbox_tui.core.models.tool_formats.read_result import TextCall

FAMILY_KEY = "tool_format"
"""Marks an assistant message whose content contains its calls; the value is their family. Removed
before a message is sent to a server.
"""

TEXT_KEY = "text_beside_calls"
"""The text of such a message without its calls. Also removed before sending."""

REPAIRS_KEY = "call_repairs"
"""The repairs made to read each of its calls, if any, so that a resumed run can still report them.
Also removed before sending.
"""

_OURS = (FAMILY_KEY, TEXT_KEY, REPAIRS_KEY)


def native_conversation(messages: Sequence[Message]) -> Sequence[Message]:
    """Convert the messages for a model with native calls; calls written as text become native
    ones."""
    if not any(FAMILY_KEY in message for message in messages):
        return messages
    return [_native(message) if FAMILY_KEY in message else message for message in messages]


def _native(message: Message) -> Message:
    """Convert a message to one with calls only in the API's fields, without the internal keys."""
    kept = {name: value for name, value in message.items() if name not in _OURS}
    return {**kept, "content": message.get(TEXT_KEY) or None}


def text_conversation(
    messages: Sequence[Message], instructions: str, family: Family, reminder: str = ""
) -> list[Message]:
    """Render the messages with the instructions in the system prompt, and calls and observations as
    text.

    Args:
        messages: in the OpenAI chat format.
        instructions: how to call tools.
        family: the format for observations and for calls that were not written as text.
        reminder: appended to the task, which is the first user message.
    """
    rendered: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        match message["role"]:
            case "system":
                rendered.append(message)
            case "assistant":
                names |= _names(message)
                rendered.append(_assistant(message, family))
            case "tool":
                tool = names.get(str(message.get("tool_call_id")), "")
                rendered.append(_user(family.write_observation(tool, _text(message))))
            case _:
                rendered.append(_user(_text(message)))
    _remind(rendered, reminder)
    # consecutive user messages are joined, since many templates refuse them
    return _with_instructions(join_user_messages(rendered), instructions)


def _remind(rendered: list[Message], reminder: str) -> None:
    """Append a reminder to the first user message."""
    for number, message in enumerate(rendered if reminder else ()):
        if message["role"] == "user":
            rendered[number] = _user(f"{_text(message).rstrip()}\n\n{reminder}")
            return


def _with_instructions(rendered: list[Message], instructions: str) -> list[Message]:
    if rendered and rendered[0]["role"] == "system":
        first = rendered[0]
        return [{**first, "content": f"{_text(first).rstrip()}\n\n{instructions}"}, *rendered[1:]]
    return [{"role": "system", "content": instructions}, *rendered]


def _user(text: str) -> Message:
    return {"role": "user", "content": text}


def _assistant(message: Message, family: Family) -> Message:
    content = _text(message)
    if FAMILY_KEY not in message and message.get("tool_calls"):
        written = family.write_calls(_calls(message))
        content = f"{content.rstrip()}\n\n{written}" if content.strip() else written
    return {"role": "assistant", "content": content if content.strip() else NO_TEXT}


def _calls(message: Message) -> list[TextCall]:
    calls: list[TextCall] = []
    for call in cast("list[dict[str, Any]]", message["tool_calls"]):
        function = cast(Mapping[str, str], call["function"])
        arguments: Any = {}
        with contextlib.suppress(ValueError):  # a call that was not run; its answer says why
            arguments = json.loads(function["arguments"] or "{}", parse_constant=lambda _: None)
        known = cast(dict[str, Any], arguments) if isinstance(arguments, dict) else {}
        calls.append(TextCall(tool=function["name"], arguments=known))
    return calls


def _names(message: Message) -> dict[str, str]:
    """Return the names of the called tools by call id."""
    calls = cast("list[dict[str, Any]]", message.get("tool_calls") or [])
    return {str(call["id"]): str(call["function"]["name"]) for call in calls}


def _text(message: Message) -> str:
    return content_text(message.get("content"))
