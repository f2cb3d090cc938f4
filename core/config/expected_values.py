"""Describes the values a setting accepts, for error messages."""

from __future__ import annotations

import difflib
import json
import re
import types
from collections.abc import Collection, Mapping
from typing import Any, Literal, Union, cast, get_args, get_origin

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config import quantities
from sandbox_tui.core.config.typed_json import mistake_in_json
from sandbox_tui.core.policy.rules import Rule

_WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text",
}
_PLACE = re.compile(r"`\$\.(\w+)\.(\w+)((?:\[\.\.\.\]|\[\d+\])*)`$")


def describe_type(kind: Any) -> str:
    """Describe a type's values: `a whole number`, `one of auto, docker or bubblewrap`."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        words = [describe_type(one) for one in get_args(kind) if one is not type(None)]
        return ", or ".join([*words, "none"] if type(None) in get_args(kind) else words)
    if origin is Literal:
        *most, last = (str(one) for one in get_args(kind))
        return f"one of {', '.join(most)} or {last}" if most else last
    if origin is tuple and get_args(kind)[0] is Rule:
        return 'a list of rules, such as [{action = "deny", command = "rm *"}]'
    if origin is tuple:
        return f"a list; each item must be {describe_type(get_args(kind)[0])}"
    if origin is dict:
        return 'a table, such as {top_k = 20} or {"top_k": 20}'
    return _WORDS.get(kind, "something else")


def describe_error(message: str, sections: Mapping[str, Any], tables: Mapping[str, Any]) -> str:
    """Return a msgspec validation error as a sentence, rephrased if it is about one field's value.

    Args:
        message: msgspec's message, which names the place at its end.
        sections: the types of the tables.
        tables: what was read.
    """
    place = _PLACE.search(message)
    if place is None or place[1] not in sections:
        return f"{message}."
    fields = {field.name: field.type for field in msgspec.structs.fields(sections[place[1]])}
    value = cast(Mapping[str, Any], tables.get(place[1], {})).get(place[2])
    if place[2] not in fields:
        return f"{message}."
    return describe_wrong_value(f"{place[1]}.{place[2]}", fields[place[2]], value)


def describe_wrong_value(path: str, kind: Any, value: Any) -> str:
    """Say which values a key accepts, and suggest the closest one.

    Args:
        path: of the key, with dots.
        kind: the type of its values.
        value: what was given instead.
    """
    words = [str(one) for one in get_args(kind)] if get_origin(kind) is Literal else []
    close = difflib.get_close_matches(str(value), words, 1)
    hint = f" Did you mean {close[0]!r}?" if close else _mistake_in_table(kind, value)
    return f"{path} must be {_values_of(path, kind)}, not {value!r}.{hint}"


def _mistake_in_table(kind: Any, value: Any) -> str:
    """Return what is wrong with a text that was meant as a table; empty for another one."""
    if get_origin(kind) is not dict or not str(value).startswith("{"):
        return ""
    try:
        json.loads(str(value))
    except json.JSONDecodeError as error:
        return f" As JSON: {mistake_in_json(error)}."
    except RecursionError:
        return " It is nested too deeply."
    return ""


def _values_of(path: str, kind: Any) -> str:
    quantity = quantities.words_for(path)
    if not quantity:
        return describe_type(kind)
    return f"{quantity}, or none" if type(None) in get_args(kind) else quantity


def refuse_unknown_keys(
    source: str, tables: Mapping[str, Any], path: str, kind: type[msgspec.Struct]
) -> None:
    """Reject keys of a table that its type does not know. The type ignores them, because it also
    reads records of later versions; in a file that a user wrote they are typos.

    Args:
        source: where the tables are from, for the message.
        tables: the whole content.
        path: of the table, with dots.
        kind: its type.

    Raises:
        ConfigError: the table has an unknown key.
    """
    table: Any = tables
    for name in path.split("."):
        table = cast(Mapping[str, Any], table).get(name) if isinstance(table, Mapping) else None
    for key in cast(Mapping[str, Any], table) if isinstance(table, Mapping) else ():
        if key not in kind.__struct_fields__:
            wrong = describe_unknown_key(f"{path}.{key}", kind.__struct_fields__)
            raise ConfigError(f"{source}: {wrong}")


def describe_unknown_key(path: str, known: Collection[str]) -> str:
    """Say that a key is unknown, and suggest the closest known key, or list them all.

    Args:
        path: of the key, with dots.
        known: the keys of its table.
    """
    close = difflib.get_close_matches(path.rpartition(".")[2], known, 1)
    hint = f"Did you mean {close[0]!r}?" if close else f"Known keys: {', '.join(known)}."
    return f"{path} is not a known key. {hint}"
