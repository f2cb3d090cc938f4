"""Calls as `<invoke name="NAME">` elements that contain `<parameter name="NAME">` elements.

Values are not escaped. Some models write all arguments as one JSON object instead of parameters,
which is accepted too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sandbox_tui.core.models.tool_formats.call_objects import read_arguments
from sandbox_tui.core.models.tool_formats.families.base import MAX_NAME_CHARS, SPACES
from sandbox_tui.core.models.tool_formats.json_text import MISSING_BRACE, clean, finite
from sandbox_tui.core.models.tool_formats.problems import STRAY_TAG
from sandbox_tui.core.models.tool_formats.source import Block, PartialCall, Source, Step
from sandbox_tui.core.models.tool_formats.tagged_values import (
    ATTRIBUTE,
    Tags,
    end_call,
    give,
    read_value,
    unread,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InvokeTags:
    """The tags of a format.

    Attributes:
        family: its name.
        prefix: prefix of its tag names.
        wrappers: names of the tag around the calls of a reply.
        kind: the attribute of a parameter that says whether its value is a string (`true`) or JSON
            (`false`); if empty, the tool's schema decides.
    """

    family: str
    prefix: str = ""
    wrappers: tuple[str, ...]
    kind: str = ""

    @property
    def opening(self) -> tuple[str, ...]:
        """The tags that start the calls of a reply."""
        return tuple(f"<{wrapper}>" for wrapper in self.wrappers)

    @property
    def closing(self) -> tuple[str, ...]:
        """The tags that end the calls of a reply."""
        return tuple(f"</{wrapper}>" for wrapper in self.wrappers)

    @property
    def invoke(self) -> str:
        """The start of a call, up to its name."""
        return f"<{self.prefix}invoke name="

    @property
    def invoke_end(self) -> str:
        """The end of a call."""
        return f"</{self.prefix}invoke>"

    @property
    def parameter(self) -> str:
        """The start of a parameter, up to its name."""
        return f"<{self.prefix}parameter name="

    @property
    def values(self) -> Tags:
        """The tags around a value."""
        end = f"</{self.prefix}parameter>"
        inner = (*self.opening, *self.closing, self.invoke, self.invoke_end, self.parameter)
        return Tags(end=end, inner=inner)


def read_invocations(source: Source, tags: InvokeTags) -> Step[Block]:
    """Take the calls after their opening tag, and the closing tag."""
    block = Block(family=tags.family)
    while True:
        yield from source.take_run(SPACES)
        if not (yield from source.take_word(tags.invoke)):
            break
        yield from _read_invocation(source, block, tags)
        if block.fault or block.open_end:
            return block
    if not block.calls:
        block.open_end, block.fault = source.ended, f"no {tags.invoke}...> follows"
    block.closed = bool((yield from source.take_word(*tags.closing)))
    if not block.closed and not block.fault and (yield from source.peek()):
        block.fault = STRAY_TAG
    return block


def _read_invocation(source: Source, block: Block, tags: InvokeTags) -> Step[None]:
    """Take a call after the start of its tag."""
    name = yield from _read_attribute(source)
    if not name or not (yield from source.take_word(">")):
        yield from _broken(source, block, tags.invoke)
        return
    yield from source.take_run(SPACES)
    if (yield from source.begins(("{",))):
        yield from _read_json(source, block, tags, name)
    else:
        yield from _read_parameters(source, block, source.begin_call(tags.family, name), tags)


def _read_json(source: Source, block: Block, tags: InvokeTags, name: str) -> Step[None]:
    """Take a call whose arguments are one JSON object."""
    call, block.fault = yield from read_arguments(source, tags.family, name)
    yield from source.take_run(SPACES)
    closed = yield from source.take_word(tags.invoke_end)
    block.open_end = not closed and not (yield from source.peek())
    if not closed and not block.open_end:
        block.fault = block.fault or STRAY_TAG
    block.repaired_end = call is not None and MISSING_BRACE in call.repairs
    block.calls = [*block.calls, *([call] if call else [])]


def _read_parameters(
    source: Source, block: Block, partial: PartialCall, tags: InvokeTags
) -> Step[None]:
    """Take the parameters up to the end of the call."""
    arguments: dict[str, Any] = {}
    partial.pieces.append("{")
    while True:
        yield from source.take_run(SPACES)
        word = yield from source.take_word(tags.parameter, tags.invoke_end)
        if word != tags.parameter:
            break
        name = yield from _read_attribute(source)
        kind = ""
        if tags.kind and (yield from source.take_word(f" {tags.kind}=")):
            kind = yield from _read_attribute(source)
        if not name or not (yield from source.take_word(">")):
            yield from _broken(source, block, tags.parameter)
            return
        is_text = {"true": True, "false": False}.get(kind)
        value = yield from read_value(source, partial, name, tags.values, is_text=is_text)
        if value is None:
            yield from unread(source, block, tags.values.end)
            return
        give(arguments, name, _of_kind(kind, name, value, block), block)
    if word:
        end_call(block, partial, arguments)
        return
    block.open_end = not (yield from source.peek())
    block.fault = f"{tags.invoke_end} is missing" if block.open_end else STRAY_TAG


def _of_kind(kind: str, name: str, value: str, block: Block) -> Any:
    """Return the value of a parameter whose tag says whether it is a string."""
    if kind == "true":
        return str(value)
    if kind != "false":
        return value
    try:
        return clean(json.loads(value, strict=False, parse_constant=_refuse, parse_float=finite))
    except (ValueError, RecursionError):
        block.fault = f"the value of {name} is marked as JSON but is not valid JSON"
        return value


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _read_attribute(source: Source) -> Step[str]:
    """Take a quoted value; empty if there is none."""
    mark = yield from source.take_word('"', "'")
    value = yield from source.take_limited(ATTRIBUTE, MAX_NAME_CHARS)
    closed = not mark or bool((yield from source.take_word(mark)))
    return value.strip() if closed else ""


def _broken(source: Source, block: Block, tag: str) -> Step[None]:
    block.open_end = not (yield from source.peek())
    block.fault = f"a {tag}...> tag is not closed"
