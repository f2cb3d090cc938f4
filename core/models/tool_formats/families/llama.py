"""Llama 3: `<|python_tag|>` and JSON with `parameters`, or only that JSON.

Source: the prompt format page and chat template of meta-llama/Llama-3.1-8B-Instruct and
Llama-3.3-70B-Instruct: `{"name": ..., "parameters": {...}}`, several separated by semicolons, and
`<function=NAME>{...}</function>` for user-defined tools (read in `qwen_coder`, which shares the
opening tag). `<|python_tag|>` followed by anything else is code for Meta's own interpreter, which
no run has.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from sandbox_tui.core.models.tool_formats.call_objects import read_calls
from sandbox_tui.core.models.tool_formats.families.base import SPACES, Family, call_object
from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.source import Block, Source, Step

NAME = "llama"
_NO_JSON = 'only {"name": ..., "parameters": {...}} is read behind <|python_tag|>'


def read_tag(source: Source, word: str) -> Step[Block | None]:
    """Read what follows `<|python_tag|>`."""
    found: Block | None = None
    while True:
        yield from source.take_run(SPACES)
        if not (yield from source.begins(("{", "["))):
            return found or Block(family=NAME, fault=_NO_JSON)
        block = yield from read_calls(source, NAME, marked=True)
        assert block is not None
        found = block if found is None else found.joined(block)
        if found.fault or found.open_end or found.repaired_end:
            return found
        yield from source.take_word(";", ",")


def write_calls(calls: Sequence[TextCall]) -> str:
    """Write the calls, one per line."""
    return "\n".join(call_object(call, "parameters") for call in calls)


def write_observation(tool: str, text: str) -> str:
    """Write the observation as the template renders it."""
    return json.dumps({"output": text}, ensure_ascii=False)


FAMILY = Family(
    name=NAME,
    title='Llama 3, {"name": ..., "parameters": {...}}',
    openers={"<|python_tag|>": read_tag},
    write_calls=write_calls,
    write_observation=write_observation,
)
