"""Joins notes of which a tile has room for only one, and leaves out those of an opened run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sandbox_tui.core.events.notes import ALLOWED, HANDED_OVER, RESUMED
from sandbox_tui.core.events.run_state import Item, NoteItem
from sandbox_tui.core.events.types import RuleGranted


def newest_first(items: Sequence[Item], granted: Sequence[RuleGranted]) -> Iterator[Item]:
    """Yield items from the newest to the oldest; of several patterns allowed together, one note.

    That a run was detached is not among them: it is attached to by now. Nor is what the user
    allowed from another run, whose tile says so, nor that it was resumed, unless nothing is newer.

    Args:
        items: all of a run.
        granted: what the user allows in it.
    """
    by_note = {f"{ALLOWED}{one.pattern}": one for one in granted}
    allowed: list[NoteItem] = []
    for item in reversed(items):
        if isinstance(item, NoteItem) and item.text.startswith(RESUMED) and item is not items[-1]:
            continue
        if isinstance(item, NoteItem) and item.text.startswith(HANDED_OVER):
            continue
        if isinstance(item, NoteItem) and item.text in by_note and by_note[item.text].call is None:
            continue
        if isinstance(item, NoteItem) and item.text.startswith(ALLOWED):
            allowed.append(item)
            continue
        yield from _joined(allowed, by_note)
        allowed = []
        yield item
    yield from _joined(allowed, by_note)


def _joined(allowed: Sequence[NoteItem], by_note: Mapping[str, RuleGranted]) -> Sequence[NoteItem]:
    if len(allowed) < 2:
        return allowed
    rules = [by_note[note.text] for note in allowed if note.text in by_note]
    calls = {rule.call for rule in rules}
    is_whole_call = len(calls) == 1 and not any(map(_has_wildcard, rules))
    what = f"call {calls.pop()}" if is_whole_call else f"{len(allowed)} patterns"
    return (NoteItem(allowed[0].at, f"you allowed {what} from now on", allowed[0].level),)


def _has_wildcard(rule: RuleGranted) -> bool:
    return "*" in rule.pattern.replace("[*]", "")
