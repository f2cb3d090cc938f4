"""Describes errors in a suite file in terms of the file's own keys."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from typing import Annotated, Any, Union, cast, get_args, get_origin

import msgspec

from sandbox_tui.core.config.expected_values import describe_type, describe_unknown_key

_PLACE = re.compile(r" - at `(?:key in )?\$([^`]*)`$")
_UNKNOWN = re.compile(r"unknown field `(.*)`")
_MISSING = re.compile(r"missing required field `(.*)`")


def described(
    error: msgspec.ValidationError, root: type[msgspec.Struct], tables: Mapping[str, Any]
) -> str:
    """Return a sentence that names the key.

    Args:
        error: from converting `tables` to `root`.
        root: type of the whole file.
        tables: contents of the file.
    """
    place = _PLACE.search(str(error))
    path = place[1].removeprefix(".") if place else ""
    names = [name for name in re.split(r"\.|\[[^]]*\]", path) if name]
    kind = _type_at(root, names)
    words = _PLACE.sub("", str(error))
    if unknown := _UNKNOWN.search(words):
        known: list[str] = list(kind.__struct_fields__)
        return describe_unknown_key(".".join([*names, unknown[1]]), known)
    if missing := _MISSING.search(words):
        return f"{'.'.join([*names, missing[1]])} is missing."
    if kind is None or "[" in path or "[..." in words:
        return f"{path or 'the file'}: {words}."
    return f"{path} must be {_expected(kind, words)}, not {_value_at(tables, names)!r}."


def _type_at(root: Any, names: list[str]) -> Any:
    """Return the type of the field at a path of names; None if there is no such field."""
    kind = root
    for name in names:
        if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
            return None
        kind = next((f.type for f in msgspec.structs.fields(kind) if f.name == name), None)
    return kind


def _expected(kind: Any, words: str) -> str:
    if minimum := re.search(r">= (\d+)", words):
        return f"at least {minimum[1]}"
    return describe_type(_without_bounds(kind))


def _without_bounds(kind: Any) -> Any:
    if get_origin(kind) is Annotated:
        return get_args(kind)[0]
    if get_origin(kind) in (Union, types.UnionType):
        first, *others = (_without_bounds(one) for one in get_args(kind))
        for other in others:
            first = first | other
        return first
    return kind


def _value_at(tables: Mapping[str, Any], names: list[str]) -> Any:
    value: Any = tables
    for name in names:
        value = cast(Mapping[str, Any], value).get(name) if isinstance(value, Mapping) else None
    return value
