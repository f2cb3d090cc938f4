"""The queue of messages and commands for the model, which can be edited and removed."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.events import Click
from textual.message import Message
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import HumanItem, RunState
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.status import unfinished_reply
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.calls.rows.file_rows import FILE_ACTION_WORDS
from sandbox_tui.tui.widgets.calls.rows.free_shell import AFTER_CALL, starts_when

MAX_ROWS = 4
"""Visible rows; the rest can be scrolled to."""

MIN_WIDTH_OF_WHEN = 60
"""Minimum columns of the list that leave room for when an item is sent."""

MIN_WIDTH_OF_NOW = 90
"""Minimum columns of the list that leave room for both keys beside an item."""

_EDIT, _REMOVE = " ✎ ", " ✕ "
_MARKS = len(_EDIT) + len(_REMOVE)


class QueueList(BlockList):
    """Shows `RunState.queue`, hidden while it is empty; call `sync` after applying events."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("queue.edit", "choose"),
        binding("queue.remove", "remove"),
        binding("queue.leave", "leave"),
    ]

    has_its_own_keys = True

    DEFAULT_CSS = """
    QueueList {
        display: none; border: round $border-blurred; background: $background; padding: 0 1;
        border-title-color: $role-dim; border-subtitle-color: $role-dim; height: 3;
        &.-waiting { display: block; }
        &:focus {
            border: round $accent; border-title-color: $accent; border-title-style: bold;
            border-subtitle-color: $accent;
        }
    }
    """

    class EditRequested(Message):
        """The user wants to edit an item."""

        def __init__(self, item: HumanItem) -> None:
            super().__init__()
            self.item = item

    class RemoveRequested(Message):
        """The user wants to remove an item."""

        def __init__(self, item: HumanItem) -> None:
            super().__init__()
            self.item = item

    class Closed(Message):
        """The list returns the focus."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._items: list[HumanItem] = []
        self._shown: list[tuple[object, ...]] = []
        self._is_sooner = False
        self._starts = AFTER_CALL

    def sync(self, state: RunState) -> None:
        """Show the queue of this state."""
        items = state.queue
        shown: list[tuple[object, ...]] = [(i.id, i.text, i.finished is not None) for i in items]
        self._may_be_sooner(items, state)
        starts, self._starts = self._starts, starts_when(state)
        if starts != self._starts:
            self.changed()
        if shown == self._shown:
            return
        chosen = self._items[self.cursor].id if 0 <= self.cursor < len(self._items) else None
        self._items, self._shown = items, shown
        self.set_class(bool(items), "-waiting")
        self.set_class(len(items) == 1, "-one")
        self.styles.height = min(len(items), MAX_ROWS) + 2
        self.border_title = f"queued for the model {len(items)}"
        self.following = False
        self.reset()
        ids = [item.id for item in items]
        self.cursor = ids.index(chosen) if chosen in ids else min(self.cursor, len(items) - 1)
        if not self.has_focus:
            self.border_subtitle = self._keys_words()
        else:
            self._show_keys()
            self.screen.refresh_bindings()  # another item may be below the cursor, where it was
        if self.has_focus and not items:
            self.post_message(self.Closed())

    def _may_be_sooner(self, items: list[HumanItem], state: RunState) -> None:
        """Note whether stopping the reply would send what is queued immediately."""
        is_ready = any(item.command is None or item.finished is not None for item in items)
        is_sooner = is_ready and unfinished_reply(state) is not None and state.mode != "paused"
        if is_sooner != self._is_sooner:
            self._is_sooner = is_sooner
            if not self.has_focus:
                self.on_blur()

    def on_focus(self) -> None:
        """Show the keys and put the cursor on the first item."""
        if self.cursor < 0 and self._items:
            self.cursor = 0
        self._show_keys()
        self.show_block(self.cursor)

    @override
    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        if self.has_focus:
            self._show_keys()
            self.screen.refresh_bindings()

    def words_for(self, action: str) -> str | None:
        """The key bar's words for an action; none for editing what can no longer be edited."""
        return "" if action == "choose" and not self._may_edit else None

    @property
    def _may_edit(self) -> bool:
        return self._current is not None and self._current.may_change

    def _show_keys(self) -> None:
        edits = f"{hint('queue.edit')} edit · " if self._may_edit else ""
        keys = f"{hint('queue.remove')} withdraw · {hint('queue.leave')} back"
        self.border_subtitle = f"{edits}{keys}"

    def on_blur(self) -> None:
        """Show the key that focuses the list, and the one that sends what is queued sooner."""
        self.border_subtitle = self._keys_words()
        self.reset()

    def _keys_words(self, width: int = 0) -> str:
        """Return the key that focuses the list, and, if it fits, the one that sends what is queued
        sooner."""
        may_edit = any(item.may_change for item in self._items)
        words = f"{hint('live.queue')} {'edit or withdraw' if may_edit else 'withdraw'}"
        now = f" · {hint('live.interrupt_reply')} stop the reply and send now"
        return words if not self._is_sooner or 0 < width < MIN_WIDTH_OF_NOW else words + now

    def on_mount(self) -> None:
        """Start unfocused."""
        self.on_blur()

    # --- drawing

    @override
    def block_count(self) -> int:
        return len(self._items)

    @override
    def block_height(self, index: int, width: int) -> int:
        return 1

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        item, palette = self._items[index], palette_of(self)
        line = Text(no_wrap=True)
        line.append(f"{_what(item):<9}", style=palette.human + _BOLD)
        line.append(sanitize_line(item.text), style=palette.text)
        when = Text(style=palette.dim, no_wrap=True)
        if index == 0 and not self.has_focus and not self.styles.border_bottom[0]:
            has_run = "" if item.finished is None else "has run · "
            when.append(f"  {has_run}{self._keys_words(width)}")  # there is no border to say it
        elif width >= MIN_WIDTH_OF_WHEN:
            when.append(f"  {_when(item, self._starts)}")
        fit_line(line, max(8, width - when.cell_len - _MARKS))
        line.pad_right(max(0, width - when.cell_len - _MARKS - line.cell_len))
        line.append_text(when)
        line.append(_EDIT if item.may_change else "   ", style=palette.accent)
        line.append(_REMOVE, style=palette.bad)
        return [line]

    # --- actions

    @override
    def action_choose(self) -> None:
        """Edit the item under the cursor."""
        item = self._current
        if item is None:
            return
        if item.may_change:
            self.post_message(self.EditRequested(item))
        else:
            what = "file was changed" if item.file is not None else "command has run"
            self.notify(f"The {what}; only its report to the model can be withdrawn.")

    def action_remove(self) -> None:
        """Remove the item under the cursor."""
        if self._current is not None:
            self.post_message(self.RemoveRequested(self._current))

    def action_leave(self) -> None:
        """Return the focus."""
        self.post_message(self.Closed())

    def on_click(self, event: Click) -> None:
        """Select the clicked row; a click on one of its signs edits or removes the item."""
        event.stop()
        event.prevent_default()
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self.block_at(self.scroll_offset.y + offset.y)
        if index < 0:
            return
        self.cursor = index
        from_right = self.scrollable_content_region.width - offset.x
        if from_right <= len(_REMOVE):
            self.action_remove()
        elif from_right <= _MARKS:
            self.action_choose()

    @property
    def _current(self) -> HumanItem | None:
        return self._items[self.cursor] if 0 <= self.cursor < len(self._items) else None


_BOLD = Style(bold=True)


def _what(item: HumanItem) -> str:
    if item.file is not None:
        return FILE_ACTION_WORDS[item.file.action]
    return "message" if item.command is None else "you"


def _when(item: HumanItem, starts: str) -> str:
    if item.command is None:
        return "with the next request"
    if item.finished is not None:
        return "has run; sent with the next request"
    return starts
