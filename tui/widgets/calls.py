"""The list of calls: everything that happened in a run, in order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message

from ...core.state import CallItem, HumanItem, Item, NoteItem, ReplyItem, RunState
from ..palette import palette_of
from .blocks import Blocks
from .call_cards import (
    call_lines,
    human_lines,
    note_lines,
    reply_height,
    reply_lines,
    written_lines,
)
from .call_filter import FILTERS, Filter, fits, has_capitals, holds

WINDOW = 60
"""Items that are shown when replay has jumped; those before them come as one scrolls up to them."""


class Calls(Blocks):
    """Shows `RunState.items`.

    The screen calls `sync` after it applied events; only items that may have changed are redrawn.
    Failed and waiting calls are open until a person closes them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "find", "find", key_display="/", id="calls.find"),
        Binding("f", "filter", "filter", id="calls.filter"),
        Binding("n", "hit(1)", "Next hit", show=False, id="calls.next"),
        Binding("N", "hit(-1)", "Hit before", show=False, id="calls.previous"),
    ]

    class FindAsked(Message):
        """A person wants to look for something."""

    class HitAsked(Message):
        """A person wants to see the next hit, or the one before (-1)."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    def __init__(self, state: RunState, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state = state
        self._choice: dict[int, bool] = {}
        self._first = 0
        self._known = 0
        self._shown: list[int] = []
        self._filter: Filter = "all"
        self._notes: Mapping[int, Sequence[str]] = {}
        self._words = ""
        self._found: str | None = None
        self._open_items: set[int] = set()
        self._now = 0.0
        self.border_title = "calls"

    def show(self, state: RunState, now: float) -> None:
        """Show another state (replay jumped); its last items, at the same cost however many."""
        self._state = state
        self._now = now
        self._known = len(state.items)
        self._first = max(0, self._known - WINDOW)
        self._open_items = self._unsettled(self._first, self._known)
        self._choice = {i: o for i, o in self._choice.items() if i < self._known}
        self._choose_shown()
        self.reset()
        self._titles()

    def sync(self, now: float) -> None:
        """Catch up with the state; `now` is the run's clock in seconds."""
        self._now = now
        items = self._state.items
        first = min(self._open_items, default=self._known)
        fresh = range(self._known, len(items))
        self._open_items = {
            index for index in (*self._open_items, *fresh) if not _settled(items[index])
        }
        self._known = len(items)
        place = bisect_left(self._shown, first)
        self._shown[place:] = [
            index for index in range(first, self._known) if fits(items[index], self._filter)
        ]
        self.changed(place)
        self._titles()

    def tick(self, now: float) -> None:
        """Redraw what shows a running clock."""
        self._now = now
        for index in sorted(self._open_items):
            place = bisect_left(self._shown, index)
            if self._shown[place : place + 1] == [index] and _has_a_clock(self._state.items[index]):
                self.changed(place, place)

    def show_notes(self, notes: Mapping[int, Sequence[str]]) -> None:
        """Show a person's notes below the replies of their steps; 0: of the session as a whole."""
        if notes != self._notes:
            self._notes = notes
            self.changed()

    def _notes_on(self, item: ReplyItem) -> Sequence[str]:
        whole = self._notes.get(0, ()) if item.step == 1 else ()
        return [*whole, *self._notes.get(item.step, ())]

    def adopt(self, state: RunState) -> None:
        """Go on with another object that says the same."""
        self._state = state

    def _unsettled(self, first: int, last: int) -> set[int]:
        return {i for i in range(first, last) if not _settled(self._state.items[i])}

    def _choose_shown(self) -> None:
        self._shown = self._fitting(self._first, self._known)

    def _fitting(self, first: int, last: int) -> list[int]:
        items = self._state.items
        return [i for i in range(first, last) if fits(items[i], self._filter)]

    # --- what was before

    def _show_earlier(self) -> None:
        """Put items before those that are shown; what one looks at stays where it is."""
        if not self._first:
            return
        first = max(0, self._first - WINDOW)
        more = self._fitting(first, self._first)
        self._open_items |= self._unsettled(first, self._first)
        self._first = first
        self._shown[:0] = more
        self.cursor += len(more) if self.cursor >= 0 else 0
        following, y = self.following, self.scroll_offset.y
        self.following = False
        self.reset()
        self.scroll_to(y=y + self._tops[len(more)], animate=False, force=True, immediate=True)
        self.following = following
        self._titles()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """At the top, what was before appears."""
        super().watch_scroll_y(old_value, new_value)
        if self._first and round(new_value) == 0 and new_value < old_value:
            self.call_after_refresh(self._show_earlier)

    def action_cursor(self, step: int) -> None:
        """Move the cursor by so many blocks."""
        if self.cursor == 0 and step < 0:
            self._show_earlier()
        super().action_cursor(step)

    # --- looking for something

    def action_find(self) -> None:
        """Look for words in all that happened."""
        self.post_message(self.FindAsked())

    def find(self, words: str) -> str:
        """Look for these words: to the first hit from here on. Says how many there are."""
        self._mark(words)
        if words and self._hits():
            here = max(self.cursor, 0)
            self._go(next((i for i in self._hits() if i >= here), self._hits()[0]))
        self._titles()
        return self._hits_words()

    def show_hit(self, words: str, found: str) -> None:
        """Mark these words, and go to the last item that holds them.

        Args:
            words: that are looked for in the whole session.
            found: what has come of it.
        """
        self._found = found
        self._mark(words)
        hits = self._hits()
        if hits:
            self._go(hits[-1])
        self._titles()

    def _mark(self, words: str) -> None:
        self._words = words if has_capitals(words) else words.casefold()
        self.changed()

    def next_hit(self, direction: int) -> str:
        """To the next hit, round the end; says which of how many it is."""
        hits = self._hits()
        if hits and direction > 0:
            self._go(next((i for i in hits if i > self.cursor), hits[0]))
        elif hits:
            self._go(next((i for i in reversed(hits) if i < self.cursor), hits[-1]))
        self._titles()
        return self._hits_words()

    def action_hit(self, direction: int) -> None:
        """To the next hit; where the whole session is searched, the screen knows where that is."""
        if self._found is None:
            self.next_hit(direction)
        else:
            self.post_message(self.HitAsked(direction))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hits can be gone to while something is looked for."""
        return action != "hit" or bool(self._words)

    def action_filter(self) -> None:
        """Show only what failed, edits, what is yours, what was said; then all again."""
        item = self._shown[self.cursor] if 0 <= self.cursor < len(self._shown) else None
        self._filter = FILTERS[(FILTERS.index(self._filter) + 1) % len(FILTERS)]
        self._choose_shown()
        self.cursor = self._shown.index(item) if item in self._shown else -1
        self.reset()
        if self.cursor >= 0:
            self.show_block(self.cursor)
        self._titles()

    def _hits(self) -> list[int]:
        if not self._words:
            return []
        items = self._state.items
        return [place for place, i in enumerate(self._shown) if holds(items[i], self._words)]

    def _hits_words(self) -> str:
        if not self._words or self._found is not None:
            return self._found or ""
        hits = self._hits()
        if not hits:
            return "nothing like that"
        which = f"{hits.index(self.cursor) + 1} of " if self.cursor in hits else ""
        return f"{which}{len(hits)} found"

    def _go(self, place: int) -> None:
        self.following = False
        self.cursor = place
        self._choice[self._shown[place]] = True
        self.changed(place)
        self.show_block(place)

    @property
    def current(self) -> Item | None:
        """The item under the cursor, or None."""
        inside = 0 <= self.cursor < len(self._shown)
        return self._state.items[self._shown[self.cursor]] if inside else None

    def block_count(self) -> int:
        """See `Blocks`."""
        return len(self._shown)

    def block_height(self, index: int, width: int) -> int:
        """See `Blocks`."""
        item = self._state.items[self._shown[index]]
        opened = self._opened(index)
        if isinstance(item, ReplyItem):
            height = reply_height(item, opened)
            if height is not None:
                return height + len(self._notes_on(item))
        elif not opened and not isinstance(item, NoteItem):
            return 2
        return len(self._lines(index, width))

    def draw_block(self, index: int, width: int) -> list[Text]:
        """See `Blocks`."""
        lines = self._lines(index, width)
        if self._words:
            style = palette_of(self).accent + Style(reverse=True)
            for line in lines:
                line.highlight_words([self._words], style, case_sensitive=has_capitals(self._words))
        return lines

    def _lines(self, index: int, width: int) -> list[Text]:
        item = self._state.items[self._shown[index]]
        palette = palette_of(self)
        opened = self._opened(index)
        match item:
            case ReplyItem():
                lines = reply_lines(item, width, self._now, opened, palette)
                return [*lines, *written_lines(self._notes_on(item), width, opened, palette)]
            case CallItem():
                return call_lines(item, width, self._now, opened, palette)
            case HumanItem():
                return human_lines(item, width, opened, palette)
            case NoteItem():
                return note_lines(item, width, palette)

    def action_choose(self) -> None:
        """Open what is closed, close what is open."""
        if self.cursor >= 0:
            self._choice[self._shown[self.cursor]] = not self._opened(self.cursor)
            self.changed(self.cursor)
            self.show_block(self.cursor)

    def on_blocks_chosen(self, event: Blocks.Chosen) -> None:
        """A click on the selected item."""
        event.stop()
        self.action_choose()

    def watch_following(self, following: bool) -> None:
        """The border says whether the end is being followed."""
        self._titles()

    def _opened(self, place: int) -> bool:
        index = self._shown[place]
        if index in self._choice:
            return self._choice[index]
        item = self._state.items[index]
        return isinstance(item, CallItem) and item.status in ("failed", "waiting")

    def _titles(self) -> None:
        totals = self._state.totals
        shown = "" if self._filter == "all" else f" · only {_FILTER_WORDS[self._filter]}"
        self.border_title = f"calls {len(self._state.calls)}{shown}"
        parts = [
            f"{number} {word}"
            for number, word in (
                (totals.failed_calls, "failed"),
                (self._state.edited_calls, "edited"),
                (len(self._state.humans), "yours"),
            )
            if number
        ]
        if self._words:
            parts.append(self._hits_words())
        if self._first:
            parts.append(f"↑ {self._first}")
        if not self.following:
            parts.append("↓ end follows")
        self.border_subtitle = " · ".join(parts)


_FILTER_WORDS: dict[Filter, str] = {
    "all": "",
    "failed": "what failed",
    "edits": "edits",
    "yours": "what you did",
    "text": "what was said",
}


def _settled(item: Item) -> bool:
    """Whether an item will not change any more by itself."""
    match item:
        case CallItem():
            return item.finished is not None
        case ReplyItem():
            return item.replied is not None
        case HumanItem():
            if item.command is not None:
                return item.finished is not None or item.withdrawn
            if item.file is not None and not item.told_to_model:
                return True
            return item.delivered or item.withdrawn
        case NoteItem():
            return True


def _has_a_clock(item: Item) -> bool:
    """Whether an item shows a time that goes on."""
    return isinstance(item, ReplyItem) or (isinstance(item, CallItem) and item.status == "running")
