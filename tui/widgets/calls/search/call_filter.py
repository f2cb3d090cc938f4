"""Predicates on the items of a run: whether they pass a filter, contain words, or are final."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal

from sandbox_tui.core.events.run_state import CallItem, HumanItem, Item, NoteItem, ReplyItem
from sandbox_tui.sessions.store.unescaped_arguments import unescaped_arguments
from sandbox_tui.tui.widgets.word_search import has_words

Filter = Literal["all", "failed", "edits", "yours", "text"]

FILTERS: tuple[Filter, ...] = ("all", "failed", "edits", "yours", "text")
"""All items; failures; file edits; user actions; what the model said."""

FILTER_WORDS: dict[Filter, str] = {
    "all": "",
    "failed": "failures",
    "edits": "edits",
    "yours": "your actions",
    "text": "messages",
}
"""What a filter shows, displayed after "only"."""


def fits(item: Item, filter_: Filter) -> bool:
    """Return whether the filter shows this item."""
    match filter_:
        case "all":
            return True
        case "failed":
            return _failed(item)
        case "edits":
            return isinstance(item, CallItem) and item.call.name == "str_replace_editor"
        case "yours":
            decided = item.decided if isinstance(item, CallItem) else None
            is_decided = decided is not None and decided.by == "human"
            is_rule = isinstance(item, NoteItem) and item.level == "yours"
            return isinstance(item, HumanItem) or is_decided or is_rule
        case "text":
            has_text = isinstance(item, ReplyItem) and bool(
                item.text.strip() or item.reasoning.strip()
            )
            return has_text or (isinstance(item, HumanItem) and item.command is None)


def start_of_window(items: Sequence[Item], filter_: Filter, size: int) -> int:
    """Return the index from which the filter shows this many of the last items, or 0."""
    first = len(items)
    while first and size:
        first -= 1
        size -= fits(items[first], filter_)
    return first


def nearest(shown: Sequence[int], item: int | None) -> int:
    """Return the place of an item among the shown ones, of the next one if the filter hides it, or
    of the last one; -1 for no item, or if none is shown."""
    return -1 if item is None else min(bisect_left(shown, item), len(shown) - 1)


def contains(item: Item, words: str) -> bool:
    """Return whether an item contains the words; case-sensitive only if the words contain
    capitals."""
    return not words or has_words(_text(item), words)


def is_settled(item: Item) -> bool:
    """Return whether an item is final unless the user acts on it."""
    match item:
        case CallItem():
            return item.finished is not None or item.run_ended
        case ReplyItem():
            return item.ended
        case HumanItem():
            if item.command is not None:
                return item.finished is not None or item.withdrawn
            if item.file is not None and not item.told_to_model:
                return True
            return item.delivered or item.withdrawn
        case NoteItem():
            return True


def has_clock(item: Item) -> bool:
    """Return whether an item shows a running clock."""
    return isinstance(item, ReplyItem) or (isinstance(item, CallItem) and item.status == "running")


def _failed(item: Item) -> bool:
    match item:
        case CallItem():
            # counted apart: what the user ended, or was lost with the program, did not fail
            is_interrupted = item.finished is not None and item.finished.interrupted
            return item.status == "failed" and not is_interrupted
        case ReplyItem():
            return bool(item.failures)
        case NoteItem():
            return item.level == "error"
        case HumanItem():
            return item.finished is not None and item.finished.exit_code != 0


def _text(item: Item) -> str:
    match item:
        case CallItem():
            answer = item.finished.observation if item.finished else item.printed or ""
            written = unescaped_arguments(item.arguments).replace("\\n", "\n").replace('\\"', '"')
            feedback = (item.decided.feedback or "") if item.decided else ""
            return f"{item.call.name}\n{written}\n{answer}\n{feedback}"
        case ReplyItem():
            errors = "\n".join(failure.error for failure in item.failures)
            return f"{item.reasoning}\n{item.text}\n{errors}\n{item.remark}"
        case HumanItem():
            return f"{item.text}\n{item.finished.observation if item.finished else ''}"
        case NoteItem():
            return item.text
