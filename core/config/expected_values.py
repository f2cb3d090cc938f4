"""Describes the values a setting accepts, for error messages."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, cast, get_args, get_origin

import msgspec

_WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text",
}
_PLACE = re.compile(r"`\$\.(\w+)\.(\w+)((?:\[\.\.\.\]|\[\d+\])*)`$")


def describe_type(kind: Any) -> str:
    """Describes a type's values: `a whole number`, `one of auto, docker or bubblewrap`."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        words = [describe_type(one) for one in get_args(kind) if one is not type(None)]
        return ", or ".join([*words, "none"] if type(None) in get_args(kind) else words)
    if origin is Literal:
        *most, last = (str(one) for one in get_args(kind))
        return f"one of {', '.join(most)} or {last}" if most else last
    if origin is tuple:
        return f"a list; each item must be {describe_type(get_args(kind)[0])}"
    if origin is dict:
        return "a table, such as {top_k = 20}"
    return _WORDS.get(kind, "something else")


def describe_error(message: str, sections: Mapping[str, Any], tables: Mapping[str, Any]) -> str:
    """Rephrase a msgspec validation error if it is about the value of one field.

    Args:
        message: msgspec's message, which names the place at its end.
        sections: the types of the tables.
        tables: what was read.
    """
    place = _PLACE.search(message)
    if place is None or place[1] not in sections:
        return message
    fields = {field.name: field.type for field in msgspec.structs.fields(sections[place[1]])}
    given = cast(Mapping[str, Any], tables.get(place[1], {})).get(place[2])
    if place[2] not in fields:
        return message
    return f"{place[1]}.{place[2]} must be {describe_type(fields[place[2]])}, not {given!r}"
