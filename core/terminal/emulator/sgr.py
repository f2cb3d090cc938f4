"""The style of a cell, changed by SGR sequences (ECMA-48 8.3.117, ITU-T T.416, xterm ctlseqs).

A style is a number: the foreground in the lowest 25 bits, the background in the next 25, then one
bit each for bold, italics and so on, and finally protection by DECSCA. Numbers are cheap to create,
compare and count, even if every cell has a different colour. Readers get `Attributes`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import pyte.graphics

CellStyle = int
"""Colours and flags of a cell as one number (see the module's docstring)."""

PLAIN: CellStyle = 0
"""The default style."""

Change = tuple[CellStyle, CellStyle]
"""The effect of a sequence on a style: the bits it keeps and the bits it adds. Changes compose."""


class Attributes(NamedTuple):
    """The style of a cell by name.

    Colours are `default`, one of the sixteen names used by pyte (`red`, `brightred`, with `brown`
    for yellow), or six hexadecimal digits.
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
    protected: bool = False


DEFAULT = Attributes()

# --- colours: 0 is the default, 1 to 16 are named, all others are RGB with a marker bit above it

_NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
_NAMED = ("default", *_NAMES, *(f"bright{name}" for name in _NAMES))
_RGB = 1 << 24
_INDEXED = (*range(1, 17), *(_RGB | int(rgb, 16) for rgb in pyte.graphics.FG_BG_256[16:]))

COLOUR_NAMES = frozenset(_NAMED)

_BG_SHIFT, _FLAGS_SHIFT = 25, 50
_FG = (1 << _BG_SHIFT) - 1
_BG = _FG << _BG_SHIFT
_ALL = (1 << 59) - 1
BACKGROUND = _BG
"""The bits of a style that erasing keeps (BCE)."""

PROTECTED: CellStyle = 1 << 58
"""The bit of text that selective erasing keeps (DECSCA). SGR does not change it, and text that has
left the screen does not need it, so sequences and raw rows omit it."""

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
_CHANGES: dict[int, Change] = {
    0: (PROTECTED, 0),
    **{code: (_ALL, flag) for code, flag in _ON.items()},
    **{code: (_ALL & ~bits, 0) for code, bits in _OFF.items()},
    **{30 + index: (_ALL & ~_FG, 1 + index) for index in range(8)},
    **{40 + index: (_ALL & ~_BG, 1 + index << _BG_SHIFT) for index in range(8)},
    **{90 + index: (_ALL & ~_FG, 9 + index) for index in range(8)},
    **{100 + index: (_ALL & ~_BG, 9 + index << _BG_SHIFT) for index in range(8)},
}
_WRITTEN_CHANGES = {"": (PROTECTED, 0)} | {str(code): change for code, change in _CHANGES.items()}
_REDS = {str(value): _RGB | value << 16 for value in range(256)}
_GREENS = {str(value): value << 8 for value in range(256)}
_BLUES = {str(value): value for value in range(256)}

MAX_PARAMETERS = 64


def select(style: CellStyle, parameters: str) -> CellStyle:
    """Return the style after `CSI parameters m`."""
    left, added = change_of(parameters)
    return style & left | added


@lru_cache(16_384)
def change_of(parameters: str) -> Change:
    """Return the effect of `CSI parameters m`; unknown parameters have none."""
    try:
        return usual_change(parameters.split(";"))
    except (KeyError, IndexError):
        return _any_change(parameters)


def usual_change(fields: list[str]) -> Change:
    """Return the effect of parameters in their usual form, fast.

    Raises:
        KeyError, IndexError: they have another form.
    """
    left, added, at, count = _ALL, 0, 0, len(fields)
    if count > MAX_PARAMETERS:
        raise IndexError(count)
    while at < count:
        field = fields[at]
        if field == "38" or field == "48":
            if fields[at + 1] == "2":
                colour = _REDS[fields[at + 2]] | _GREENS[fields[at + 3]] | _BLUES[fields[at + 4]]
                at += 5
            else:
                if fields[at + 1] != "5":
                    raise KeyError(fields[at + 1])
                colour = _INDEXED[_BLUES[fields[at + 2]]]
                at += 3
            if field == "38":
                left, added = left & ~_FG, added & ~_FG | colour
            else:
                left, added = left & ~_BG, added & ~_BG | colour << _BG_SHIFT
        else:
            stays, comes = _WRITTEN_CHANGES[field]
            left, added = left & stays, added & stays | comes
            at += 1
    return left, added


def _any_change(parameters: str) -> Change:
    """Return the effect of any parameters."""
    codes = _codes(parameters)
    left, added, at, count = _ALL, 0, 0, len(codes)
    while at < count:
        code = codes[at]
        at += 1
        if code in (38, 48, 58):
            if at + 3 < count and codes[at] == 2:
                colour = rgb(codes[at + 1], codes[at + 2], codes[at + 3])
                at += 4
            elif at + 1 < count and codes[at] == 5:
                colour = _INDEXED[codes[at + 1] & 255]
                at += 2
            else:
                at += 4
                continue
            if code == 38:
                left, added = left & ~_FG, added & ~_FG | colour
            elif code == 48:
                left, added = left & ~_BG, added & ~_BG | colour << _BG_SHIFT
            # 58 is the underline's colour, which is not supported
        elif code in _CHANGES:
            stays, comes = _CHANGES[code]
            left, added = left & stays, added & stays | comes
    return left, added


def _codes(parameters: str) -> list[int]:
    """Return the codes of parameters with sub-parameters; colours are converted to the older
    form."""
    codes: list[int] = []
    for field in parameters.split(";")[:MAX_PARAMETERS]:
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


# --- conversion between styles and attributes

_FLAGS = [tuple(bool(bits >> bit & 1) for bit in range(9)) for bits in range(512)]


@lru_cache(16_384)
def attributes_of(style: CellStyle) -> Attributes:
    """Return the attributes of a style."""
    if style == PLAIN:
        return DEFAULT
    flags = _FLAGS[style >> _FLAGS_SHIFT]
    return Attributes(_name(style & _FG), _name(style >> _BG_SHIFT & _FG), *flags)


def style_of(attributes: Attributes) -> CellStyle:
    """Return the style with these attributes.

    Raises:
        ValueError: a colour is invalid.
    """
    fg, bg, *flags = attributes
    return styled(_number_of(fg), _number_of(bg), flags)


def indexed(index: int) -> int:
    """Return the colour at this index of the 256-colour palette."""
    return _INDEXED[index & 255]


def rgb(red: int, green: int, blue: int) -> int:
    """Return the colour with these components, of which the lowest eight bits are used."""
    return _RGB | (red & 255) << 16 | (green & 255) << 8 | blue & 255


def background(colour: int) -> CellStyle:
    """Return the style with only this background."""
    return colour << _BG_SHIFT


def styled(fg: int, bg: int, flags: Iterable[bool]) -> CellStyle:
    """Return the style with these colours (0 is the default) and flags, in the order of
    `Attributes`."""
    bits = sum(1 << bit for bit, flag in enumerate(flags) if flag)
    return fg | bg << _BG_SHIFT | bits << _FLAGS_SHIFT


@lru_cache(16_384)
def sequence_of(style: CellStyle) -> str:
    """Return the SGR sequence that sets this style, regardless of the previous one."""
    codes = ["0"] + [str(code) for code in (1, 2, 3, 4, 5, 7, 8, 9) if style & _ON[code]]
    for which, colour in ((38, style & _FG), (48, style >> _BG_SHIFT & _FG)):
        if colour & _RGB:
            codes.append(f"{which};2;{colour >> 16 & 255};{colour >> 8 & 255};{colour & 255}")
        elif colour:
            codes.append(f"{which};5;{colour - 1}")
    return f"\x1b[{';'.join(codes)}m"


def _name(colour: int) -> str:
    return f"{colour - _RGB:06x}" if colour & _RGB else _NAMED[colour]


def _number_of(name: str) -> int:
    return _NAMED.index(name) if name in COLOUR_NAMES else _RGB | int(name, 16) & 0xFFFFFF
