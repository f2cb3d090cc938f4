"""Parses JSON written by a model, which may be invalid or huge."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

MAX_JSON_VALUES = 500_000
"""Maximum number of values in one JSON text: a value of two bytes takes far more memory once it is
parsed, and parsing blocks the event loop."""

_STRING = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"?', re.DOTALL)

_JSON_NAMES: dict[type, str] = {
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


class ArgumentsError(ValueError):
    """Arguments that cannot be used; the message is for the model."""


def parse_arguments(raw: str) -> dict[str, Any]:
    """Parse a call's arguments; empty text means no arguments.

    An object that was encoded twice (a JSON string that contains an object) is unwrapped.

    Raises:
        ArgumentsError: the text is not a JSON object.
    """
    if not raw.strip():
        return {}
    if has_too_many_values(raw):
        raise ArgumentsError("the arguments hold too many values to be read.")
    try:
        value: object = json.loads(raw, strict=False)
    except (ValueError, RecursionError) as error:
        raise ArgumentsError(
            f"the arguments are not valid JSON ({error}). Send the call again with one JSON object."
        ) from error
    if isinstance(value, str):
        value = _unwrapped(value)
    if not isinstance(value, dict):
        kind = _JSON_NAMES.get(type(value), "something else")
        raise ArgumentsError(f"the arguments must be one JSON object, not {kind}.")
    return cast(dict[str, Any], value)


def text_argument(arguments: Mapping[str, Any], name: str) -> str | None:
    """Return a text argument, or None if it is missing; a number becomes its digits.

    Raises:
        ArgumentsError: it is neither text nor a number.
    """
    value = arguments.get(name)
    if value is None or isinstance(value, str):
        return None if value is None else without_surrogates(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentsError(f"{name} must be a string.")
    return str(value)


def has_too_many_values(text: str) -> bool:
    """Return whether parsing would make more than `MAX_JSON_VALUES` objects.

    Brackets and commas inside strings do not count.
    """
    if _count_values(text) <= MAX_JSON_VALUES:
        return False
    count = at = 0
    for string in _STRING.finditer(text):
        count += 1 + _count_values(text[at : string.start()])
        at = string.end()
        if count > MAX_JSON_VALUES:
            return True
    return count + _count_values(text[at:]) > MAX_JSON_VALUES


def without_surrogates(value: str) -> str:
    """Replace each lone surrogate, which cannot be encoded as UTF-8, with U+FFFD."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _count_values(text: str) -> int:
    """Return an upper bound on the number of values, ignoring strings."""
    return text.count("[") + text.count("{") + text.count(",")


def _unwrapped(text: str) -> object:
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text  # pyright: ignore[reportUnknownVariableType]
