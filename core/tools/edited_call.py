"""Checks a call that the user has changed, before a run is started for it.

The messages are for the person who wrote the arguments; those of `base.json_arguments` and of the
tools are for the model. As in the tools, arguments with other names are ignored, and values that
convert without doubt ("5" for 5) are accepted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.tools.registry import find_tool

_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "string": ((str, int, float), "a text"),
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
    known = find_tool(tool)
    schema: Mapping[str, Any] = {} if known is None else known.schema.get("parameters", {})
    fields = _parsed(arguments, schema)
    problem = _problem(tool, fields, schema)
    if problem:
        raise ConfigError(f"The changed call cannot be used: {problem}.")


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
        where = f"line {cause.lineno}, column {cause.colno}"
        reason = f"it is not valid JSON ({cause.msg}: {where})"
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
        return f"{name} must be {words}"
    return ""


def _names(names: list[str], last: str = "and") -> str:
    quoted = [f'"{name}"' for name in names]
    return f" {last} ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))
