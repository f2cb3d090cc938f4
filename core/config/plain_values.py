"""Settings as people write them (`1h30m`, `2g`, `127.0.0.1:8000/v1`) in the form in which they are
stored: seconds, bytes, an address with its scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.quantities import DURATIONS, SIZES, bytes_of, seconds_of
from sandbox_tui.core.config.valid_values import with_scheme


def plain_value(name: str, value: Any) -> Any:
    """Return a setting's value as it is stored; a value in another form, or none, is returned as it
    is.

    Args:
        name: dotted name of the setting.
        value: as it was typed or read.
    """
    if not isinstance(value, str):
        return value
    try:
        if name in DURATIONS:
            return seconds_of(value)
        if name in SIZES:
            return bytes_of(value)
    except ConfigError:
        return value  # its type says what is wrong
    return with_scheme(value) if name == "model.base_url" else value


def with_plain_values(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a config file with each value as it is stored."""
    found: dict[str, Any] = {}
    for section, table in tables.items():
        if isinstance(table, dict):
            values = cast(dict[str, Any], table)
            found[section] = {
                key: plain_value(f"{section}.{key}", value) for key, value in values.items()
            }
        else:
            found[section] = table
    return found


def in_file(value: Any) -> Any:
    """Return a setting's value as TOML and JSON can hold it: rules as tables, without the fields
    that have their defaults."""
    if isinstance(value, msgspec.Struct):
        return {
            field.name: in_file(getattr(value, field.name))
            for field in msgspec.structs.fields(value)
            if getattr(value, field.name) != field.default
        }
    if isinstance(value, list | tuple):
        return [in_file(item) for item in cast(list[Any], value)]
    return value
