"""Rows of the task, shown while the model has not said anything yet."""

from __future__ import annotations

from rich.text import Text

from sandbox_tui.core.events.run_state import Item, ReplyItem
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.reply_rows import MAX_PROSE_COLUMNS, has_prose
from sandbox_tui.tui.widgets.calls.rows.row_parts import GUTTER, MAX_INLINE_LINES, more_lines
from sandbox_tui.tui.widgets.preview.code import indented, wrapped


def awaits_first_output(item: Item) -> bool:
    """Return whether this is the first reply of a run, and none of it has arrived."""
    if not isinstance(item, ReplyItem) or item.step != 1 or item.ended:
        return False
    return not (has_prose(item) or item.writing or item.failures)


def task_lines(task: str, width: int, palette: Palette) -> list[Text]:
    """Return the task, wrapped, with its name in the gutter."""
    rows = wrapped(task.strip(), min(width, MAX_PROSE_COLUMNS) - GUTTER, palette.human)
    lines = indented(rows[:MAX_INLINE_LINES], GUTTER)
    lines[0] = Text(f"{'task':<{GUTTER}}", style=palette.dim, no_wrap=True).append_text(
        lines[0][GUTTER:]
    )
    return [*lines, *more_lines(len(rows) - len(lines), palette)]
