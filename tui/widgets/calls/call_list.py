"""The list of calls: everything that happened in a run, in order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.segment import Segment
from rich.text import Text
from textual.content import Content
from textual.events import Resize
from textual.strip import Strip
from typing_extensions import override

from sandbox_tui.core.events.reply_calls import (
    CallToCome,
    calls_to_come,
    precedes_calls_to_come,
)
from sandbox_tui.core.events.run_state import HumanItem, Item, ReplyItem, RunState
from sandbox_tui.tui.format.status import next_try_when
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.calls.call_counts import (
    as_many_as_fit,
    call_counts,
    end_words,
    extent,
)
from sandbox_tui.tui.widgets.calls.edited_file import EditedFiles, GetBlob
from sandbox_tui.tui.widgets.calls.hidden_panes import hidden_panes
from sandbox_tui.tui.widgets.calls.opened_items import OpenedItems
from sandbox_tui.tui.widgets.calls.rows.free_shell import is_unread, shell_free_at, waits_until
from sandbox_tui.tui.widgets.calls.rows.human_rows import is_all_shown, session_note_lines
from sandbox_tui.tui.widgets.calls.rows.item_rows import item_height, item_lines, run_end
from sandbox_tui.tui.widgets.calls.rows.rows_to_come import rows_to_come
from sandbox_tui.tui.widgets.calls.rows.task_rows import (
    TASK,
    awaits_first_output,
    is_whole_when_closed,
    task_item,
    task_lines,
)
from sandbox_tui.tui.widgets.calls.scroll_to_waiting_call import Attention
from sandbox_tui.tui.widgets.calls.search.call_filter import (
    FILTER_WORDS,
    FILTERS,
    Filter,
    fits,
    has_clock,
    is_settled,
    nearest,
    start_of_window,
)
from sandbox_tui.tui.widgets.calls.search.nothing_shown import later_words, nothing_shown
from sandbox_tui.tui.widgets.calls.search.search_keys import SearchKeys

WINDOW_ITEMS = 60
"""Number of items loaded after a jump; scrolling up loads the ones before them."""


class Calls(SearchKeys):
    """Shows `RunState.items`.

    The screen calls `sync` after it applies events; only items that may have changed are redrawn.
    Failed and waiting calls stay open until the user closes them. A reply stays open until the next
    call starts, or longer while the user reads above the end.

    Args:
        state: the run.
        task: the task of the run, the first item; empty for none.
        autoselect: whether a call that starts to wait is selected and scrolled into view.
        get_blob: returns the content of files by digest.

    Attributes:
        failures_later: returns the number of failures later in the recording (replay).
    """

    def __init__(
        self,
        state: RunState,
        *,
        task: str = "",
        autoselect: bool = False,
        get_blob: GetBlob = lambda _: None,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._state = state
        self._autoselect = autoselect
        self.edited_files = EditedFiles(get_blob)
        self.attention = Attention(self)
        self._left_at = (0, 0)
        self._opened_items = OpenedItems(lambda: self._width)
        self._first = self._known = 0
        self._filter: Filter = "all"
        self._task_item = task_item(task)
        self._shown = self._task_if_shown()
        self._awaits_output = True
        self._notes: Mapping[int, Sequence[str]] = {}
        self.failures_later: Callable[[], int] = int  # none
        self._open_items: set[int] = set()
        self._to_come: Sequence[CallToCome] = ()
        self._precedes_calls = -1  # index of the item below which the calls to come stand
        self._now = 0.0
        self.border_title, self.is_interrupted = "calls", False

    def show(self, state: RunState, now: float) -> None:
        """Show another state after a replay jumped, at first only its last items."""
        self._state, self._now = state, now
        self._known = len(state.items)
        self._first = start_of_window(state.items, self._filter, WINDOW_ITEMS)
        self._open_items = self._unsettled(range(self._first, self._known))
        self._look_for_calls_to_come()
        self._opened_items.show(state.items, self._first)
        self._shown = [*self._task_if_shown(), *self._fitting_items(self._first, self._known)]
        self._awaits_output = awaits_first_output(state.items)
        self.following = True
        ends_here = self._shown[-1:] == [self._known - 1]  # unless the filter hides the last item
        self.cursor = len(self._shown) - 1 if self.cursor >= 0 and ends_here else -1
        self.reset()
        self._titles()

    def sync(self, now: float) -> None:
        """Catch up with the state; `now` is the run's clock in seconds."""
        self._now = now
        items = self._state.items
        before = self._precedes_calls
        self._look_for_calls_to_come()
        changed = {*self._open_items, before, self._precedes_calls} - {-1}
        first = min(self._known, *changed) if changed else self._known
        first = self._opened_items.catch_up(items, first, following=self.following)
        fresh = range(self._known, len(items))
        self._open_items = self._unsettled((*self._open_items, *fresh))
        self._known = len(items)
        place = bisect_left(self._shown, first)
        self._shown[place:] = self._fitting_items(first, self._known)
        awaited, self._awaits_output = self._awaits_output, awaits_first_output(items)
        self.changed(place if awaited == self._awaits_output else 0)
        self._attend()
        self._titles()

    def _look_for_calls_to_come(self) -> None:
        self._to_come = calls_to_come(self._state)
        self._precedes_calls = precedes_calls_to_come(self._state, self._to_come)

    def tick(self, now: float) -> None:
        """Redraw the running clocks."""
        self._now = now
        for index in sorted(self._open_items):
            place = bisect_left(self._shown, index)
            if self._shown[place : place + 1] == [index] and has_clock(self._state.items[index]):
                self.changed(place, place)

    def show_notes(self, notes: Mapping[int, Sequence[str]]) -> None:
        """Show notes below the replies of their steps; those of step 0, on the whole session, at
        the top."""
        if notes != self._notes:
            self._notes = notes
            self.changed()

    def _notes_on(self, item: Item) -> Sequence[str]:
        return self._notes.get(item.step, ()) if isinstance(item, ReplyItem) else ()

    def adopt(self, state: RunState) -> None:
        """Switch to another object that holds the same state."""
        self._state = state

    def _unsettled(self, places: Iterable[int]) -> set[int]:
        items = ((i, self._state.items[i]) for i in places)
        return {i for i, item in items if not is_settled(item) or is_unread(item, self._state)}

    def _fitting_items(self, first: int, last: int) -> list[int]:
        items = self._state.items
        return [i for i in range(first, last) if fits(items[i], self._filter)]

    def _task_if_shown(self) -> list[int]:
        """Return the index of the task if it stands before the first loaded item."""
        is_shown = self._task_item.text and not self._first and fits(self._task_item, self._filter)
        return [TASK] if is_shown else []

    @override
    def _item(self, place: int) -> Item:
        index = self._shown[place]
        return self._task_item if index == TASK else self._state.items[index]

    # --- the waiting call

    @property
    def waiting(self) -> int | None:
        """Number of the waiting call; None if there is none or the list does not attend."""
        return self.attention.number

    def _attend(self) -> None:
        pending = self._state.pending if self._autoselect else None
        number = pending.call.number if pending is not None else None
        self.attention.update(number, lambda: self._waiting_place)

    @property
    def _waiting_place(self) -> int:
        """Index of the waiting call among the shown items, or -1 if it is not shown."""
        pending = self._state.pending
        if pending is None:
            return -1
        places = range(len(self._shown) - 1, -1, -1)
        return next((place for place in places if self._item(place) is pending), -1)

    def on_resize(self, event: Resize) -> None:
        """Keep the waiting call in view, and fit the words of the border."""
        self.call_after_refresh(self.attention.resized)
        self.call_after_refresh(self._titles)

    # --- earlier items

    def show_earlier(self) -> None:
        """Load the items before the first shown one, keeping the visible lines in place."""
        if not self._first:
            return
        first = max(0, self._first - WINDOW_ITEMS)
        more = self._fitting_items(first, self._first)
        self._open_items |= self._unsettled(range(first, self._first))
        self._first = first
        more = [*self._task_if_shown(), *more]
        self._shown[:0] = more
        self.cursor += len(more) if self.cursor >= 0 else 0
        following, y, self.following = self.following, self.scroll_offset.y, False
        self.reset()
        self.scroll_to(y=y + self._tops[len(more)], animate=False, force=True, immediate=True)
        self.following = following
        self._titles()

    @override
    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Load earlier items when the view reaches the top."""
        super().watch_scroll_y(old_value, new_value)
        if self.waiting is not None:
            self._titles()
        if self._first and round(new_value) == 0 and new_value < old_value:
            self.call_after_refresh(self.show_earlier)

    @override
    def action_cursor(self, step: int) -> None:
        if self.scroll_within(step):
            return
        if self.cursor == 0 and step < 0:
            self.show_earlier()
        super().action_cursor(step)

    # --- search

    def action_filter(self) -> None:
        """Switch to the next filter; the cursor stays at its item, or goes to the next shown."""
        item = self._shown[self.cursor] if 0 <= self.cursor < len(self._shown) else None
        self._filter = FILTERS[(FILTERS.index(self._filter) + 1) % len(FILTERS)]
        first = start_of_window(self._state.items[: self._known], self._filter, WINDOW_ITEMS)
        if first < self._first:
            self._open_items |= self._unsettled(range(first, self._first))
            self._first = first
        self._shown = [*self._task_if_shown(), *self._fitting_items(self._first, self._known)]
        self.cursor = nearest(self._shown, item)
        self.reset()
        self.show_block(self.cursor)
        self._titles()

    def show_all(self) -> bool:
        """End the filter; return False if there is none."""
        before, self._filter = self._filter, FILTERS[-1]
        self.action_filter()
        return before != "all"

    def _matches(self) -> list[int]:
        return self._search.matches(map(self._item, range(len(self._shown))))

    def _go(self, place: int) -> None:
        self.following, self.cursor = False, place
        self._opened_items.chosen[self._shown[place]] = True
        self.changed(place)
        self._show_match(place, self._item(place))

    @property
    def current(self) -> Item | None:
        """The item under the cursor, or None."""
        return self._item(self.cursor) if 0 <= self.cursor < len(self._shown) else None

    @property
    def last_shown(self) -> Item | None:
        """The last item, unless the filter hides all."""
        return self._item(-1) if self._shown else None

    @override
    def block_count(self) -> int:
        return len(self._shown)

    @override
    def block_height(self, index: int, width: int) -> int:
        item = self._item(index)
        is_top = item is self._task_item or bool(self._top_notes(index, width))
        is_longer = is_top or self._shown[index] == self._precedes_calls
        notes = self._notes_on(item)
        height = None if is_longer else item_height(item, width, self._opened(index), notes)
        return len(self._lines(index, width)) if height is None else height

    @override
    def render_line(self, y: int) -> Strip:
        """Show a message if the filter hides every item."""
        if self._shown or self._filter == "all":
            return super().render_line(y)
        words = nothing_shown(self._filter, self._state, self.failures_later)
        lines = [f" {line}" for line in words[y : y + 1]]
        line = Strip([Segment("".join(lines), self.rich_style + palette_of(self).dim)])
        return line.crop_extend(0, self._width, self.rich_style)

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        return self._search.highlight(self._lines(index, width), palette_of(self))

    def _lines(self, index: int, width: int) -> list[Text]:
        item, opened, words = self._item(index), self._opened(index), self._search.words
        if item is self._task_item:
            lines = task_lines(self._task_item.text, width, opened, palette_of(self), words)
            return [*self._top_notes(index, width), *lines]
        preview = self.edited_files.preview(item, self._state.files) if opened else None
        state, end = self._state, run_end(self._state, is_interrupted=self.is_interrupted)
        lines = item_lines(
            *(item, width, self._now, opened, self._notes_on(item), palette_of(self), preview, end),
            *(self._opened_items.is_whole(self._shown[index]), shell_free_at(item, state)),
            *(self.rows_left(index), waits_until(item, state), words, next_try_when(state)),
        )
        if self._shown[index] == self._precedes_calls:
            lines += rows_to_come(self._to_come, width, palette_of(self), has_ended=end != "")
        return [*self._top_notes(index, width), *lines]

    def _top_notes(self, place: int, width: int) -> list[Text]:
        """Return the notes on the whole session above the first item."""
        is_top = 0 in self._notes and place == 0 and self._shown[0] in (TASK, 0)
        return session_note_lines(self._notes[0], width, palette_of(self)) if is_top else []

    @override
    def action_choose(self) -> None:
        """Open or close the item under the cursor."""
        if self.cursor >= 0 and not self.shows_all_of_it:
            if self._shown[self.cursor] == TASK:
                self._opened_items.chosen[TASK] = not self._opened(self.cursor)
            else:
                self._opened_items.toggle(self._state.items, self._shown[self.cursor])
            self.changed(self.cursor)
            self.show_block(self.cursor)

    def on_block_list_selected(self, event: BlockList.Selected) -> None:
        """Open or close the clicked item."""
        event.stop()
        self.action_choose()

    def watch_following(self, following: bool) -> None:
        """Update the border, which tells whether the end is followed."""
        self._left_at = extent(self.last_shown, len(self._shown))
        self._titles()

    def _opened(self, place: int) -> bool:
        if self._shown[place] == TASK:
            return self._opened_items.chosen.get(TASK, self._awaits_output)
        return self._opened_items.is_open(self._state.items, self._shown[place])

    @property
    def shows_all_of_it(self) -> bool:
        """Whether the item under the cursor is a text that its closed row shows in full."""
        item, width = self.current, self._width
        if item is self._task_item:
            return is_whole_when_closed(self._task_item.text, width, palette_of(self))
        return isinstance(item, HumanItem) and is_all_shown(item, width)

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        if action == "choose" and self.shows_all_of_it:
            return "all of it is shown"
        return super().why_unavailable(action, parameters)

    def _titles(self) -> None:
        shown = "" if self._filter == "all" else f" · only {FILTER_WORDS[self._filter]}"
        title = f"calls{f' {self._state.calls_made}' if self._state.seq else ''}{shown}"
        self.border_title = Content(title) + hidden_panes(self)
        parts = self._below()  # what asks for a key comes first
        if self._search.words:
            parts.append(self._search.summary(self._matches(), self.cursor))
        parts += [*call_counts(self._state), *later_words(self._filter, self.failures_later)]
        if self._first:
            parts.append(f"↑ {self._first}")
        self.border_subtitle = as_many_as_fit(parts, self.size.width)

    def _below(self) -> list[str]:
        """Return what is out of view: a waiting call, new items, or the end."""
        place = self._waiting_place if self.waiting is not None else -1
        if place >= 0 and not self.is_visible(place):
            arrow = "↑" if self._tops[place] < self.scroll_offset.y else "↓"
            return [f"{arrow} call {self.waiting} waits"]
        if place >= 0 and self.hidden_below(place):
            return [f"↓ more of call {self.waiting}"]
        if self.following or self._state.finished is not None:
            return []
        return [end_words(extent(self.last_shown, len(self._shown)), self._left_at)]
