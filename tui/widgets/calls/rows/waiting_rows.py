"""Rows of a waiting call: all of it, and what it will change, for the user to decide."""

from __future__ import annotations

from rich.text import Text

from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.core.tools.edit_preview import EditPreview
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.coloured_call import coloured_call
from sandbox_tui.tui.widgets.calls.rows.row_parts import GUTTER, inset

MAX_WAITING_LINES = 2_000
"""Maximum lines shown of a waiting call: the user must be able to read what they approve."""


def waiting_lines(
    item: CallItem, width: int, palette: Palette, preview: EditPreview | None = None
) -> list[Text]:
    """Return all arguments of a waiting call, wrapped and uncut; an edit as a diff.

    Args:
        item: the call.
        width: width of the list, in columns.
        palette: the palette to draw with.
        preview: what the call would do to the file it edits, if known.
    """
    room = max(1, width - GUTTER - 1)
    rows = coloured_call(item.call.name, item.arguments, room, palette, preview)
    return inset(rows, width, palette, max_lines=MAX_WAITING_LINES)
