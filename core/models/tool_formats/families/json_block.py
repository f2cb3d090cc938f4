"""Plain JSON: a fenced or bare object with `name` and `arguments` (or `parameters`), or a list.

Source: models that know their tools but no call format, such as Qwen2.5-Coder-0.5B behind a server
without a tool parser; the generic format of llama.cpp wraps the same object in `tool_call` or
`tool_calls`. A bare object must start its line, and nothing else may be on its line. A list that
starts with a name is Pythonic. An object with `parameters` outside a fence is Llama's.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.models.tool_formats.call_objects import read_calls
from sandbox_tui.core.models.tool_formats.families.base import Family, call_object
from sandbox_tui.core.models.tool_formats.families.llama import NAME as LLAMA
from sandbox_tui.core.models.tool_formats.families.pythonic import begins_list, read_list
from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.source import Block, Source, Step

NAME = "json"
_MAX_SPACES = 64


def read_object(source: Source) -> Step[Block | None]:
    """Take an object that starts here."""
    block = yield from read_calls(source, NAME, marked=False)
    if block is not None and source.fence is None:
        keys = {call.key for call in block.calls}
        block.family = LLAMA if keys == {"parameters"} else NAME
    return block


def read_bracket(source: Source) -> Step[Block | None]:
    """Take a list of objects or of Pythonic calls that starts here; None if nothing was taken."""
    count = 2
    while True:
        ahead = yield from source.peek(count)
        inner = ahead[1:].lstrip()
        if inner or len(ahead) < count or count > _MAX_SPACES:
            break
        count += 1
    if inner == "{":
        return (yield from read_object(source))
    if inner and (yield from begins_list(source)):
        return (yield from read_list(source, marked=False))
    return None


def write_calls(calls: Sequence[TextCall]) -> str:
    """Write the calls, each in its own fence."""
    return "\n".join(f"```json\n{call_object(call)}\n```" for call in calls)


def write_observation(tool: str, text: str) -> str:
    """Write the observation, with the tool's name."""
    return f"Result of {tool}:\n{text}"


FAMILY = Family(
    name=NAME,
    title='JSON, {"name": ..., "arguments": {...}}',
    write_calls=write_calls,
    write_observation=write_observation,
)
