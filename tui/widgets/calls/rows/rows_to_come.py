"""Rows of the calls of a reply that have not been proposed: one dim line each."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.reply_calls import CallToCome
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.row_parts import GUTTER

MAX_SHOWN = 6
"""Maximum calls with a line of their own; the waiting call stays in view above them."""

MIN_CALL_COLUMNS = 24
"""Minimum columns for the call itself; on a narrower list only its place is told beside it."""


def rows_to_come(
    calls: Sequence[CallToCome], width: int, palette: Palette, *, has_ended: bool
) -> list[Text]:
    """Return a line for each call, with its place in the reply.

    Args:
        calls: the calls of a reply that have not been proposed.
        width: width of the list, in columns.
        palette: the palette to draw with.
        has_ended: whether the run has ended.
    """
    of = calls[-1].place if calls else 0
    lines = [_row(call, of, width, palette, has_ended) for call in calls[:MAX_SHOWN]]
    left = len(calls) - MAX_SHOWN
    if left > 0:
        words = f"{' ' * GUTTER}… {numbers.counted(left, 'more call')}"
        lines.append(Text(words, style=palette.dim, no_wrap=True))
    return lines


def _row(call: CallToCome, of: int, width: int, palette: Palette, has_ended: bool) -> Text:
    place = f"{call.place} of {of}"
    full = f"  {place} · {'not run' if has_ended else 'not yet run'}"
    right = full if width - len(full) >= MIN_CALL_COLUMNS else f"  {place}"
    line = Text(f"  {call.number:>3} ", style=palette.dim, no_wrap=True)
    line.append(f"{short_name(sanitize_line(call.name)):<5} ")
    line.append(sanitize_line(summarize_call(call.name, call.arguments)))
    room = max(0, width - len(right))
    fit_line(line, room)
    line.pad_right(max(0, room - line.cell_len))
    line.append(right)
    fit_line(line, width)
    return line
