"""Restyle parts of a drawn line."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


def split_at(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """The strip with these cells in another style."""
    width = strip.cell_length
    chosen = strip.crop(start, end)
    restyled = [Segment(text, (own or Style()) + style) for text, own, _ in chosen]
    return Strip.join(
        [strip.crop(0, start), Strip(restyled, chosen.cell_length), strip.crop(end, width)]
    )


def with_span(strip: Strip, span: tuple[int, int] | None, style: Style) -> Strip:
    """The strip with these characters in another style; -1 is its end, None no character."""
    if span is None:
        return strip
    text = strip.text
    start, end = (strip.cell_length if at < 0 else cells_before(text, at) for at in span)
    return split_at(strip, start, end, style)


def cells_before(text: str, characters: int) -> int:
    """Width of the first characters of a line, in cells."""
    return cell_len(text[:characters])
