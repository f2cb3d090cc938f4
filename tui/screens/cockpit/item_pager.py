"""The pager with the whole text of an item."""

from __future__ import annotations

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem, HumanItem, Item, ReplyItem
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.widgets.calls.call_document import CallDocument


def pager_of(item: Item | None, before: str | None = None) -> PagerScreen | None:
    """Return the pager with the text of an item; None if it has none.

    Args:
        item: the item.
        before: content of the file that a waiting call inserts into, if known.
    """
    match item:
        case CallItem():
            return PagerScreen(f"call {item.call.number}", CallDocument(item, before))
        case ReplyItem():
            return PagerScreen(f"step {item.step}", f"{item.reasoning}\n\n{item.text}".strip())
        case HumanItem(file=e.HumanFile() as file):
            return PagerScreen("you", "\n".join([item.text, *file.left_behind, file.diff]))
        case HumanItem():
            return PagerScreen("you", item.finished.observation if item.finished else item.text)
        case _:
            return None
