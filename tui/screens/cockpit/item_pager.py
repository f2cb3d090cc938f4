"""The pager with the whole text of an item."""

from __future__ import annotations

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem, HumanItem, Item, ReplyItem, RunState
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.widgets.calls.call_document import CallDocument
from sandbox_tui.tui.widgets.calls.edited_file import EditedFiles
from sandbox_tui.tui.widgets.calls.rows.task_rows import is_task


def pager_of(
    item: Item | None, state: RunState, edited_files: EditedFiles, words: str = ""
) -> PagerScreen | None:
    """Return the pager with the text of an item; None if it has none.

    Args:
        item: the item.
        state: the run; its task is shown above its first reply.
        edited_files: tells what a waiting call would do to the file it edits.
        words: what a search that goes on in it looks for; empty for none.
    """
    match item:
        case CallItem():
            preview = edited_files.preview(item, state.files)
            return PagerScreen(f"call {item.call.number}", CallDocument(item, preview), words)
        case ReplyItem():
            task = state.started.task if state.started is not None else ""
            asked = f"Task: {task}" if item.step == 1 and task else ""
            parts = [part.strip() for part in (asked, item.reasoning, item.text)]
            return PagerScreen(
                f"step {item.step}", "\n\n".join(part for part in parts if part), words
            )
        case HumanItem(file=e.HumanFile() as file):
            return PagerScreen("you", "\n".join([item.text, *file.left_behind, file.diff]), words)
        case HumanItem() if is_task(item):
            return PagerScreen("task", item.text, words)
        case HumanItem():
            return PagerScreen(
                "you", item.finished.observation if item.finished else item.text, words
            )
        case _:
            return None
