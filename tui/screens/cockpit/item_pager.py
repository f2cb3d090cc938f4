"""The pager with the whole text of an item."""

from __future__ import annotations

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem, HumanItem, Item, ReplyItem
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.widgets.calls.call_document import CallDocument


def pager_of(item: Item | None, before: str | None = None, task: str = "") -> PagerScreen | None:
    """Return the pager with the text of an item; None if it has none.

    Args:
        item: the item.
        before: content of the file that a waiting call inserts into, if known.
        task: the run's task, shown above its first reply.
    """
    match item:
        case CallItem():
            return PagerScreen(f"call {item.call.number}", CallDocument(item, before))
        case ReplyItem():
            asked = f"Task: {task}" if item.step == 1 and task else ""
            parts = [part.strip() for part in (asked, item.reasoning, item.text)]
            return PagerScreen(f"step {item.step}", "\n\n".join(part for part in parts if part))
        case HumanItem(file=e.HumanFile() as file):
            return PagerScreen("you", "\n".join([item.text, *file.left_behind, file.diff]))
        case HumanItem():
            return PagerScreen("you", item.finished.observation if item.finished else item.text)
        case _:
            return None
