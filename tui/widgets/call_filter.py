"""Which items of a run are shown, and which hold what is looked for."""

from __future__ import annotations

from typing import Literal

from ...core.state import CallItem, HumanItem, Item, NoteItem, ReplyItem

Filter = Literal["all", "failed", "edits", "yours", "text"]

FILTERS: tuple[Filter, ...] = ("all", "failed", "edits", "yours", "text")
"""All; failures; changes of files; what a person did; what the model said."""


def fits(item: Item, wanted: Filter) -> bool:
    """Whether the filter shows this item."""
    match wanted:
        case "all":
            return True
        case "failed":
            return _failed(item)
        case "edits":
            return isinstance(item, CallItem) and item.call.name == "str_replace_editor"
        case "yours":
            decided = item.decided if isinstance(item, CallItem) else None
            by_hand = decided is not None and decided.by == "human"
            return isinstance(item, HumanItem) or by_hand
        case "text":
            spoke = isinstance(item, ReplyItem) and bool(
                item.text.strip() or item.reasoning.strip()
            )
            return spoke or (isinstance(item, HumanItem) and item.command is None)


def holds(item: Item, words: str) -> bool:
    """Whether the words are in an item; capitals count only when some are typed."""
    text = _text(item)
    return words in text if has_capitals(words) else words in text.casefold()


def has_capitals(words: str) -> bool:
    """Whether a search for these words tells capitals from small letters."""
    return words != words.casefold()


def _failed(item: Item) -> bool:
    match item:
        case CallItem():
            return item.finished is not None and not item.finished.ok
        case ReplyItem():
            return bool(item.failures)
        case NoteItem():
            return item.level == "error"
        case HumanItem():
            return item.finished is not None and item.finished.exit_code != 0


def _text(item: Item) -> str:
    match item:
        case CallItem():
            answer = item.finished.observation if item.finished else ""
            written = item.arguments.replace("\\n", "\n").replace('\\"', '"')
            return f"{item.call.name}\n{written}\n{answer}"
        case ReplyItem():
            return f"{item.reasoning}\n{item.text}"
        case HumanItem():
            return f"{item.text}\n{item.finished.observation if item.finished else ''}"
        case NoteItem():
            return item.text
