"""Rows of the task, the first item in the list of calls."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from sandbox_tui.core.events.run_state import CallItem, HumanItem, Item, ReplyItem
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.reply_rows import MAX_PROSE_COLUMNS, has_prose
from sandbox_tui.tui.widgets.calls.rows.row_parts import (
    GUTTER,
    MAX_INLINE_LINES,
    lines_above,
    more_lines,
    start_around,
)
from sandbox_tui.tui.widgets.preview.code import indented, wrapped
from sandbox_tui.tui.widgets.word_search import first_row_with

TASK = -2
"""Index of the task: it is before the items of the run. -1 is the index of none."""

CLOSED_ROWS = 2
"""Rows of a task that is not open."""

_TASK_ID = -1
"""Number of the task among what the user wrote; that of a message is positive."""


def task_item(task: str) -> HumanItem:
    """Return the task as an item: the first thing that the user wrote to the model."""
    return HumanItem(_TASK_ID, 0.0, task.strip(), delivered=True)


def is_task(item: HumanItem) -> bool:
    """Return whether an item is the task."""
    return item.id == _TASK_ID


def awaits_first_output(items: Sequence[Item]) -> bool:
    """Return whether none of the first reply of a run has arrived."""
    first = next((item for item in items if isinstance(item, ReplyItem | CallItem)), None)
    if first is None:
        return True
    if isinstance(first, CallItem) or first.step > 1 or first.ended:
        return False
    return not (has_prose(first) or first.writing or first.failures)


def task_lines(
    task: str, width: int, opened: bool, palette: Palette, words: str = ""
) -> list[Text]:
    """Return the task, wrapped, with its name in the gutter; only its start if it is not open, or
    what is around the words of a search."""
    rows = _rows(task, width, palette)
    most = MAX_INLINE_LINES if opened else CLOSED_ROWS
    at = first_row_with(rows, words) if opened else -1
    above = start_around(at, len(rows), most) if at >= most - 1 else 0
    lines = [*lines_above(above, palette), *indented(rows[above : above + most], GUTTER)]
    lines[0] = Text(f"{'task':<{GUTTER}}", style=palette.dim, no_wrap=True).append_text(
        lines[0][GUTTER:]
    )
    left_out = len(rows) - above - most
    if not opened and left_out > 0:
        lines[-1].rstrip()
        lines[-1].append(" …", style=palette.dim)
    return [*lines, *(more_lines(left_out, palette) if opened else ()), Text()]


def is_whole_when_closed(task: str, width: int, palette: Palette) -> bool:
    """Return whether the row of a task shows all of it though it is not open."""
    return len(_rows(task, width, palette)) <= CLOSED_ROWS


def _rows(task: str, width: int, palette: Palette) -> list[Text]:
    return wrapped(task, min(width, MAX_PROSE_COLUMNS) - GUTTER - 2, palette.human)
