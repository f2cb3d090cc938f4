"""Rendering of a line, and restyling of parts of it."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

_CONSOLE = Console(width=200, color_system="truecolor", force_terminal=True, legacy_windows=False)


def strip_of(line: Text) -> Strip:
    """Render a line."""
    if not line.spans:  # Rich drops the style of a text without spans
        style = Style.parse(line.style) if isinstance(line.style, str) else line.style
        return Strip([Segment(line.plain, style)])
    return Strip([segment for segment in line.render(_CONSOLE) if not segment.control])


def under(strip: Strip, style: Style) -> Strip:
    """Return the strip with a style beneath the segments' own styles."""
    return Strip(
        [Segment(text, style + own if own else style) for text, own, _ in strip], strip.cell_length
    )


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
