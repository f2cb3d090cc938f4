"""DeepSeek: `<｜tool▁calls▁begin｜>` and related markers.

Source: the chat templates of deepseek-ai/DeepSeek-V3, DeepSeek-R1-0528 and DeepSeek-V3.1. V3 and R1
write the word `function`, the name, and the arguments in a json fence; V3.1 writes the name and the
arguments. Some quantized builds and servers write the markers with `_` or a space in place of `▁`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandbox_tui.core.models.tool_formats.call_objects import read_arguments
from sandbox_tui.core.models.tool_formats.families.base import (
    MAX_NAME_CHARS,
    SPACES,
    TOOL_NAME,
    Family,
    to_json,
)
from sandbox_tui.core.models.tool_formats.json_text import MISSING_BRACE
from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.source import Block, Source, Step

V3 = "deepseek"
V31 = "deepseek_v31"


def _spellings(marker: str) -> tuple[str, ...]:
    return tuple(f"<｜{marker.replace(' ', joint)}｜>" for joint in ("▁", "_", " "))


_CALLS, _CALLS_END = _spellings("tool calls begin"), _spellings("tool calls end")
_CALL, _CALL_END = _spellings("tool call begin"), _spellings("tool call end")
_SEPARATOR = _spellings("tool sep")
_FENCE = re.compile(r"`{3}(?:json)?")


def read_tag(source: Source, word: str) -> Step[Block | None]:
    """Read what follows the marker of one call, or of several."""
    block = Block(family=V31)
    inside = word in _CALL
    while True:
        if not inside:
            yield from source.take_run(SPACES)
            if not (yield from source.take_word(*_CALL)):
                break
        inside = False
        yield from _read_call(source, block)
        if block.fault or block.open_end:
            return block
    if not block.calls:
        block.open_end, block.fault = source.ended, "no call follows the marker"
    block.closed = bool((yield from source.take_word(*_CALLS_END)))
    return block


def _read_call(source: Source, block: Block) -> Step[None]:
    """Take a call after its marker."""
    head = yield from source.take_limited(TOOL_NAME, MAX_NAME_CHARS)
    if not (yield from source.take_word(*_SEPARATOR)):
        block.open_end = not (yield from source.peek())
        block.fault = f"{_SEPARATOR[0]} is missing"
        return
    yield from source.take_run(SPACES)
    name, fence = head, ""
    if not (yield from source.begins(("{",))):
        block.family = V3
        name = yield from source.take_limited(TOOL_NAME, MAX_NAME_CHARS)
        yield from source.take_run(SPACES)
        fence = yield from source.take_word("```json", "```")
    call, block.fault = yield from read_arguments(source, block.family, name)
    whole = source.partial_calls[-1].is_complete
    yield from source.take_run(SPACES)
    if fence:
        yield from source.take_word("```")
        yield from source.take_run(SPACES)
    block.open_end = not whole and not (yield from source.peek())
    block.calls = [*block.calls, *([call] if call else [])]
    block.repaired_end = call is not None and MISSING_BRACE in call.repairs
    yield from source.take_word(*_CALL_END)


def write_v3(calls: Sequence[TextCall]) -> str:
    """Write the calls as V3 and R1 write them."""
    return _between(
        "\n".join(
            f"{_CALL[0]}function{_SEPARATOR[0]}{call.tool}\n"
            f"```json\n{to_json(call.arguments)}\n```{_CALL_END[0]}"
            for call in calls
        )
    )


def write_v31(calls: Sequence[TextCall]) -> str:
    """Write the calls as V3.1 writes them."""
    return _between(
        "".join(
            f"{_CALL[0]}{call.tool}{_SEPARATOR[0]}{to_json(call.arguments)}{_CALL_END[0]}"
            for call in calls
        )
    )


def _between(calls: str) -> str:
    return f"{_CALLS[0]}{calls}{_CALLS_END[0]}"


def observe_v3(tool: str, text: str) -> str:
    """Write the observation in the format of V3 and R1."""
    return f"<｜tool▁outputs▁begin｜>{observe_v31(tool, text)}<｜tool▁outputs▁end｜>"


def observe_v31(tool: str, text: str) -> str:
    """Write the observation in the format of V3.1."""
    return f"<｜tool▁output▁begin｜>{text}<｜tool▁output▁end｜>"


FAMILY = Family(
    name=V3,
    title=f"DeepSeek V3 and R1, {_CALL[0]}function{_SEPARATOR[0]}",
    openers=dict.fromkeys((*_CALLS, *_CALL), read_tag),
    closers=(*_CALLS_END, *_CALL_END),
    write_calls=write_v3,
    write_observation=observe_v3,
)
V31_FAMILY = Family(
    name=V31,
    title=f"DeepSeek V3.1, {_CALL[0]}",
    closers=(*_CALLS_END, *_CALL_END),
    write_calls=write_v31,
    write_observation=observe_v31,
)
