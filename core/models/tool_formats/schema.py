"""Fits a call's arguments to the JSON schema of its tool.

Only `properties`, `required`, `type`, `enum` and the type of `items` are used; the rest of the
schema is left to the tool. A value of another type is converted if the result is unambiguous.
Unknown parameters are kept: models add those of tools they know, and our tools ignore them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from sandbox_tui.core.models.tool_formats.json_text import clean, finite, same
from sandbox_tui.core.models.tool_formats.source import Verbatim

_KINDS: dict[str, str] = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


class Unfit(ValueError):
    """Arguments that a tool cannot accept; the message is for the model."""


def fit(
    arguments: Mapping[str, Any], schema: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Convert the arguments to the schema's types; also returns what was converted.

    Raises:
        Unfit: one is missing or cannot be converted.
    """
    properties = _mapping(schema.get("properties"))
    fitted: dict[str, Any] = {}
    repairs: list[str] = []
    for name, value in arguments.items():
        fitted[name] = _fitted(name, value, _mapping(properties.get(name)), repairs)
    missing = [
        str(name)
        for name in cast(list[object], schema.get("required") or [])
        if fitted.get(str(name)) is None
    ]
    if missing:
        present = ", ".join(str(name)[:40] for name in list(fitted)[:12]) or "nothing"
        verb = "is" if len(missing) == 1 else "are"
        raise Unfit(f"{' and '.join(missing)} {verb} missing (given: {present})")
    return fitted, repairs


def _fitted(name: str, value: Any, field: Mapping[str, Any], repairs: list[str]) -> Any:
    kinds = _kinds(field)
    converted = _typed(name, value, kinds, repairs)
    allowed = field.get("enum")
    if isinstance(allowed, list) and converted is not None:
        choices = cast(list[object], allowed)
        if not any(same(converted, choice) for choice in choices):
            shown = ", ".join(str(choice) for choice in choices[:12])
            raise Unfit(f"{name} must be one of {shown}, not {_shown(converted)}")
    items = _kinds(_mapping(field.get("items")))
    if isinstance(converted, list) and items:
        return [_typed(f"{name}[]", item, items, repairs) for item in cast(list[object], converted)]
    return cast(object, converted)


def _typed(name: str, value: Any, kinds: tuple[str, ...], repairs: list[str]) -> Any:
    """Convert the value to one of these types; unchanged if there are none."""
    if isinstance(value, Verbatim):
        text = str(value)
        if not kinds or "string" in kinds:
            return text
        return _converted(name, text, kinds)
    if not kinds or value is None or any(_IS[kind](value) for kind in kinds):
        return value
    if kinds == ("string",) and _IS["integer"](value):
        repairs.append(f"{name} {value} was read as a string")
        return str(value)
    if not isinstance(value, str) and not (isinstance(value, float) and value.is_integer()):
        raise _unfit(name, value, kinds)
    converted = _converted(name, value, kinds)
    repairs.append(f"{name} {_shown(value)} was read as {_KINDS[kinds[0]]}")
    return converted


def _converted(name: str, value: str | float, kinds: tuple[str, ...]) -> Any:
    """Convert a text, or an integer written as a float, to one of these types."""
    if isinstance(value, float):
        if "integer" in kinds:
            return int(value)
        raise _unfit(name, value, kinds)
    text = str(value).strip()
    if text in ("True", "False", "None"):
        text = {"True": "true", "False": "false", "None": "null"}[text]
    try:
        converted = clean(
            json.loads(text, strict=False, parse_constant=_refuse, parse_float=finite)
        )
    except (ValueError, RecursionError):
        raise _unfit(name, value, kinds) from None
    if converted is None or any(_IS[kind](converted) for kind in kinds):
        return converted
    if isinstance(converted, float) and converted.is_integer() and "integer" in kinds:
        return int(converted)
    raise _unfit(name, value, kinds)


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _unfit(name: str, value: object, kinds: tuple[str, ...]) -> Unfit:
    expected = " or ".join(_KINDS[kind] for kind in kinds)
    return Unfit(f"{name} must be {expected}, not {_shown(value)}")


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _kinds(field: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types of a field; empty for any, or for a schema that is left to the tool."""
    named = field.get("type")
    names = cast(list[object], named) if isinstance(named, list) else [named]
    return tuple(str(name) for name in names) if all(name in _KINDS for name in names) else ()


def _mapping(value: object) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}


def takes_text(schema: Mapping[str, Any], name: str) -> bool:
    """Return whether plain text is itself a valid value of this parameter."""
    kinds = _kinds(_mapping(_mapping(schema.get("properties")).get(name)))
    return not kinds or "string" in kinds


_IS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}
