"""MiniMax M2: `<invoke name="NAME">` and `<parameter name="NAME">` in a `<minimax:tool_call>`.

Source: the tool-calling guide and the chat template of MiniMaxAI/MiniMax-M2 and M2.5. Strings are
written between their tags without escapes; other values are JSON. Types come from the tool's
schema. MiniMax-M1 uses nearly the same format as Hermes, whose reader handles it.

A value that contains one of the format's own tags is ambiguous, so such a call is not run.
`write_calls` writes such a call as Hermes JSON.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.models.tool_formats.families.base import Family, write_json_calls
from sandbox_tui.core.models.tool_formats.invocations import InvokeTags, read_invocations
from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.source import Block, Source, Step
from sandbox_tui.core.models.tool_formats.tagged_values import are_plain

NAME = "minimax"
_TAGS = InvokeTags(family=NAME, wrappers=("minimax:tool_call",))


def read_tag(source: Source, word: str) -> Step[Block | None]:
    """Read what follows `<minimax:tool_call>`."""
    return (yield from read_invocations(source, _TAGS))


def write_calls(calls: Sequence[TextCall]) -> str:
    """Write the calls as the template renders them; all in JSON if any has values of other
    types."""
    if are_plain(calls, _TAGS.values):
        return "\n".join([*_TAGS.opening, *map(_written, calls), *_TAGS.closing])
    return write_json_calls(calls)


def _written(call: TextCall) -> str:
    values = "".join(
        f'{_TAGS.parameter}"{name}">{value}{_TAGS.values.end}\n'
        for name, value in call.arguments.items()
    )
    return f'{_TAGS.invoke}"{call.tool}">\n{values}{_TAGS.invoke_end}'


def write_observation(tool: str, text: str) -> str:
    """Write the observation as the template renders it."""
    return f"<response>{text}</response>"


FAMILY = Family(
    name=NAME,
    title='MiniMax M2, <minimax:tool_call><invoke name="...">',
    openers=dict.fromkeys(_TAGS.opening, read_tag),
    closers=(*_TAGS.closing, _TAGS.invoke_end, _TAGS.values.end),
    write_calls=write_calls,
    write_observation=write_observation,
)
