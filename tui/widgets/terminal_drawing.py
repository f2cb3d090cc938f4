"""Draws a terminal's lines: looks as Rich styles, text as every terminal shows it alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from ...core.terminal.cells import Run, width_of
from ...core.terminal.graphics import COLOUR_NAMES, DEFAULT, Attributes
from ...core.text import clean_line

_FIRST_FLAG_LETTER, _LAST_FLAG_LETTER = 0x1F1E6, 0x1F1FF


def strip_of(runs: Sequence[Run], base: Style) -> Strip:
    """A line of text."""
    segments: list[Segment] = []
    width = 0
    for text, look in runs:
        cells = len(text) if text.isascii() else sum(max(0, width_of(char)) for char in text)
        shown = " " * cells if look.conceal else steady(text)
        style = base if look is DEFAULT else _style_on(base, look)
        segments.append(Segment(shown, style))
        width += cells
    return Strip(segments, width)


def steady(text: str) -> str:
    """The text in a form that takes the same cells on every terminal.

    Terminals disagree about characters that join into one picture (families, skin tones, flags,
    emoji selectors); here each keeps the cells the emulator gave it, so that what follows stays in
    its column. No control character leaves here, whatever comes in.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_steady_char, text))


@lru_cache(16_384)
def _steady_char(char: str) -> str:
    width = width_of(char)
    if width < 0:
        return clean_line(char)
    if width == 0:
        joins = unicodedata.category(char) in ("Mn", "Mc", "Me", "Lo") and not cell_len(char)
        return char if joins and not "\ufe00" <= char <= "\ufe0f" else ""
    if _FIRST_FLAG_LETTER <= ord(char) <= _LAST_FLAG_LETTER:
        return chr(ord("A") + ord(char) - _FIRST_FLAG_LETTER).ljust(width)
    return char if cell_len(char) == width else " " * width


@lru_cache(8192)
def _style_on(base: Style, look: Attributes) -> Style:
    return base + Style(
        color=_colour(look.fg),
        bgcolor=_colour(look.bg),
        bold=look.bold or None,
        dim=look.faint or None,
        italic=look.italics or None,
        underline=look.underscore or None,
        strike=look.strikethrough or None,
        reverse=look.reverse or None,
        blink=look.blink or None,
    )


@lru_cache(4096)
def _colour(name: str) -> Color | None:
    """A colour: the sixteen names are the app's own (its ANSI theme), the rest as they are."""
    if name == "default":
        return None
    if name not in COLOUR_NAMES:
        return Color.parse(f"#{name}")
    plain = name.removeprefix("bright").replace("brown", "yellow")
    return Color.parse(f"bright_{plain}" if name.startswith("bright") else plain)


def split_at(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """The strip with these cells in another style."""
    width = strip.cell_length
    chosen = strip.crop(start, end)
    restyled = [Segment(text, (own or Style()) + style) for text, own, _ in chosen]
    return Strip.join(
        [strip.crop(0, start), Strip(restyled, chosen.cell_length), strip.crop(end, width)]
    )


def cells_before(text: str, characters: int) -> int:
    """The cells that the first characters of a line fill."""
    return cell_len(text[:characters])
