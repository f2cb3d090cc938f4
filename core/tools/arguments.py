"""The arguments of a call: JSON a model wrote, which may be anything.

Values are coerced where only one meaning is possible ("5" for 5, "[1, 5]" for [1, 5]). Parameters
a tool does not have are ignored: models carry habits over from other tools (a `timeout`, an
`explanation`), and refusing the call would cost a turn for nothing. A missing parameter is refused,
and the error then names those that were given, so that a misspelt one is seen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast


class ArgumentsError(ValueError):
    """Arguments that cannot be used; the message is for the model."""


_JSON_NAMES: dict[type, str] = {
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def parse_arguments(raw: str) -> dict[str, Any]:
    """The arguments as a dict; an empty text means none.

    Raises:
        ArgumentsError: it is not a JSON object.
    """
    if not raw.strip():
        return {}
    try:
        value: object = json.loads(raw, strict=False)
    except (ValueError, RecursionError) as error:
        raise ArgumentsError(
            f"the arguments are not valid JSON ({error}). Send the call again with one JSON object."
        ) from error
    if isinstance(value, str):  # an object that was written as text once more
        value = _object_in(value)
    if not isinstance(value, dict):
        kind = _JSON_NAMES.get(type(value), "something else")
        raise ArgumentsError(f"the arguments must be one JSON object, not {kind}.")
    return cast(dict[str, Any], value)


def missing(arguments: Mapping[str, Any], *names: str, use: str = "") -> ArgumentsError:
    """The error to raise for arguments that are not there; `use` is what they are required for."""
    given = ", ".join(str(name)[:40] for name in list(arguments)[:12])
    verb = "is" if len(names) == 1 else "are"
    needed = f"{' and '.join(names)} {verb} required{f' for {use}' if use else ''}"
    return ArgumentsError(f"{needed}. Given: {given or 'nothing'}.")


def text(arguments: Mapping[str, Any], name: str) -> str | None:
    """A text argument, None where it is missing; a number is taken as its digits.

    Raises:
        ArgumentsError: it is something else.
    """
    value = arguments.get(name)
    if value is None or isinstance(value, str):
        return None if value is None else without_surrogates(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentsError(f"{name} must be a string.")
    return str(value)


def whole_number(arguments: Mapping[str, Any], name: str) -> int | None:
    """A whole number, also where it was written as a string.

    Raises:
        ArgumentsError: it is none.
    """
    value = arguments.get(name)
    return None if value is None or value == "" else _whole(value, name)


def whole_numbers(arguments: Mapping[str, Any], name: str) -> list[int] | None:
    """A list of whole numbers, also where it, or they, were written as strings.

    Raises:
        ArgumentsError: it is none.
    """
    value: object = arguments.get(name)
    if value is None or value == "" or value == []:
        return None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = value.replace(",", " ").split()
    if not isinstance(value, list):
        raise ArgumentsError(f"{name} must be a list of whole numbers, such as [1, 40].")
    return [_whole(item, name) for item in cast(list[object], value)]


def without_surrogates(value: str) -> str:
    """The text with each lone surrogate, which no file can hold, as U+FFFD."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _object_in(text: str) -> object:
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text  # pyright: ignore[reportUnknownVariableType]


def _whole(value: object, name: str) -> int:
    try:
        if isinstance(value, bool):
            raise ValueError
        if isinstance(value, str):
            return int(value.strip())
        if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
            return int(value)
        raise ValueError
    except ValueError:
        shown = repr(value)
        shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
        raise ArgumentsError(f"{name} must be a whole number, not {shown}.") from None
