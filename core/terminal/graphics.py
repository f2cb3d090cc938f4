"""How a cell looks, and what SGR sequences do to it (ECMA-48 8.3.117, ITU-T T.416, xterm ctlseqs).

A look is a number: the foreground in the lowest 25 bits, the background in the next 25, then a bit
for each of bold, italics and so on. Numbers cost nothing to make, compare and count, also where
every cell has another colour. Whoever reads a screen gets `Attributes`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import pyte.graphics

Look = int
"""See the module's text."""

PLAIN: Look = 0
"""The default look."""


class Attributes(NamedTuple):
    """The look of a cell, by name; the first eight fields are those of `pyte.screens.Char`.

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


DEFAULT = Attributes()

# --- colours: 0 is the default, 1 to 16 have names, all others are RGB with a bit before it

_NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
_NAMED = ("default", *_NAMES, *(f"bright{name}" for name in _NAMES))
_RGB = 1 << 24
_INDEXED = (*range(1, 17), *(_RGB | int(rgb, 16) for rgb in pyte.graphics.FG_BG_256[16:]))

COLOUR_NAMES = frozenset(_NAMED)

_BG_SHIFT, _FLAGS_SHIFT = 25, 50
_FG = (1 << _BG_SHIFT) - 1
_BG = _FG << _BG_SHIFT
_ALL = (1 << 58) - 1
BACKGROUND = _BG
"""The bits of a look that erasing leaves (BCE)."""

# --- SGR

_BOLD, _ITALICS, _UNDERSCORE, _STRIKETHROUGH, _REVERSE, _BLINK, _FAINT, _CONCEAL = (
    1 << _FLAGS_SHIFT + bit for bit in range(8)
)
_ON = {
    1: _BOLD,
    2: _FAINT,
    3: _ITALICS,
    4: _UNDERSCORE,
    5: _BLINK,
    6: _BLINK,
    7: _REVERSE,
    8: _CONCEAL,
    9: _STRIKETHROUGH,
    21: _UNDERSCORE,
}
_OFF = {
    22: _BOLD | _FAINT,
    23: _ITALICS,
    24: _UNDERSCORE,
    25: _BLINK,
    27: _REVERSE,
    28: _CONCEAL,
    29: _STRIKETHROUGH,
    39: _FG,
    49: _BG,
}
_CHANGES: dict[int, tuple[Look, Look]] = {
    0: (0, 0),
    **{code: (_ALL, flag) for code, flag in _ON.items()},
    **{code: (_ALL & ~bits, 0) for code, bits in _OFF.items()},
    **{30 + index: (_ALL & ~_FG, 1 + index) for index in range(8)},
    **{40 + index: (_ALL & ~_BG, 1 + index << _BG_SHIFT) for index in range(8)},
    **{90 + index: (_ALL & ~_FG, 9 + index) for index in range(8)},
    **{100 + index: (_ALL & ~_BG, 9 + index << _BG_SHIFT) for index in range(8)},
}
"""The bits a code leaves, and those it sets."""

MOST_PARAMETERS = 64


@lru_cache(16_384)
def select(look: Look, parameters: str) -> Look:
    """The look after `CSI parameters m`; what is not known changes nothing."""
    codes = _codes(parameters) if ":" in parameters else _plain_codes(parameters)
    at, count = 0, len(codes)
    while at < count:
        code = codes[at]
        at += 1
        if code in (38, 48, 58):
            colour, taken = _colour(codes, at)
            at += taken
            if colour is None or code == 58:  # the underline's colour, which we lack
                continue
            look = look & ~_FG | colour if code == 38 else look & ~_BG | colour << _BG_SHIFT
        elif code in _CHANGES:
            left, added = _CHANGES[code]
            look = look & left | added
    return look


def _plain_codes(parameters: str) -> list[int]:
    fields = parameters.split(";", MOST_PARAMETERS)[:MOST_PARAMETERS]
    if "" in fields or (len(parameters) > 6 and len(max(fields, key=len)) > 5):
        return list(map(_number, fields))
    return list(map(int, fields))


def _codes(parameters: str) -> list[int]:
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


def _colour(codes: list[int], at: int) -> tuple[int | None, int]:
    """The colour that begins at `at`, None if there is none, and how many codes it took."""
    left = len(codes) - at
    if left > 3 and codes[at] == 2:
        _, red, green, blue = codes[at : at + 4]
        return _RGB | (red & 255) << 16 | (green & 255) << 8 | blue & 255, 4
    if left > 1 and codes[at] == 5:
        return _INDEXED[codes[at + 1] & 255], 2
    return None, min(4, left)


# --- names for numbers, and back


@lru_cache(16_384)
def attributes_of(look: Look) -> Attributes:
    """A look by name."""
    flags = [bool(look >> _FLAGS_SHIFT + bit & 1) for bit in range(8)]
    return Attributes(_name(look & _FG), _name(look >> _BG_SHIFT & _FG), *flags)


def look_of(attributes: Attributes) -> Look:
    """The look that has these attributes.

    Raises:
        ValueError: a colour is none.
    """
    fg, bg, *flags = attributes
    bits = sum(1 << bit for bit, flag in enumerate(flags) if flag)
    return _number_of(fg) | _number_of(bg) << _BG_SHIFT | bits << _FLAGS_SHIFT


@lru_cache(16_384)
def sequence_of(look: Look) -> str:
    """The SGR sequence after which this is the look, whatever it was before."""
    codes = ["0"] + [str(code) for code in (1, 2, 3, 4, 5, 7, 8, 9) if look & _ON[code]]
    for which, colour in ((38, look & _FG), (48, look >> _BG_SHIFT & _FG)):
        if colour & _RGB:
            codes.append(f"{which};2;{colour >> 16 & 255};{colour >> 8 & 255};{colour & 255}")
        elif colour:
            codes.append(f"{which};5;{colour - 1}")
    return f"\x1b[{';'.join(codes)}m"


def _name(colour: int) -> str:
    return f"{colour - _RGB:06x}" if colour & _RGB else _NAMED[colour]


def _number_of(name: str) -> int:
    return _NAMED.index(name) if name in COLOUR_NAMES else _RGB | int(name, 16) & 0xFFFFFF
