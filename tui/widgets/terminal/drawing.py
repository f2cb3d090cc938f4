"""Draws terminal lines: attributes as Rich styles, text the same on every terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as Mixable
from textual.strip import Strip

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.terminal.emulator.rows import Run, width_of
from sandbox_tui.core.terminal.emulator.sgr import COLOUR_NAMES, DEFAULT, Attributes
from sandbox_tui.tui.theming.palette import Palette

MIN_CONTRAST = 3.0
_FIRST_FLAG_LETTER, _LAST_FLAG_LETTER = 0x1F1E6, 0x1F1FF


@dataclass(frozen=True, slots=True, eq=False)
class Colours:
    """The sixteen ANSI colours in the current theme.

    Attributes:
        base: the style of text without attributes.
        named: the colours by their attribute names.
    """

    base: Style
    named: dict[str, Color]


def colours_of(base: Style, palette: Palette, dark: bool) -> Colours:
    """Return the sixteen colours of a theme, derived from its roles: red is the error colour,
    etc."""
    red, green, yellow = palette.bad.color, palette.good.color, palette.human.color
    blue, magenta, text = palette.tool.color, palette.model.color, palette.text.color
    dim, faint = palette.dim.color, palette.faint.color
    return _colours(base, (faint, red, green, yellow, blue, magenta, text, dim), dark)


@lru_cache(8)
def _colours(base: Style, roles: tuple[Color | None, ...], dark: bool) -> Colours:
    if any(role is None or role.triplet is None for role in roles):
        return Colours(base, {name: _ansi(name) for name in COLOUR_NAMES - {"default"}})
    own = [Mixable(*role.triplet) for role in roles if role is not None and role.triplet]
    faint, red, green, yellow, blue, magenta, text, dim = own
    cyan = green.blend(blue, 0.5)
    black, white = (faint, text.blend(dim, 0.3)) if dark else (text, dim)
    plain = (black, red, green, yellow, blue, magenta, cyan, white)
    strongest = Mixable(255, 255, 255) if dark else Mixable(0, 0, 0)
    bright = [dim, *(colour.blend(strongest, 0.25) for colour in plain[1:7])]
    bright.append(strongest.blend(text, 0.3) if dark else faint)
    names = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
    names += tuple(f"bright{name}" for name in names)
    own = (*plain, *bright)
    return Colours(base, {name: colour.rich_color for name, colour in zip(names, own, strict=True)})


def strip_of(runs: Sequence[Run], colours: Colours) -> Strip:
    """Return the strip for the runs of a line."""
    base = colours.base
    segments: list[Segment] = []
    width = 0
    for text, look in runs:
        cells = len(text) if text.isascii() else sum(max(0, width_of(char)) for char in text)
        shown = " " * cells if look.conceal else steady(text)
        style = base if look == DEFAULT else _style(look, colours)
        segments.append(Segment(shown, style))
        width += cells
    return Strip(segments, width)


def steady(text: str) -> str:
    """Return the text in a form that fills the same cells on every terminal.

    Terminals disagree about characters that combine into one glyph (families, skin tones, flags,
    emoji selectors). Here each keeps the cells that the emulator gave it, so that the text after it
    stays in its column. The result never contains control characters.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_steady_char, text))


@lru_cache(16_384)
def _steady_char(char: str) -> str:
    width = width_of(char)
    if width < 0:
        return sanitize_line(char)
    if width == 0:
        joins = unicodedata.category(char) in ("Mn", "Mc", "Me", "Lo") and not cell_len(char)
        return char if joins and not "\ufe00" <= char <= "\ufe0f" else ""
    if _FIRST_FLAG_LETTER <= ord(char) <= _LAST_FLAG_LETTER:
        return chr(ord("A") + ord(char) - _FIRST_FLAG_LETTER).ljust(width)
    return char if cell_len(char) == width else " " * width


@lru_cache(8192)
def _style(look: Attributes, colours: Colours) -> Style:
    fg, bg = _colour(look.fg, colours), _colour(look.bg, colours)
    if bg is not None and (look.fg in colours.named or fg is None):
        fg = _readable(fg, bg, colours.base)
    return colours.base + Style(
        color=fg,
        bgcolor=bg,
        bold=look.bold or None,
        dim=look.faint or None,
        italic=look.italics or None,
        underline=look.underscore or None,
        strike=look.strikethrough or None,
        reverse=look.reverse or None,
        blink=look.blink or None,
    )


@lru_cache(16_384)
def _colour(name: str, colours: Colours) -> Color | None:
    """Return a colour of the theme by name, or a colour by its hex digits."""
    if name == "default":
        return None
    return colours.named.get(name) or Color.from_rgb(*bytes.fromhex(name))


def _readable(fg: Color | None, bg: Color, base: Style) -> Color | None:
    """Return a named colour, or the theme's text or background colour if that is unreadable on
    `bg`."""
    own = [colour for colour in (fg or base.color, base.color, base.bgcolor) if colour]
    if any(colour.triplet is None for colour in (*own, bg)):
        return fg
    if own and _contrast(own[0], bg) >= MIN_CONTRAST:
        return fg
    return max(own, key=lambda colour: _contrast(colour, bg), default=fg)


def _contrast(one: Color, other: Color) -> float:
    """Return the contrast ratio as defined by WCAG 2."""
    low, high = sorted(_luminance(*colour.get_truecolor()) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def _luminance(*channels: int) -> float:
    linear = [
        value / 3294.6 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4
        for value in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _ansi(name: str) -> Color:
    """Return the ANSI colour under Rich's name, for themes that use the terminal's own colours."""
    plain = name.removeprefix("bright").replace("brown", "yellow")
    return Color.parse(f"bright_{plain}" if name.startswith("bright") else plain)
