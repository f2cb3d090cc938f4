"""A call that waits for the user, with as much of it as there is room for, and the decisions."""

from __future__ import annotations

from functools import lru_cache

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.core.tools.edit_preview import EditPreview
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.coloured_call import coloured_call, would_fail

INDENT = 3
"""Indent of the lines below the name of the tool."""

MIN_ROOM = 20
"""Cells for which a call is wrapped at least; a narrower tile, as before the first layout, cuts."""

MIN_CUT_HEIGHT = 4
"""Lines from which on the beginning of a longer call says more than its summary."""

CHOICES = (("approve", "approve"), ("reject", "reject"), ("open", "open"))
"""Action and word of each decision."""


def waiting_call_lines(
    item: CallItem,
    width: int,
    height: int,
    palette: Palette,
    preview: EditPreview | None = None,
    label: str = "",
) -> list[Text]:
    """Return a waiting call in at most `height` lines; the last says how many are left out.

    An edit that would fail says so, however low the place is.

    Args:
        item: the call.
        width, height: available cells.
        palette: the palette to draw with.
        preview: what the call would do to the file it edits, if known.
        label: what to call the call; by default its number.
    """
    title = _title(item, palette, label)
    lines = _with_title(title.copy(), item, width, palette, preview)
    if len(lines) > height:
        lines = _cut(lines, title, item, width, max(1, height), palette, preview)
    for line in lines:
        fit_line(line, width)
    return lines


def _cut(
    lines: list[Text],
    title: Text,
    item: CallItem,
    width: int,
    height: int,
    palette: Palette,
    preview: EditPreview | None,
) -> list[Text]:
    """Return the beginning of a call, or its summary if that says more; how many lines are left out
    is behind it."""
    low = [_summary(title, item, palette), *_problem(preview, palette)]
    is_summary = height < MIN_CUT_HEIGHT and (height == 1 or len(low) > 1)
    shown = low[:height] if is_summary else lines[:height]
    more, last = _more(len(lines) - len(shown), palette), shown[0 if is_summary else -1]
    if height > 1:
        fit_line(last, max(MIN_ROOM, width - more.cell_len))
        last.append_text(more)
    return shown


def _summary(title: Text, item: CallItem, palette: Palette) -> Text:
    words = sanitize_line(summarize_call(item.call.name, item.arguments))
    return title.copy().append(words, style=palette.text)


def _problem(preview: EditPreview | None, palette: Palette) -> list[Text]:
    if preview is None or not preview.problem:
        return []
    words = would_fail(sanitize_line(preview.problem))
    return [Text(" " * INDENT, no_wrap=True).append(words, style=palette.warn)]


def _more(count: int, palette: Palette) -> Text:
    return Text(f"  … {numbers.counted(count, 'more line')}", style=palette.warn, no_wrap=True)


def decision_keys(width: int, palette: Palette, *, steers: bool) -> Text:
    """Return the keys that act on a waiting call.

    Args:
        width: cells.
        palette: the palette to draw with.
        steers: whether this screen steers the run; otherwise it can only be opened.
    """
    keys = Text(" " * INDENT, no_wrap=True)
    for action, word in CHOICES if steers else CHOICES[-1:]:
        keys.append(f"{hint(f'wall.{action}')} ", style=palette.accent + Style(bold=True))
        keys.append(f"{word}  ", style=palette.dim)
    if not steers:
        keys.append("another program or terminal is in control", style=palette.warn)
    fit_line(keys, width)
    return keys


def _title(item: CallItem, palette: Palette, label: str) -> Text:
    title = Text(f"{label or f'{item.call.number:>2}'} ", style=palette.human, no_wrap=True)
    return title.append(f"{short_name(sanitize_line(item.call.name))}  ", style=palette.tool)


def _with_title(
    title: Text, item: CallItem, width: int, palette: Palette, preview: EditPreview | None
) -> list[Text]:
    """Return all lines of a call; the first follows the name of the tool, unless the call would
    take more lines for that."""
    rows = _copied_rows(item, max(MIN_ROOM, width - INDENT), palette, preview)
    indent = INDENT
    if rows and title.cell_len + rows[0].cell_len > width:
        narrow = _copied_rows(item, max(MIN_ROOM, width - title.cell_len), palette, preview)
        if title.cell_len + narrow[0].cell_len > width or len(narrow) > len(rows) + 1:
            return [title, *(_padded(row, indent) for row in rows)]
        rows, indent = narrow, title.cell_len
    first = rows.pop(0) if rows else Text()
    return [title.append_text(first), *(_padded(row, indent) for row in rows)]


def _padded(row: Text, indent: int) -> Text:
    row.pad_left(indent)
    return row


def _copied_rows(
    item: CallItem, width: int, palette: Palette, preview: EditPreview | None
) -> list[Text]:
    return [row.copy() for row in _rows(item.call.name, item.arguments, width, palette, preview)]


@lru_cache(maxsize=256)
def _rows(
    name: str, arguments: str, width: int, palette: Palette, preview: EditPreview | None
) -> tuple[Text, ...]:
    """Tiles are drawn every second, and colours take long to find."""
    rows = coloured_call(name, arguments, width, palette, preview)
    while rows and not rows[-1].plain.strip():
        rows.pop()
    return tuple(rows)
