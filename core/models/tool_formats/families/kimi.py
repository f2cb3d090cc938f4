"""Kimi K2: `<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{...}<|tool_call_end|>`.

Source: the tool-call guide and chat template of moonshotai/Kimi-K2-Instruct and Kimi-K2-Thinking.
Calls are inside a section and numbered throughout the conversation, and an observation names its
call.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandbox_tui.core.models.tool_formats.call_objects import read_arguments
from sandbox_tui.core.models.tool_formats.families.base import (
    MAX_NAME_CHARS,
    SPACES,
    Family,
    to_json,
)
from sandbox_tui.core.models.tool_formats.json_text import MISSING_BRACE
from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.source import Block, Source, Step

NAME = "kimi"
_SECTION = ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>")
_SECTION_END = ("<|tool_calls_section_end|>", "<|tool_call_section_end|>")
_CALL, _CALL_END = "<|tool_call_begin|>", "<|tool_call_end|>"
_ARGUMENTS = "<|tool_call_argument_begin|>"
_ID = re.compile(r"[A-Za-z0-9_.:\-]+")


def read_tag(source: Source, word: str) -> Step[Block | None]:
    """Read what follows the marker of a call, or of a section."""
    block = Block(family=NAME)
    inside = word == _CALL
    while True:
        yield from source.take_run(SPACES)
        if not inside and not (yield from source.take_word(_CALL)):
            break
        inside = False
        yield from _read_call(source, block)
        if block.fault or block.open_end:
            return block
    if not block.calls:
        block.open_end, block.fault = source.ended, "no call follows the marker"
    block.closed = bool((yield from source.take_word(*_SECTION_END)))
    return block


def _read_call(source: Source, block: Block) -> Step[None]:
    """Take a call after its marker."""
    yield from source.take_run(SPACES)
    identity = yield from source.take_limited(_ID, MAX_NAME_CHARS)
    yield from source.take_run(SPACES)
    if not (yield from source.take_word(_ARGUMENTS)):
        block.open_end = not (yield from source.peek())
        block.fault = f"{_ARGUMENTS} is missing"
        return
    name = re.sub(r":\d+$", "", identity.removeprefix("functions."))
    call, block.fault = yield from read_arguments(source, NAME, name)
    whole = source.partial_calls[-1].is_complete
    yield from source.take_run(SPACES)
    block.open_end = not whole and not (yield from source.peek())
    block.calls = [*block.calls, *([call] if call else [])]
    block.repaired_end = call is not None and MISSING_BRACE in call.repairs
    yield from source.take_word(_CALL_END)


def write_calls(calls: Sequence[TextCall]) -> str:
    """Write the calls as one section."""
    written = "".join(
        f"{_CALL}functions.{call.tool}:{number}{_ARGUMENTS}{to_json(call.arguments)}{_CALL_END}"
        for number, call in enumerate(calls)
    )
    return f"{_SECTION[0]}{written}{_SECTION_END[0]}"


def write_observation(tool: str, text: str) -> str:
    """Write the observation as the template renders it."""
    return f"## Return of functions.{tool}\n{text}"


FAMILY = Family(
    name=NAME,
    title=f"Kimi K2, {_CALL}functions.NAME:0",
    openers=dict.fromkeys((*_SECTION, _CALL), read_tag),
    closers=(*_SECTION_END, _CALL_END),
    write_calls=write_calls,
    write_observation=write_observation,
)
