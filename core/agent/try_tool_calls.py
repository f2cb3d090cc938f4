"""Finds out with one tiny request which tool call format works with a model."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass

from sandbox_tui.core.agent.tool_format_model import ToolFormatModel
from sandbox_tui.core.events.types import ToolFormat
from sandbox_tui.core.models.base import (
    Message,
    Model,
    Reply,
    ReplyPart,
    Request,
    ToolFormatSettled,
)

MAX_REPLY_TOKENS = 2000
"""Leaves room for reasoning before the call."""

MAX_REPLIES = 3

_TOOL = {
    "type": "function",
    "function": {
        "name": "say_hello",
        "description": "Says hello. Call it once.",
        "parameters": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "whom to greet"}},
            "required": ["name"],
        },
    },
}
_REQUEST: list[Message] = [
    {"role": "system", "content": "You act by calling tools. Every message calls one."},
    {"role": "user", "content": "Call say_hello with the name World."},
]


@dataclass(frozen=True, slots=True)
class ToolCallTrial:
    """The result of a tool call trial.

    Attributes:
        works: whether the model called the tool.
        format: the format of the call.
        why: why this format was used.
    """

    works: bool
    format: ToolFormat
    why: str = ""


async def try_tool_calls(model: Model) -> ToolCallTrial:
    """Ask a model for one call in any format that works, then close the model.

    Raises:
        ModelError: if the server cannot be reached, or refuses the request for another reason.
    """
    asked = ToolFormatModel(model, "auto")
    settled = ToolFormatSettled(ToolFormat(), "")
    messages = list(_REQUEST)
    try:
        for _ in range(MAX_REPLIES):
            request = Request(messages=messages, tools=[_TOOL], max_tokens=MAX_REPLY_TOKENS)
            reply: Reply | None = None
            for part in await _reply_parts(asked, request):
                if isinstance(part, Reply):
                    reply = part
                elif isinstance(part, ToolFormatSettled):
                    settled = part
            if reply is not None and reply.calls:
                return ToolCallTrial(True, settled.format, settled.why)
            if reply is not None:
                reminder = {"role": "user", "content": reply.problem or "Call the tool now."}
                messages = [*messages, reply.message, reminder]
        return ToolCallTrial(False, settled.format, settled.why)
    finally:
        await asked.close()


async def _reply_parts(model: Model, request: Request) -> list[ReplyPart]:
    async with aclosing(model.ask(request)) as parts:
        return [part async for part in parts]
