"""The rows of any item in the list of calls."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from sandbox_tui.core.events.run_state import (
    CallItem,
    HumanItem,
    Item,
    NoteItem,
    ReplyItem,
    RunState,
)
from sandbox_tui.core.events.types import RESUMABLE
from sandbox_tui.core.tools.edit_preview import EditPreview
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.call_rows import call_lines
from sandbox_tui.tui.widgets.calls.rows.human_rows import (
    RunEnd,
    human_lines,
    note_lines,
    written_lines,
)
from sandbox_tui.tui.widgets.calls.rows.reply_rows import reply_height, reply_lines


def run_end(state: RunState, *, is_interrupted: bool) -> RunEnd:
    """Return whether a run has ended.

    Args:
        state: the run.
        is_interrupted: whether its program has exited before the run ended.
    """
    if state.finished is None:
        return "stopped" if is_interrupted else ""
    return "stopped" if state.finished.reason in RESUMABLE else "over"


def item_height(item: Item, width: int, opened: bool, notes: Sequence[str]) -> int | None:
    """Return the number of lines of an item; None if it is only known after drawing."""
    if isinstance(item, ReplyItem):
        height = reply_height(item, width, opened)
        return None if height is None else height + len(notes)
    return None if opened or isinstance(item, NoteItem) else 2


def item_lines(
    item: Item,
    width: int,
    now: float,
    opened: bool,
    notes: Sequence[str],
    palette: Palette,
    preview: EditPreview | None = None,
    end: RunEnd = "",
    whole: bool = False,
    shell_free_at: float | None = 0.0,
    rows_left: int = 0,
    starts: str = "",
    words: str = "",
    next_try: str = "",
) -> list[Text]:
    """Return the lines of an item.

    Args:
        item: the item.
        width: width of the list, in columns.
        now: the run's clock in seconds.
        opened: whether it is shown in full.
        notes: notes on the step of a reply.
        palette: the palette to draw with.
        preview: what a waiting call would do to the file it edits, if known.
        end: whether the run has ended.
        whole: whether the user opened it.
        shell_free_at: since when a running call has the shell, at the earliest; None if it waits
            for a command of the user's.
        rows_left: rows of the view from the item's first one to the end, if it is the last.
        starts: when what the user has sent takes effect, unless at the usual time.
        words: the words of a search: what is cut is shown around them.
        next_try: what another try of a failed reply waits for, in words, if not for its time.
    """
    match item:
        case ReplyItem():
            stopped = end == "stopped"
            lines = reply_lines(
                *(item, width, now, opened, palette, rows_left),
                is_stopped=stopped,
                whole=whole,
                next_try=next_try,
            )
            return [*lines, *written_lines(notes, width, opened, palette)]
        case CallItem():
            began = _began(item, now, shell_free_at)
            stopped = end != ""
            return call_lines(
                *(item, width, now, opened, palette, preview, began),
                is_stopped=stopped,
                words=words,
            )
        case HumanItem():
            return human_lines(item, width, opened, palette, end, starts, words)
        case NoteItem():
            return note_lines(item, width, palette)


def _began(item: CallItem, now: float, shell_free_at: float | None) -> float | None:
    """Return when a call began to run; None if it waits for a command of the user's."""
    if shell_free_at is None:
        return None
    return max(now if item.started_at is None else item.started_at, shell_free_at)
