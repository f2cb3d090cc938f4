"""How a cell looks, and what SGR sequences do to it (ECMA-48 8.3.117, ITU-T T.416, xterm ctlseqs).

Looks are interned: two that are equal are the same object. Comparing them, counting them in a row
and finding what comes after a sequence then cost no more than comparing an address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from weakref import WeakValueDictionary

import pyte.graphics

Value = str | bool


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Attributes:
    """The look of a cell; get one from `look_of`, never by calling the class.

    Colours are `default`, one of the sixteen names pyte uses (`red`, `brightred`, where yellow is
    `brown`), or six hexadecimal digits.
    """

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

    def values(self) -> tuple[Value, ...]:
        """All fields in their order; the first eight are those of `pyte.screens.Char`."""
        return tuple(getattr(self, name) for name in _FIELDS)

    def changed(self, changes: Mapping[str, Value]) -> Attributes:
        """The same look but for these fields."""
        pairs = zip(_FIELDS, self.values(), strict=True)
        return look_of(tuple(changes.get(name, value) for name, value in pairs))


_FIELDS = tuple(field.name for field in fields(Attributes))
_KNOWN: WeakValueDictionary[tuple[Value, ...], Attributes] = WeakValueDictionary()


def look_of(values: tuple[Value, ...]) -> Attributes:
    """The one look that has these values."""
    known = _KNOWN.get(values)
    if known is None:
        known = _KNOWN[values] = Attributes(*values)  # pyright: ignore[reportArgumentType]
    return known


DEFAULT = look_of(Attributes().values())

_NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
_BRIGHT = tuple(f"bright{name}" for name in _NAMES)
_INDEXED = (*_NAMES, *_BRIGHT, *pyte.graphics.FG_BG_256[16:])
_RESET: dict[str, Value] = dict(zip(_FIELDS, DEFAULT.values(), strict=True))

_CHANGES: dict[int, dict[str, Value]] = {
    0: _RESET,
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
    39: {"fg": "default"},
    49: {"bg": "default"},
    **{30 + number: {"fg": name} for number, name in enumerate(_NAMES)},
    **{40 + number: {"bg": name} for number, name in enumerate(_NAMES)},
    **{90 + number: {"fg": name} for number, name in enumerate(_BRIGHT)},
    **{100 + number: {"bg": name} for number, name in enumerate(_BRIGHT)},
}
_EXTENDED = {38: "fg", 48: "bg", 58: ""}
"""What is followed by a colour: foreground, background, and the underline, whose colour we lack."""

COLOUR_NAMES = frozenset(("default", *_NAMES, *_BRIGHT))
MOST_PARAMETERS = 64


@lru_cache(65_536)
def select(look: Attributes, parameters: str) -> Attributes:
    """The look after `CSI parameters m`; what is not known changes nothing."""
    changes: dict[str, Value] = {}
    codes = _codes(parameters, changes) if ":" in parameters else _plain_codes(parameters)
    at = 0
    while at < len(codes):
        code = codes[at]
        at += 1
        if code in _EXTENDED:
            at += _take_colour(codes[at : at + 4], _EXTENDED[code], changes)
        else:
            changes.update(_CHANGES.get(code, {}))
    return look.changed(changes)


def _plain_codes(parameters: str) -> list[int]:
    return [_number(field) for field in parameters.split(";")[:MOST_PARAMETERS]]


def _codes(parameters: str, changes: dict[str, Value]) -> list[int]:
    """The codes of parameters that have sub-parameters, colours in the older form."""
    codes: list[int] = []
    for field in parameters.split(";")[:MOST_PARAMETERS]:
        code, *rest = [_number(part) for part in field.split(":")]
        if not rest:
            codes.append(code)
        elif code == 4:
            codes.append(4 if rest[0] else 24)
        elif code in (38, 48) and rest[0] == 5:
            codes += [code, 5, *rest[1:2]]
        elif code in (38, 48) and rest[0] == 2:
            codes += [code, 2, *(rest[2:5] if len(rest) > 4 else rest[1:4])]
    return codes


def _number(field: str) -> int:
    return int(field) if 0 < len(field) < 6 else 0


def _take_colour(codes: list[int], which: str, changes: dict[str, Value]) -> int:
    """A colour after 38, 48 or 58; how many codes it took."""
    if codes[:1] == [5] and len(codes) > 1:
        colour, taken = _INDEXED[codes[1] & 255], 2
    elif codes[:1] == [2] and len(codes) > 3:
        colour, taken = "".join(f"{value & 255:02x}" for value in codes[1:4]), 4
    else:
        return len(codes)
    if which:
        changes[which] = colour
    return taken
