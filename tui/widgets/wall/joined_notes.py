"""Joins notes of which a tile has room for only one, and leaves out those of an opened run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandbox_tui.core.events.notes import ALLOWED, HANDED_OVER
from sandbox_tui.core.events.run_state import Item, NoteItem


def newest_first(items: Sequence[Item]) -> Iterator[Item]:
    """Yield items from the newest to the oldest; of several patterns allowed together, one note.
    That a run was detached is not among them: it is attached to by now."""
    allowed: list[NoteItem] = []
    for item in reversed(items):
        if isinstance(item, NoteItem) and item.text.startswith(HANDED_OVER):
            continue
        if isinstance(item, NoteItem) and item.text.startswith(ALLOWED):
            allowed.append(item)
            continue
        yield from _joined(allowed)
        allowed = []
        yield item
    yield from _joined(allowed)


def _joined(allowed: Sequence[NoteItem]) -> Sequence[NoteItem]:
    if len(allowed) < 2:
        return allowed
    words = f"you allowed {len(allowed)} patterns from now on"
    return (NoteItem(allowed[0].at, words, allowed[0].level),)
