"""Checks a call that the user has changed, before a run is started for it.

The messages are for the person who wrote the arguments; those of `base.json_arguments` and of the
tools are for the model. As in the tools, arguments with other names are ignored, and numbers that
are written as text ("5" for 5) are accepted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.config.typed_json import mistake_in_json
from sandbox_tui.core.tools.registry import find_tool
from sandbox_tui.core.tools.typed_arguments import int_argument, int_list_argument

MAX_SHOWN = 40
"""Maximum length of a wrong value in a message."""

_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "text"),
    "integer": ((int, float, str), "a whole number"),
    "number": ((int, float, str), "a number"),
    "boolean": ((bool, str), "true or false"),
    "array": ((list, str), "a list"),
    "object": ((dict, str), "an object"),
}
"""For each type of JSON schema, the types of values that a tool may accept, and its name."""


def check_changed_call(tool: str, arguments: str) -> None:
    """Check the arguments of a changed call against its tool's schema.

    Args:
        tool: the tool's name; for an unknown one only the JSON is checked.
        arguments: JSON text.

    Raises:
        ConfigError: they cannot be used; the message says why, and how they should look.
    """
    if problem := problem_with_call(tool, arguments):
        raise ConfigError(f"The changed call cannot be used: {problem}.")


def problem_with_call(tool: str, arguments: str) -> str:
    """Return why the arguments of a changed call do not suit its tool; empty if they do. The
    arguments are those of `check_changed_call`.

    Raises:
        ConfigError: they are no JSON object.
    """
    known = find_tool(tool)
    schema: Mapping[str, Any] = {} if known is None else known.schema.get("parameters", {})
    return _problem(tool, _parsed(arguments, schema), schema)


def check_json(arguments: str) -> None:
    """Check the arguments of a changed call before it is known which call they are for.

    Raises:
        ConfigError: they are no JSON object.
    """
    _parsed(arguments, {})


def _parsed(arguments: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return parse_arguments(arguments)
    except ArgumentsError as error:
        cause = error.__cause__
    if isinstance(cause, json.JSONDecodeError):
        reason = f"it is not valid JSON ({mistake_in_json(cause)})"
    else:
        reason = "it is not one JSON object"
    raise ConfigError(f"The changed call cannot be used: {reason}. Write {_example(schema)}.")


def _example(schema: Mapping[str, Any]) -> str:
    """Return an object with the required arguments, as a pattern."""
    names = cast("list[str]", schema.get("required", [])) or ["NAME"]
    return "{" + ", ".join(f'"{name}": "…"' for name in names) + "}"


def _problem(tool: str, fields: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return what is wrong with the arguments; empty if nothing is."""
    properties = cast("dict[str, Mapping[str, Any]]", schema.get("properties", {}))
    required = cast("list[str]", schema.get("required", []))
    missing = [name for name in required if fields.get(name) is None]
    if missing:
        others = [name for name in fields if name not in properties]
        given = f"; it has no argument {_names(others)}" if others else ""
        return f"{tool} needs {_names(missing)}{given}"
    wrong = (_wrong_value(name, value, properties.get(name)) for name, value in fields.items())
    return next(filter(None, wrong), "")


def _wrong_value(name: str, value: object, schema: Mapping[str, Any] | None) -> str:
    if schema is None or value is None:
        return ""
    values = schema.get("enum")
    if isinstance(values, list) and value not in values:
        return (
            f"{name} must be {_names([str(each) for each in cast('list[object]', values)], 'or')}"
        )
    accepted, words = _TYPES.get(str(schema.get("type")), ((object,), ""))
    is_misplaced_bool = isinstance(value, bool) and bool not in accepted
    if words and (is_misplaced_bool or not isinstance(value, accepted)):
        return f"{name} must be {words}, not {_shown(value)}"
    if not _are_whole_numbers(name, value, schema):
        words = "a list of whole numbers" if schema["type"] == "array" else words
        return f"{name} must be {words}, not {_shown(value)}"
    return ""


def _are_whole_numbers(name: str, value: object, schema: Mapping[str, Any]) -> bool:
    """Return whether a value can be read as the whole numbers that it must hold, if it must."""
    items = cast("Mapping[str, Any]", schema.get("items") or {})
    try:
        if schema.get("type") == "integer":
            int_argument({name: value}, name)
        elif schema.get("type") == "array" and items.get("type") == "integer":
            int_list_argument({name: value}, name)
    except ArgumentsError:
        return False
    return True


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def _names(names: list[str], last: str = "and") -> str:
    quoted = [f'"{name}"' for name in names]
    return f" {last} ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))
