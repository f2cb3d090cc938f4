"""Restyling of parts of a rendered line."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


def split_at(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """Return the strip with cells `start` to `end` restyled."""
    width = strip.cell_length
    chosen = strip.crop(start, end)
    restyled = [Segment(text, (own or Style()) + style) for text, own, _ in chosen]
    return Strip.join(
        [strip.crop(0, start), Strip(restyled, chosen.cell_length), strip.crop(end, width)]
    )


def with_span(strip: Strip, span: tuple[int, int] | None, style: Style) -> Strip:
    """Return the strip with a span of characters restyled.

    Args:
        strip: the line.
        span: start and end; -1 is the end of the line. None restyles nothing.
        style: the style to add.
    """
    if span is None:
        return strip
    text = strip.text
    start, end = (strip.cell_length if at < 0 else cells_before(text, at) for at in span)
    return split_at(strip, start, end, style)


def cells_before(text: str, characters: int) -> int:
    """Return the width in cells of the first `characters` characters of a line."""
    return cell_len(text[:characters])
