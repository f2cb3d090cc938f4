"""How a cell looks, and what SGR sequences do to it (ECMA-48 8.3.117, xterm ctlseqs)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import pyte.graphics


class Attributes(NamedTuple):
    """The look of a cell. Colours are `default`, a name as pyte has them (`red`, `brightred`,
    where yellow is `brown`), or rrggbb."""

    fg: str = "default"
    bg: str = "default"
    bold: bool = False
    italics: bool = False
    underscore: bool = False
    strikethrough: bool = False
    reverse: bool = False
    blink: bool = False
    faint: bool = False
    conceal: bool = False


DEFAULT = Attributes()

_SWITCHES: dict[int, dict[str, bool]] = {
    1: {"bold": True},
    2: {"faint": True},
    3: {"italics": True},
    4: {"underscore": True},
    5: {"blink": True},
    6: {"blink": True},
    7: {"reverse": True},
    8: {"conceal": True},
    9: {"strikethrough": True},
    21: {"underscore": True},
    22: {"bold": False, "faint": False},
    23: {"italics": False},
    24: {"underscore": False},
    25: {"blink": False},
    27: {"reverse": False},
    28: {"conceal": False},
    29: {"strikethrough": False},
}
_FOREGROUND: dict[int, str] = {**pyte.graphics.FG_ANSI, **pyte.graphics.FG_AIXTERM}
_BACKGROUND: dict[int, str] = {**pyte.graphics.BG_ANSI, **pyte.graphics.BG_AIXTERM}
_INDEXED: list[str] = pyte.graphics.FG_BG_256


@lru_cache(65_536)
def select(current: Attributes, parameters: str) -> Attributes:
    """The attributes after `CSI parameters m`; what is not known changes nothing."""
    changes: dict[str, Any] = {}
    numbers = _numbers(parameters, changes)
    at = 0
    while at < len(numbers):
        number = numbers[at]
        at += 1
        if number == 0:
            changes.clear()
            changes.update(DEFAULT._asdict())
        elif number in _SWITCHES:
            changes.update(_SWITCHES[number])
        elif number in _FOREGROUND:
            changes["fg"] = _FOREGROUND[number]
        elif number in _BACKGROUND:
            changes["bg"] = _BACKGROUND[number]
        elif number in (38, 48):
            at += _extended(numbers, at, "fg" if number == 38 else "bg", changes)
    return current._replace(**changes) if changes else current


def _numbers(parameters: str, changes: dict[str, Any]) -> list[int]:
    """The parameters as numbers; those with sub-parameters (ITU-T T.416) in the older form."""
    numbers: list[int] = []
    for field in parameters.split(";")[:64]:
        if ":" not in field:
            numbers.append(_number(field))
            continue
        parts = [_number(part) for part in field.split(":")]
        if parts[0] == 4:
            numbers.append(24 if parts[1] == 0 else 4)
        elif parts[0] in (38, 48) and len(parts) > 2:
            numbers += [parts[0], 5, parts[2]] if parts[1] == 5 else [parts[0], 2, *parts[-3:]]
    return numbers


def _number(field: str) -> int:
    return int(field) if field.isascii() and field.isdigit() and len(field) < 6 else 0


def _extended(numbers: list[int], at: int, which: str, changes: dict[str, Any]) -> int:
    """A colour after 38 or 48; how many numbers it took."""
    rest = numbers[at:]
    if rest[:1] == [5] and len(rest) > 1:
        changes[which] = _INDEXED[rest[1] & 255]
        return 2
    if rest[:1] == [2] and len(rest) > 3:
        changes[which] = "".join(f"{value & 255:02x}" for value in rest[1:4])
        return 4
    return len(rest)
