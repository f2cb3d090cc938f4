"""What a family of formats is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sandbox_tui.core.models.tool_formats.reading import TextCall
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
        name: as it is recorded, and named in settings.
        title: as people and models read it.
        openers: the words that begin its calls, and what reads on behind each.
        closers: the marks that end its calls; one that stands alone makes it doubtful where a
            call ended.
        write_calls: the calls of one reply as the model would have written them; reading them
            gives the same calls again.
        write_observation: what a tool (its name, its text) answered, as the content of a message
            with the role `user`: templates without a tool role take it too.
    """

    name: str
    title: str
    openers: Mapping[str, Opener] = field(default_factory=dict[str, Opener])
    closers: tuple[str, ...] = ()
    write_calls: WriteCalls
    write_observation: WriteObservation


def to_json(value: Any) -> str:
    """JSON text as the models' templates write it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def call_object(call: TextCall, key: str = "arguments") -> str:
    """A call as a JSON object."""
    return to_json({"name": call.tool, key: call.arguments})


def write_json_calls(calls: Sequence[TextCall]) -> str:
    """Calls as JSON, each between `<tool_call>` tags of its own: Hermes' format, which models of
    later families know as well."""
    return "\n".join(f"<tool_call>\n{call_object(call)}\n</tool_call>" for call in calls)


def write_tool_response(_tool: str, text: str) -> str:
    """An observation between `<tool_response>` tags, as Hermes' and later templates have it."""
    return f"<tool_response>\n{text}\n</tool_response>"
