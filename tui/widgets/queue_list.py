# pyright: reportUnknownMemberType=false
"""What a person said and typed that still waits: seen, changed and taken back here."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message

from ...core.state import HumanItem, RunState
from ...core.text import clean_line
from ..keymap import hint
from ..palette import palette_of
from .blocks import Blocks

SHOWN = 4
"""Rows; the rest is scrolled to."""

_EDIT, _REMOVE = " ✎ ", " ✕ "
_MARKS = len(_EDIT) + len(_REMOVE)


class QueueList(Blocks):
    """Shows `RunState.queue`; gone while that is empty. `sync` after events were applied."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e,enter", "choose", "edit", key_display="e", id="queue.edit"),
        Binding("d,delete,backspace", "remove", "remove", key_display="d", id="queue.remove"),
        Binding("escape", "leave", "Back", show=False, id="queue.leave"),
    ]

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

    class Edit(Message):
        """A person wants to word an item differently."""

        def __init__(self, item: HumanItem) -> None:
            super().__init__()
            self.item = item

    class Remove(Message):
        """A person takes an item back."""

        def __init__(self, item: HumanItem) -> None:
            super().__init__()
            self.item = item

    class Left(Message):
        """The keyboard is given back."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._items: list[HumanItem] = []
        self._shown: list[tuple[object, ...]] = []

    def sync(self, state: RunState) -> None:
        """Show what waits in this state."""
        items = state.queue
        shown: list[tuple[object, ...]] = [(i.id, i.text, i.finished is not None) for i in items]
        if shown == self._shown:
            return
        chosen = self._items[self.cursor].id if 0 <= self.cursor < len(self._items) else None
        self._items, self._shown = items, shown
        self.set_class(bool(items), "-waiting")
        self.styles.height = min(len(items), SHOWN) + 2
        self.border_title = f"waiting for the model {len(items)}"
        self.following = False
        self.reset()
        ids = [item.id for item in items]
        self.cursor = ids.index(chosen) if chosen in ids else min(self.cursor, len(items) - 1)
        if self.has_focus and not items:
            self.post_message(self.Left())

    def on_focus(self) -> None:
        """Say what can be done, to the first that waits."""
        self.border_subtitle = (
            f"{hint('queue.edit')} edit · {hint('queue.remove')} remove · "
            f"{hint('queue.leave')} back"
        )
        if self.cursor < 0 and self._items:
            self.cursor = 0
        self.show_block(self.cursor)

    def on_blur(self) -> None:
        """Say how to come here."""
        self.border_subtitle = hint("live.queue")

    def on_mount(self) -> None:
        """Not focused at first."""
        self.on_blur()

    # --- drawing

    def block_count(self) -> int:
        """See `Blocks`."""
        return len(self._items)

    def block_height(self, index: int, width: int) -> int:
        """See `Blocks`."""
        return 1

    def draw_block(self, index: int, width: int) -> list[Text]:
        """See `Blocks`."""
        item, palette = self._items[index], palette_of(self)
        line = Text(no_wrap=True)
        line.append("you  " if item.command is not None else "say  ", style=palette.human + _BOLD)
        line.append(clean_line(item.text), style=palette.text)
        when = Text(f"  {_when(item)}", style=palette.dim, no_wrap=True)
        if width < 60:
            when = Text()
        line.truncate(max(8, width - when.cell_len - _MARKS), overflow="ellipsis")
        line.pad_right(max(0, width - when.cell_len - _MARKS - line.cell_len))
        line.append_text(when)
        line.append(_EDIT if item.may_change else "   ", style=palette.accent)
        line.append(_REMOVE, style=palette.bad)
        return [line]

    # --- doing

    def action_choose(self) -> None:
        """Change the item under the cursor."""
        item = self._current
        if item is None:
            return
        if item.may_change:
            self.post_message(self.Edit(item))
        else:
            self.notify("The command has run; only telling the model can be taken back.")

    def action_remove(self) -> None:
        """Take the item under the cursor back."""
        if self._current is not None:
            self.post_message(self.Remove(self._current))

    def action_leave(self) -> None:
        """Give the keyboard back."""
        self.post_message(self.Left())

    def on_click(self, event: Click) -> None:
        """A click on a row selects it, on one of its marks does what that stands for."""
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


def _when(item: HumanItem) -> str:
    if item.command is None:
        return "with the next request"
    if item.finished is not None:
        return "has run; told with the next request"
    return "after the running call"
