"""Hermes: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`.

Source: the model card and chat template of NousResearch/Hermes-2-Pro-Llama-3-8B; the templates of
Qwen2.5, Qwen2.5-Coder, Qwen3, QwQ and many tuned models use it. Qwen2.5-Coder often writes
`<tools>` (the tag that lists the tools in its system prompt) instead; smaller models put a code
fence between the tags or add a superfluous closing brace. MiniMax-M1 writes all its calls between
`<tool_calls>` tags, one object per line (its function call guide). A template renders an
observation as a user message that contains `<tool_response>`.
"""

from __future__ import annotations

import re

from sandbox_tui.core.models.tool_formats.call_objects import read_calls
from sandbox_tui.core.models.tool_formats.families import glm
from sandbox_tui.core.models.tool_formats.families.base import (
    SPACES,
    Family,
    write_json_calls,
    write_tool_response,
)
from sandbox_tui.core.models.tool_formats.families.qwen_coder import read_functions
from sandbox_tui.core.models.tool_formats.source import Block, Source, Step

NAME = "hermes"
_CLOSERS = ("</tool_call>", "</tools>", "</function_call>", "</tool_calls>")
_LANGUAGE = re.compile(r"[a-z_]+")


def read_tag(source: Source, word: str) -> Step[Block | None]:
    """Read what follows an opening tag."""
    yield from source.take_run(SPACES)
    fence = "" if source.fence is not None else (yield from source.take_word("```"))
    if fence:
        yield from source.take_run(_LANGUAGE)
        yield from source.take_run(SPACES)
    begins = yield from source.begins(("{", "[", "<function="))
    if begins == "<function=" and word == "<tool_call>":
        return (yield from read_functions(source))
    if begins not in ("{", "["):
        return (yield from glm.read_call(source)) if word == "<tool_call>" else None
    block = yield from _read_objects(source)
    yield from source.take_run(SPACES)
    if fence:
        yield from source.take_word("```")
        yield from source.take_run(SPACES)
    closer = yield from source.take_word(*_CLOSERS)
    again = yield from source.begins(("<tool_call>",))
    block.closed = bool(closer or again)
    return block


def _read_objects(source: Source) -> Step[Block]:
    """Take consecutive JSON objects."""
    found: Block | None = None
    while True:
        block = yield from read_calls(source, NAME, marked=True)
        assert block is not None
        found = block if found is None else found.joined(block)
        if found.fault or found.open_end or found.repaired_end:
            return found
        yield from source.take_run(SPACES)
        if not (yield from source.begins(("{", "["))):
            return found


FAMILY = Family(
    name=NAME,
    title="Hermes, <tool_call>{JSON}</tool_call>",
    openers=dict.fromkeys(("<tool_call>", "<tools>", "<function_call>", "<tool_calls>"), read_tag),
    closers=_CLOSERS,
    write_calls=write_json_calls,
    write_observation=write_tool_response,
)
