"""Calls as JSON objects: `{"name": ..., "arguments": {...}}` and common variations."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, cast

from sandbox_tui.core.models.tool_formats.json_text import (
    ARGUMENT_KEYS,
    EXTRA_BRACE,
    MISSING_BRACE,
    CallWatch,
    JsonSpan,
    Unreadable,
    as_object,
    read_json,
    read_value,
    same,
)
from sandbox_tui.core.models.tool_formats.source import SPACE, Block, Source, Step, Written

_EXTRA_KEYS = {"id", "type", "index", "call_id", "tool_call_id"}
"""Keys that a call may have in addition to its name."""


def read_calls(source: Source, family: str, *, marked: bool) -> Step[Block | None]:
    """Take one JSON object or list of calls; None if it contains something else."""
    watch = CallWatch(lambda: source.begin_call(family, is_certain=marked))
    span = yield from read_json(source, watch)
    extra = ""
    if not span.missing:
        extra = yield from _take_extra_brace(source)
    block = Block(family=family, marked=marked, open_end=bool(span.missing) and source.ended)
    try:
        value, repairs = read_value(span)
        calls = calls_in(value, source.tools)
    except Unreadable as error:
        if not marked and not _looks_like_call(span, source.tools):
            return None
        block.fault = str(error)
        return block
    if calls is None:
        if not marked:
            return None
        block.fault = 'the JSON object needs "name" and "arguments"'
        return block
    mended = (*repairs, EXTRA_BRACE) if extra else repairs
    block.repaired_end = MISSING_BRACE in mended
    block.calls = [replace(call, repairs=mended) for call in calls]
    return block


def _take_extra_brace(source: Source) -> Step[str]:
    """Take one extra closing brace."""
    if (yield from source.peek()) != "}":
        return ""
    return source.take(1)


def read_arguments(source: Source, family: str, tool: str) -> Step[tuple[Written | None, str]]:
    """Take a JSON object of arguments after a tool's name; returns the call, or what is wrong."""
    partial = source.begin_call(family, tool)
    yield from source.take_run(SPACE)
    span = yield from read_json(source, sink=partial.pieces.append)
    partial.is_complete = not span.missing
    if not span.text:
        return None, "the arguments must be one JSON object"
    try:
        value, repairs = read_value(span)
    except Unreadable as error:
        return None, str(error)
    arguments = as_object(value)
    if arguments is None:
        return None, "the arguments must be one JSON object"
    return Written(tool, arguments, repairs), ""


def calls_in(value: Any, tools: Collection[str]) -> list[Written] | None:
    """Return the calls that a JSON value describes; None if it describes something else.

    Raises:
        Unreadable: the call it describes has no meaning, or more than one.
    """
    if isinstance(value, list):
        found = [calls_in(item, tools) for item in cast(list[object], value)]
        if not found or all(calls is None for calls in found):
            return None
        if any(calls is None for calls in found):
            raise Unreadable("the list contains something other than calls")
        return [call for calls in found for call in calls or []]
    fields = as_object(value)
    if fields is None:
        return None
    for key in ("tool_calls", "tool_call"):
        if set(fields) == {key}:
            return calls_in(fields[key], tools)
    inner = as_object(fields.get("function"))
    if inner is not None and "name" not in fields:
        fields = inner
    return _call_in(fields, tools)


def _call_in(fields: dict[str, Any], tools: Collection[str]) -> list[Written] | None:
    name = fields.get("name")
    argument_keys = [key for key in ARGUMENT_KEYS if key in fields]
    if not isinstance(name, str) or not (argument_keys or name in tools) or _is_definition(fields):
        return None
    if len(argument_keys) > 1 and not same(fields["arguments"], fields["parameters"]):
        raise Unreadable('"arguments" and "parameters" are both present and differ')
    if not argument_keys and set(fields) - {"name"} - _EXTRA_KEYS:
        raise Unreadable('the arguments are not in an object named "arguments"')
    arguments: Any = fields[argument_keys[0]] if argument_keys else {}
    if isinstance(arguments, str) and arguments.strip():
        arguments, _ = read_value(JsonSpan(arguments))
    arguments = {} if arguments is None or arguments == "" else as_object(arguments)
    if arguments is None:
        raise Unreadable("the arguments must be one JSON object")
    return [Written(name, arguments, key=argument_keys[0] if argument_keys else "arguments")]


def _is_definition(fields: dict[str, Any]) -> bool:
    """Return whether this defines a tool instead of calling it."""
    schema = as_object(fields.get("parameters"))
    return "description" in fields or (schema is not None and "properties" in schema)


def _looks_like_call(span: JsonSpan, tools: Collection[str]) -> bool:
    """Return whether invalid JSON was meant as a call."""
    head = span.text[:400]
    named = any(quote in head for quote in ('"name"', "'name'"))
    return named and (
        any(key in span.text for key in ARGUMENT_KEYS) or any(tool in head for tool in tools)
    )
