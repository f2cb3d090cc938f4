"""The definition of a family, a format for calls and observations as text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.source import Opener

SPACES = re.compile(r"\s+")
TOOL_NAME = re.compile(r"[A-Za-z0-9_.\-]+")
MAX_NAME_CHARS = 200

WriteCalls = Callable[[Sequence[TextCall]], str]
WriteObservation = Callable[[str, str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A format.

    Attributes:
        name: as recorded, and as used in settings.
        title: display name for users and models.
        openers: the words that start its calls, and the reader for what follows each.
        closers: the marks that end its calls; a stray one makes it unclear where a call ended.
        write_calls: writes the calls of one reply as the model would have; reading them gives the
            same calls again.
        write_observation: writes a tool's answer (its name, its text) as the content of a message
            with the role `user`, which templates without a tool role accept too.
    """

    name: str
    title: str
    openers: Mapping[str, Opener] = field(default_factory=dict[str, Opener])
    closers: tuple[str, ...] = ()
    write_calls: WriteCalls
    write_observation: WriteObservation


def to_json(value: Any) -> str:
    """JSON text in the style of the models' templates."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def call_object(call: TextCall, key: str = "arguments") -> str:
    """Convert a call to a JSON object."""
    return to_json({"name": call.tool, key: call.arguments})


def write_json_calls(calls: Sequence[TextCall]) -> str:
    """Write the calls as JSON, each in its own `<tool_call>` tags: Hermes' format, which later
    model families know as well."""
    return "\n".join(f"<tool_call>\n{call_object(call)}\n</tool_call>" for call in calls)


def write_tool_response(_tool: str, text: str) -> str:
    """Write an observation in `<tool_response>` tags, as in Hermes' and later templates."""
    return f"<tool_response>\n{text}\n</tool_response>"
