"""Which items of the list of calls are open."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandbox_tui.core.events.run_state import CallItem, Item, ReplyItem
from sandbox_tui.tui.widgets.calls.rows.call_rows import tells_all_when_closed
from sandbox_tui.tui.widgets.calls.rows.thought_rows import has_long_thinking


class OpenedItems:
    """Keeps track of open items.

    Items that the user opened are open, and so are waiting calls, failed ones unless their two
    lines tell all, and replies until the next call starts. Long thinking is only shown in full if
    the user opens its reply.

    Args:
        width: returns the width of the list, in columns.

    Attributes:
        chosen: what the user opened (True) or closed (False), by index.
    """

    def __init__(self, width: Callable[[], int]) -> None:
        self._width = width
        self.chosen: dict[int, bool] = {}
        self._kept: set[int] = set()  # replies that the user was reading when the next call started
        self._last_started = -1

    def show(self, items: Sequence[Item], first: int) -> None:
        """Start over with the items from `first` on."""
        self.chosen = {i: opened for i, opened in self.chosen.items() if i < len(items)}
        self._kept = {i for i in self._kept if i < len(items)}
        self._last_started = max(first - 1, _last_started(items, first))

    def catch_up(self, items: Sequence[Item], first: int, *, following: bool) -> int:
        """Fold the replies before the last call that has started.

        Args:
            items: all items of the run.
            first: the first item that may have changed.
            following: whether the end is in view; if not, these replies stay open for the user to
                read.

        Returns:
            The first item to redraw.
        """
        started, before = _last_started(items, first), self._last_started
        if started <= before:
            return first
        self._last_started = started
        replies = [i for i in range(before + 1, started) if isinstance(items[i], ReplyItem)]
        if not following:
            self._kept.update(replies)
        return min([first, *replies])

    def is_open(self, items: Sequence[Item], index: int) -> bool:
        """Return whether an item is open."""
        if index in self.chosen:
            return self.chosen[index]
        item = items[index]
        if isinstance(item, ReplyItem):
            return index > self._last_started or index in self._kept
        if not isinstance(item, CallItem):
            return False
        if item.status == "failed":
            return not tells_all_when_closed(item, self._width())
        return item.status == "waiting"

    def is_whole(self, index: int) -> bool:
        """Return whether an item is shown in full because the user opened it."""
        return self.chosen.get(index, False)

    def toggle(self, items: Sequence[Item], index: int) -> None:
        """Open or close an item; a reply whose thinking is folded is opened in full first."""
        item = items[index]
        folded = isinstance(item, ReplyItem) and has_long_thinking(item)
        opened = self.is_whole(index) if folded else self.is_open(items, index)
        self.chosen[index] = not opened


def _last_started(items: Sequence[Item], first: int) -> int:
    """Return the index of the last call from `first` on that has started or finished, or -1 for
    none."""
    for index in range(len(items) - 1, first - 1, -1):
        item = items[index]
        if isinstance(item, CallItem) and (item.started_at is not None or item.finished):
            return index
    return -1
