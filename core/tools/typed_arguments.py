"""Typed access to the arguments of a call.

Values are converted if the result is unambiguous ("5" for 5, "[1, 5]" for [1, 5]). Unknown
parameters are ignored: models add those of other tools (a `timeout`, an `explanation`), and an
error would waste a step. The error for a missing parameter lists the ones that were passed, so that
the model notices a misspelling.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from sandbox_tui.core.base.json_arguments import ArgumentsError


def missing_arguments(arguments: Mapping[str, Any], *names: str, use: str = "") -> ArgumentsError:
    """Return the error to raise for missing arguments; `use` names what requires them."""
    present = ", ".join(str(name)[:40] for name in list(arguments)[:12])
    verb = "is" if len(names) == 1 else "are"
    needed = f"{' and '.join(names)} {verb} required{f' for {use}' if use else ''}"
    return ArgumentsError(f"{needed}. Given: {present or 'nothing'}.")


def int_argument(arguments: Mapping[str, Any], name: str) -> int | None:
    """Return an integer, possibly written as a string; None if it is missing.

    Raises:
        ArgumentsError: it is not an integer.
    """
    value = arguments.get(name)
    return None if value is None or value == "" else _to_int(value, name)


def int_list_argument(arguments: Mapping[str, Any], name: str) -> list[int] | None:
    """Return a list of integers; the list or its items may be written as strings.

    Raises:
        ArgumentsError: it is not such a list.
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
    return [_to_int(item, name) for item in cast(list[object], value)]


def _to_int(value: object, name: str) -> int:
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
