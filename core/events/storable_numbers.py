"""Checks numbers in events: every number written must be readable again.

JSON cannot represent infinite numbers or NaN and writes null; a SQLite column holds integers of 64
bits.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple, cast, get_args

import msgspec

MAX_INT = (1 << 63) - 1


class _Numbers(NamedTuple):
    """The fields of a class that are numbers, or that contain structs with numbers.

    Attributes:
        floats: name, and whether the field has no default.
        ints: names.
        parts: name, and class of the contained structs, single or in a tuple.
    """

    floats: dict[str, bool]
    ints: tuple[str, ...]
    parts: dict[str, type[msgspec.Struct]]


@functools.cache
def _numbers(kind: type[msgspec.Struct]) -> _Numbers:
    fields = msgspec.structs.fields(kind)
    parts: dict[str, type[msgspec.Struct]] = {}
    for field in fields:
        for inner in (field.type, *get_args(field.type)):
            if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                parts[field.name] = inner
    return _Numbers(
        floats={field.name: field.required for field in fields if field.type is float},
        ints=tuple(field.name for field in fields if field.type is int),
        parts=parts,
    )


def unreadable(value: msgspec.Struct) -> str:
    """Describe a number in an event that could not be read back; empty if all can."""
    numbers = _numbers(type(value))
    for name in numbers.floats:
        if not math.isfinite(getattr(value, name)):
            return f"{type(value).__name__}.{name} is {getattr(value, name)}"
    for name in numbers.ints:
        if not -MAX_INT <= getattr(value, name) <= MAX_INT:
            return f"{type(value).__name__}.{name} has more than 64 bits"
    for name in numbers.parts:
        found = getattr(value, name)
        for part in cast(tuple[Any, ...], found) if isinstance(found, tuple) else (found,):
            if part is not None and (words := unreadable(part)):
                return words
    return ""


def with_numbers(fields: dict[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the decoded fields of such a class, with null replaced wherever a number is required.

    Earlier versions wrote null for an infinite number. It becomes the field's default, or 0.
    """
    numbers = _numbers(kind)
    done = dict(fields)
    for name, required in numbers.floats.items():
        if name in done and done[name] is None:
            if required:
                done[name] = 0.0
            else:
                del done[name]
    for name, part in numbers.parts.items():
        held = done.get(name)
        if isinstance(held, dict):
            done[name] = with_numbers(cast(dict[str, Any], held), part)
        elif isinstance(held, list):
            done[name] = [
                with_numbers(cast(dict[str, Any], one), part) if isinstance(one, dict) else one
                for one in cast(list[Any], held)
            ]
    return done
