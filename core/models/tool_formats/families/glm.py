"""GLM-4.5: `<tool_call>NAME`, then `<arg_key>` and `<arg_value>` in turn, then `</tool_call>`.

Source: the chat templates of zai-org/GLM-4.5 (a line for the name and for each tag) and GLM-4.7
(without line breaks). Strings are written between their tags without escapes; other values are
JSON. Types come from the tool's schema. `<tool_call>` also starts Hermes calls, so the Hermes
reader calls this one.

A value that contains one of the format's own tags is ambiguous, so such a call is not run.
`write_calls` writes such a call as Hermes JSON.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.models.tool_formats.families.base import (
    MAX_NAME_CHARS,
    SPACES,
    TOOL_NAME,
    Family,
    write_json_calls,
    write_tool_response,
)
from sandbox_tui.core.models.tool_formats.problems import STRAY_TAG
from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.source import Block, PartialCall, Source, Step
from sandbox_tui.core.models.tool_formats.tagged_values import (
    MISSING_TAGS,
    TAG_NAME,
    Tags,
    are_plain,
    end_call,
    give,
    read_value,
    unread,
)

NAME = "glm"
_CALL, _CALL_END = "<tool_call>", "</tool_call>"
_KEY, _KEY_END = "<arg_key>", "</arg_key>"
_VALUE, _VALUE_END = "<arg_value>", "</arg_value>"
_TAGS = Tags(end=_VALUE_END, inner=(_CALL, _CALL_END, _KEY, _KEY_END, _VALUE))


def read_call(source: Source) -> Step[Block | None]:
    """Read a call after `<tool_call>` if a name comes next; None if it is in another format."""
    name = yield from source.take_limited(TOOL_NAME, MAX_NAME_CHARS)
    if not name:
        return None
    yield from source.take_run(SPACES)
    follows = yield from source.begins((_KEY, _CALL_END))
    cut = not (yield from source.peek())
    if follows != _KEY and not (name in source.tools and (follows or cut)):
        return None
    block = Block(family=NAME, closed=True)
    partial = source.begin_call(NAME, name)
    yield from _read_arguments(source, block, partial)
    return block


def _read_arguments(source: Source, block: Block, partial: PartialCall) -> Step[None]:
    """Take keys and values up to the end of the call."""
    arguments: dict[str, str] = {}
    repairs: tuple[str, ...] = ()
    partial.pieces.append("{")
    while True:
        yield from source.take_run(SPACES)
        word = yield from source.take_word(_KEY, _CALL_END)
        if word != _KEY:
            break
        name = (yield from source.take_limited(TAG_NAME, MAX_NAME_CHARS)).strip()
        key_ended = yield from source.take_word(_KEY_END)
        yield from source.take_run(SPACES)
        if not (key_ended and (yield from source.take_word(_VALUE))):
            block.open_end = not (yield from source.peek())
            block.fault = f"{_KEY} must be followed by a name, {_KEY_END} and {_VALUE}"
            return
        value = yield from read_value(source, partial, name, _TAGS)
        if value is None:
            yield from unread(source, block, _VALUE_END)
            return
        give(arguments, name, value, block)
    if not word:
        if (yield from source.peek()):
            block.fault = STRAY_TAG
            return
        block.open_end = block.repaired_end = True
        repairs = (MISSING_TAGS,)
    end_call(block, partial, arguments, *repairs)


def write_calls(calls: Sequence[TextCall]) -> str:
    """Write the calls as GLM-4.5's template renders them; all in JSON if any has other types."""
    if are_plain(calls, _TAGS):
        return "\n".join(map(_written, calls))
    return write_json_calls(calls)


def _written(call: TextCall) -> str:
    values = "".join(
        f"{_KEY}{name}{_KEY_END}\n{_VALUE}{value}{_VALUE_END}\n"
        for name, value in call.arguments.items()
    )
    return f"{_CALL}{call.tool}\n{values}{_CALL_END}"


FAMILY = Family(
    name=NAME,
    title=f"GLM-4.5, {_CALL}NAME {_KEY}...{_KEY_END} {_VALUE}...{_VALUE_END}",
    closers=(_CALL_END, _VALUE_END),
    write_calls=write_calls,
    write_observation=write_tool_response,
)
