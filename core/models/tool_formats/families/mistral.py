"""Mistral: `[TOOL_CALLS]` with a list of JSON objects, or with a name, `[ARGS]` and an object.

Source: mistral-common's instruct tokenizers and the model cards. Up to version 7 (Mistral 7B v0.3,
Nemo, Small 2409 and 2501): `[TOOL_CALLS] [{"name": ..., "arguments": {...}, "id": ...}]`. Since
version 11 (Small 3.2, Medium 3, Magistral, Devstral): `[TOOL_CALLS]name[CALL_ID]id[ARGS]{...}`,
without the id since version 13; servers that drop special tokens leave `[TOOL_CALLS]name{...}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from sandbox_tui.core.models.tool_formats.call_objects import read_arguments, read_calls
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

LIST = "mistral"
ARGS = "mistral_args"
_ID = re.compile(r"[A-Za-z0-9_\-]+")


def read_tag(source: Source, word: str) -> Step[Block | None]:
    """Read what follows `[TOOL_CALLS]`."""
    yield from source.take_run(SPACES)
    if (yield from source.begins(("{", "["))):
        return (yield from read_calls(source, LIST, marked=True))
    name = yield from source.take_limited(TOOL_NAME, MAX_NAME_CHARS)
    if (yield from source.take_word("[CALL_ID]")):
        yield from source.take_limited(_ID, MAX_NAME_CHARS)
    args = yield from source.take_word("[ARGS]")
    yield from source.take_run(SPACES)
    if not name or not (args or (yield from source.begins(("{",)))):
        return None
    call, fault = yield from read_arguments(source, ARGS, name)
    ended = not source.partial_calls[-1].is_complete and source.ended
    return Block(
        family=ARGS,
        calls=[call] if call else [],
        fault=fault,
        open_end=ended,
        repaired_end=call is not None and MISSING_BRACE in call.repairs,
    )


def write_list(calls: Sequence[TextCall]) -> str:
    """Write the calls as one list."""
    return "[TOOL_CALLS] " + to_json(
        [{"name": call.tool, "arguments": call.arguments} for call in calls]
    )


def write_args(calls: Sequence[TextCall]) -> str:
    """Write the calls, each after its own marker."""
    return "".join(f"[TOOL_CALLS]{call.tool}[ARGS]{to_json(call.arguments)}" for call in calls)


def observe_list(tool: str, text: str) -> str:
    """Write the observation in the format of versions up to 7."""
    return f"[TOOL_RESULTS] {json.dumps({'content': text}, ensure_ascii=False)}[/TOOL_RESULTS]"


def observe_args(tool: str, text: str) -> str:
    """Write the observation in the format of version 13."""
    return f"[TOOL_RESULTS]{text}[/TOOL_RESULTS]"


FAMILY = Family(
    name=LIST,
    title='Mistral, [TOOL_CALLS] [{"name": ..., "arguments": {...}}]',
    openers={"[TOOL_CALLS]": read_tag},
    write_calls=write_list,
    write_observation=observe_list,
)
ARGS_FAMILY = Family(
    name=ARGS,
    title="Mistral, [TOOL_CALLS]name[ARGS]{...}",
    write_calls=write_args,
    write_observation=observe_args,
)
