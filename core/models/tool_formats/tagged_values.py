"""Arguments between tags, as plain text without escapes.

A value that contains one of the format's own tags is ambiguous, so it is rejected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandbox_tui.core.models.tool_formats.problems import STRAY_TAG
from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.schema import takes_text
from sandbox_tui.core.models.tool_formats.source import (
    Block,
    PartialCall,
    Source,
    Step,
    Verbatim,
    Written,
)

MISSING_TAGS = "missing closing tags were added"
TAG_NAME = re.compile(r"[^<>\n]+")
ATTRIBUTE = re.compile(r"[^<>\"'\n]+")
_TEXT = re.compile(r"[^<\n]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """The tags around a value.

    Attributes:
        end: the closing tag.
        inner: the format's other tags, which no value may contain.
        on_lines: whether one line break after the opening tag and one before the closing one are
            not part of the value.
    """

    end: str
    inner: tuple[str, ...]
    on_lines: bool = False

    @property
    def ends(self) -> tuple[str, ...]:
        """The strings that can end a value."""
        return (f"\n{self.end}", self.end) if self.on_lines else (self.end,)


def read_value(
    source: Source, partial: PartialCall, name: str, tags: Tags, *, is_text: bool | None = None
) -> Step[Verbatim | None]:
    """Take the value of a parameter after its opening tag, and its closing tag.

    Args:
        source: the reply.
        partial: the call, which shows the value as it arrives.
        name: the parameter's name.
        tags: the tags around the value.
        is_text: whether the value is a string instead of JSON; if None, the tool's schema decides.

    Returns:
        The value; None if it has no end, or contains a tag.
    """
    text = takes_text(source.tools.get(partial.tool, {}), name) if is_text is None else is_text
    pieces: list[str] = []

    def took(piece: str) -> None:
        pieces.append(piece)
        partial.pieces.append(json.dumps(piece, ensure_ascii=False)[1:-1] if text else piece)

    mark = '"' if text else ""
    first = partial.pieces == ["{"]
    partial.pieces.append(f"{'' if first else ', '}{json.dumps(name)}: {mark}")
    ended = (yield from source.take_word(*tags.ends, "\n")) if tags.on_lines else ""
    while ended in ("", "\n"):
        yield from source.take_run(_TEXT, took)
        ended = yield from source.begins((*tags.ends, *tags.inner))
        if ended in tags.ends:
            source.take(len(ended))
        elif ended or not (yield from source.peek()):
            return None
        else:
            took(source.take(1))
    partial.pieces.append(mark)
    return Verbatim("".join(pieces))


def unread(source: Source, block: Block, closing: str) -> Step[None]:
    """Record in a block why a value could not be taken."""
    block.open_end = not (yield from source.peek())
    block.fault = f"a value has no closing {closing}" if block.open_end else STRAY_TAG


def give(arguments: dict[str, Any], name: str, value: Any, block: Block) -> None:
    """Add a parameter; a different value under the same name is a fault."""
    if name in arguments and arguments[name] != value:
        block.fault = f"the parameter {name} appears twice, with different values"
    arguments[name] = value


def end_call(
    block: Block, partial: PartialCall, arguments: Mapping[str, Any], *repairs: str
) -> None:
    """End a call."""
    partial.pieces.append("}")
    partial.is_complete = not block.open_end
    block.calls = [*block.calls, Written(partial.tool, dict(arguments), repairs)]


def are_plain(calls: Sequence[TextCall], tags: Tags) -> bool:
    """Return whether all values are strings that cannot be confused with the tags around them."""
    return all(
        isinstance(value, str)
        and not any(tag in value for tag in (tags.end, *tags.inner))
        and TAG_NAME.fullmatch(name)
        and name == name.strip().strip("\"'")
        for call in calls
        for name, value in call.arguments.items()
    )
