"""The list of calls: everything that happened in a run, in order."""

from __future__ import annotations

from rich.text import Text

from ...core.state import CallItem, HumanItem, Item, NoteItem, ReplyItem, RunState
from ..palette import palette_of
from .blocks import Blocks
from .call_cards import (
    call_lines,
    human_lines,
    note_lines,
    reply_height,
    reply_lines,
)


class Calls(Blocks):
    """Shows `RunState.items`.

    The screen calls `sync` after it applied events; only items that may have changed are redrawn.
    Failed and waiting calls are open until a person closes them.
    """

    def __init__(self, state: RunState, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state = state
        self._choice: dict[int, bool] = {}
        self._known = 0
        self._open_items: set[int] = set()
        self._now = 0.0
        self.border_title = "calls"

    def show(self, state: RunState, now: float) -> None:
        """Show another state (replay jumped)."""
        self._state = state
        self._now = now
        self._known = len(state.items)
        self._open_items = {i for i, item in enumerate(state.items) if not _settled(item)}
        self._choice = {i: o for i, o in self._choice.items() if i < self._known}
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
        self.changed(first)
        self._titles()

    def tick(self, now: float) -> None:
        """Redraw what shows a running clock."""
        self._now = now
        for index in sorted(self._open_items):
            if _has_a_clock(self._state.items[index]):
                self.changed(index, index)

    @property
    def current(self) -> Item | None:
        """The item under the cursor, or None."""
        return self._state.items[self.cursor] if 0 <= self.cursor < self._known else None

    def block_count(self) -> int:
        """See `Blocks`."""
        return self._known

    def block_height(self, index: int, width: int) -> int:
        """See `Blocks`."""
        item = self._state.items[index]
        opened = self._opened(index)
        if isinstance(item, ReplyItem):
            height = reply_height(item, opened)
            if height is not None:
                return height
        elif not opened and not isinstance(item, NoteItem):
            return 2
        return len(self.draw_block(index, width))

    def draw_block(self, index: int, width: int) -> list[Text]:
        """See `Blocks`."""
        item = self._state.items[index]
        palette = palette_of(self)
        opened = self._opened(index)
        match item:
            case ReplyItem():
                return reply_lines(item, width, self._now, opened, palette)
            case CallItem():
                return call_lines(item, width, self._now, opened, palette)
            case HumanItem():
                return human_lines(item, width, opened, palette)
            case NoteItem():
                return note_lines(item, width, palette)

    def action_choose(self) -> None:
        """Open what is closed, close what is open."""
        if self.cursor >= 0:
            self._choice[self.cursor] = not self._opened(self.cursor)
            self.changed(self.cursor)
            self.show_block(self.cursor)

    def on_blocks_chosen(self, event: Blocks.Chosen) -> None:
        """A click on the selected item."""
        event.stop()
        self.action_choose()

    def watch_following(self, following: bool) -> None:
        """The border says whether the end is being followed."""
        self._titles()

    def _opened(self, index: int) -> bool:
        if index in self._choice:
            return self._choice[index]
        item = self._state.items[index]
        return isinstance(item, CallItem) and item.status in ("failed", "waiting")

    def _titles(self) -> None:
        totals = self._state.totals
        self.border_title = f"calls {len(self._state.calls)}"
        edited = sum(
            1 for i in self._state.calls.values() if i.decided and i.decided.verdict == "edit"
        )
        parts = [
            f"{number} {word}"
            for number, word in (
                (totals.failed_calls, "failed"),
                (edited, "edited"),
                (len(self._state.humans), "yours"),
            )
            if number
        ]
        if not self.following:
            parts.append("↓ end follows")
        self.border_subtitle = " · ".join(parts)


def _settled(item: Item) -> bool:
    """Whether an item will not change any more by itself."""
    match item:
        case CallItem():
            return item.finished is not None
        case ReplyItem():
            return item.replied is not None
        case HumanItem():
            if item.command is not None:
                return item.finished is not None
            return item.delivered or item.withdrawn
        case NoteItem():
            return True


def _has_a_clock(item: Item) -> bool:
    """Whether an item shows a time that goes on."""
    return isinstance(item, ReplyItem) or (isinstance(item, CallItem) and item.status == "running")
