"""Durations and sizes as people write them: `90s`, `1h30m`, `512m`, `2GiB`."""

from __future__ import annotations

import re
from typing import Any

from sandbox_tui.core.base.errors import ConfigError

DURATIONS = frozenset(
    {
        "model.request_timeout",
        "model.stall_timeout",
        "sandbox.grace",
        "limits.time_limit",
        "limits.command_timeout",
    }
)
"""Settings in seconds."""

SIZES = frozenset({"sandbox.memory", "sandbox.snapshots_bytes"})
"""Settings in bytes."""

DURATION_WORDS = "a number of seconds, or such as 90s, 30m or 1h30m"
SIZE_WORDS = "a number of bytes, or such as 512m or 2g"

_NUMBER = r"(\d{1,15}(?:\.\d{1,9})?|\.\d{1,9})"
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(
    rf"{_NUMBER} ?(d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:utes?|s)?)?|s(?:ec(?:onds?|s)?)?) ?"
)
_SIZE = re.compile(rf"{_NUMBER} ?([kmgt])(?:i?b)?")
_BYTES = {unit: 1024**power for power, unit in enumerate("kmgt", 1)}


def seconds_of(text: str) -> float:
    """Return the seconds of a duration; a number without a unit is in seconds.

    Raises:
        ConfigError: the text is no duration.
    """
    left = text.strip().lower()
    if re.fullmatch(_NUMBER, left):
        return float(left)
    total, last = 0.0, float("inf")
    while part := _PART.match(left):
        unit = _SECONDS[part[2][0]]
        if unit >= last:
            break
        total, last, left = total + float(part[1]) * unit, unit, left[part.end() :]
    if left or last == float("inf"):
        raise ConfigError(f"{text!r} is not {DURATION_WORDS}.")
    return total


def duration_text(seconds: float) -> str:
    """Return a duration as people write it, such as 1h30m; `seconds_of` returns the same
    seconds."""
    if seconds != int(seconds) or seconds <= 0:
        return f"{seconds:g}"
    left, parts = int(seconds), list[str]()
    for unit, length in reversed(_SECONDS.items()):
        count, left = divmod(left, int(length))
        parts += [f"{count}{unit}"] if count else []
    return "".join(parts)


def bytes_of(text: str) -> int:
    """Return the bytes of a size; k, m, g and t are powers of 1024, as in Docker's options.

    Raises:
        ConfigError: the text is no size.
    """
    size = _SIZE.fullmatch(text.strip().lower())
    if size is None:
        raise ConfigError(f"{text!r} is not {SIZE_WORDS}.")
    return round(float(size[1]) * _BYTES[size[2]])


def size_text(size: int) -> str:
    """Return a size as people write it, such as 4g, in the largest unit that divides it; `bytes_of`
    returns the same bytes. One below 1 KiB, or between two of them, stays a number of bytes."""
    for unit, length in reversed(_BYTES.items()):
        if size > 0 and size % length == 0:
            return f"{size // length}{unit}"
    return str(size)


def quantity_text(name: str, value: Any) -> Any:
    """Return the value of a setting that is a duration or a size as people write it; any other
    value, and that of another setting, as it is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if name in DURATIONS:
        return duration_text(value)
    return size_text(int(value)) if name in SIZES else value


def as_typed(name: str, text: str, value: Any) -> Any:
    """Return the value of a setting for the config file: a duration or a size as it was typed.

    Args:
        name: dotted name of the setting.
        text: what was typed.
        value: what it means (`value_from_text`).
    """
    if name not in DURATIONS | SIZES:
        return value
    if any(kind.match(text.strip().lower()) for kind in (_PART, _SIZE)):
        return text.strip()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def words_for(name: str) -> str:
    """Return which values a setting takes that is a duration or a size; empty for others."""
    return DURATION_WORDS if name in DURATIONS else SIZE_WORDS if name in SIZES else ""
