"""Qwen3-Coder: `<function=NAME>` and `<parameter=NAME>` tags with the values as plain text.

Source: the model card and chat template of Qwen/Qwen3-Coder-480B-A35B-Instruct. A value has one
line break after the opening tag and one before the closing tag, and no escapes: bash is full of < >
& and quotes, and all of it is kept. Types come from the tool's schema. Models sometimes omit
`<tool_call>`.

Since nothing is escaped, a value that contains one of the format's own tags is ambiguous, so such a
call is not run. `write_calls` writes such a call as Hermes JSON, which these models know as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.models.tool_formats.call_objects import read_arguments
from sandbox_tui.core.models.tool_formats.families.base import (
    MAX_NAME_CHARS,
    SPACES,
    Family,
    write_json_calls,
    write_tool_response,
)
from sandbox_tui.core.models.tool_formats.json_text import MISSING_BRACE
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

NAME = "qwen_coder"
LLAMA = "llama"
_FUNCTION, _FUNCTION_END = "<function=", "</function>"
_PARAMETER, _PARAMETER_END = "<parameter=", "</parameter>"
_TAGS = Tags(
    end=_PARAMETER_END,
    inner=(_FUNCTION, _FUNCTION_END, _PARAMETER, "<tool_call>", "</tool_call>"),
    on_lines=True,
)


def read_tag(source: Source, word: str) -> Step[Block | None]:
    """Read what follows `<function=`."""
    block = Block(family=NAME, closed=True)
    return block if (yield from _read_function(source, block)) else None


def read_functions(source: Source) -> Step[Block | None]:
    """Take the functions in a `<tool_call>`, and its closing tag."""
    block = Block(family=NAME, closed=True)
    while (yield from source.take_word(_FUNCTION)):
        if not (yield from _read_function(source, block)):
            return block if block.calls else None
        yield from source.take_run(SPACES)
        if block.fault or block.open_end:
            break
    yield from source.take_word("</tool_call>")
    return block


def _read_function(source: Source, block: Block) -> Step[bool]:
    """Take a function after its `<function=`; returns whether it is one."""
    name = yield from source.take_limited(TAG_NAME, MAX_NAME_CHARS)
    if not (yield from source.take_word(">")):
        return False
    name = name.strip().strip("\"'")
    yield from source.take_run(SPACES)
    if (yield from source.peek()) == "{":
        yield from _read_json(source, block, name)
        return True
    partial = source.begin_call(NAME, name)
    yield from _read_parameters(source, block, partial)
    return True


def _read_json(source: Source, block: Block, name: str) -> Step[None]:
    """Take a function whose arguments are one JSON object, in Llama 3.1's format."""
    block.family = LLAMA
    call, block.fault = yield from read_arguments(source, LLAMA, name)
    yield from source.take_run(SPACES)
    closed = yield from source.take_word(_FUNCTION_END)
    block.open_end = source.ended and not closed
    block.closed = bool(closed)
    block.repaired_end = call is not None and MISSING_BRACE in call.repairs
    block.calls = [*block.calls, *([call] if call else [])]


def _read_parameters(source: Source, block: Block, partial: PartialCall) -> Step[None]:
    """Take the parameters up to the end of the function."""
    arguments: dict[str, str] = {}
    repairs: tuple[str, ...] = ()
    partial.pieces.append("{")
    while True:
        yield from source.take_run(SPACES)
        word = yield from source.take_word(_PARAMETER, _FUNCTION_END)
        if word != _PARAMETER:
            break
        name = (yield from source.take_limited(TAG_NAME, MAX_NAME_CHARS)).strip().strip("\"'")
        if not (yield from source.take_word(">")):
            block.fault = "a <parameter=...> tag is not closed"
            block.open_end = source.ended
            return
        value = yield from read_value(source, partial, name, _TAGS)
        if value is None:
            yield from unread(source, block, _PARAMETER_END)
            return
        give(arguments, name, value, block)
    if not word:
        block.open_end = not (yield from source.begins(("</tool_call>",)))
        block.repaired_end = True
        repairs = (MISSING_TAGS,)
        if block.open_end and (yield from source.peek()):
            block.open_end, block.fault = False, STRAY_TAG
            return
    end_call(block, partial, arguments, *repairs)


def write_calls(calls: Sequence[TextCall]) -> str:
    """Write the calls as the template renders them; all in JSON if any has values of other
    types."""
    if are_plain(calls, _TAGS):
        return "\n".join(map(_written, calls))
    return write_json_calls(calls)


def _written(call: TextCall) -> str:
    values = "".join(
        f"{_PARAMETER}{name}>\n{value}\n{_PARAMETER_END}\n"
        for name, value in call.arguments.items()
    )
    return f"<tool_call>\n{_FUNCTION}{call.tool}>\n{values}{_FUNCTION_END}\n</tool_call>"


FAMILY = Family(
    name=NAME,
    title="Qwen3-Coder, <function=...><parameter=...>",
    openers={_FUNCTION: read_tag},
    closers=("</tool_call>", _FUNCTION_END, _PARAMETER_END),
    write_calls=write_calls,
    write_observation=write_tool_response,
)
