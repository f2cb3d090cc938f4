"""DeepSeek V3.2: DSML, `<｜DSML｜invoke>` and `<｜DSML｜parameter>` in `<｜DSML｜function_calls>`.

Source: encoding/encoding_dsv32.py of deepseek-ai/DeepSeek-V3.2. Each parameter says whether its
value is a string, written without escapes, or JSON. DeepSeek V4 uses the tag `tool_calls` around
the calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandbox_tui.core.models.tool_formats.families.base import Family, to_json
from sandbox_tui.core.models.tool_formats.invocations import InvokeTags, read_invocations
from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.source import Block, Source, Step
from sandbox_tui.core.models.tool_formats.tagged_values import ATTRIBUTE

NAME = "deepseek_dsml"
_PREFIX = "｜DSML｜"
_TAGS = InvokeTags(
    family=NAME,
    prefix=_PREFIX,
    wrappers=(f"{_PREFIX}function_calls", f"{_PREFIX}tool_calls"),
    kind="string",
)


def read_tag(source: Source, word: str) -> Step[Block | None]:
    """Read what follows the opening tag around the calls."""
    return (yield from read_invocations(source, _TAGS))


def write_calls(calls: Sequence[TextCall]) -> str:
    """Write the calls as the encoding renders them; arguments unfit for tags become one object."""
    return "\n".join([_TAGS.opening[0], *map(_written, calls), _TAGS.closing[0]])


def _written(call: TextCall) -> str:
    names = all(ATTRIBUTE.fullmatch(name) and name == name.strip() for name in call.arguments)
    body = (
        "".join(f"{_parameter(name, value)}\n" for name, value in call.arguments.items())
        if names
        else f"{to_json(call.arguments)}\n"
    )
    return f'{_TAGS.invoke}"{call.tool}">\n{body}{_TAGS.invoke_end}'


def _parameter(name: str, value: Any) -> str:
    plain = isinstance(value, str) and _PREFIX not in value
    written = value if plain else to_json(value).replace(_PREFIX, "\\uff5cDSML\\uff5c")
    kind = "true" if plain else "false"
    return f'{_TAGS.parameter}"{name}" string="{kind}">{written}{_TAGS.values.end}'


def write_observation(tool: str, text: str) -> str:
    """Write the observation as the encoding renders it."""
    return f"<function_results>\n<result>{text}</result>\n</function_results>"


FAMILY = Family(
    name=NAME,
    title=f"DeepSeek V3.2, {_TAGS.opening[0]}",
    openers=dict.fromkeys(_TAGS.opening, read_tag),
    closers=(*_TAGS.closing, _TAGS.invoke_end, _TAGS.values.end),
    write_calls=write_calls,
    write_observation=write_observation,
)
