"""A scrolling list of text blocks that draws only the visible ones: calls, files, previews.

A subclass provides the number of blocks, their heights and their lines. This module handles
scrolling, the cursor, following the end, text selection and caching. Ten thousand blocks cost as
much as ten, as long as `block_height` is cheap.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from typing_extensions import override

from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.theming.palette import palette_of, selection_of
from sandbox_tui.tui.widgets.scroll_thumb import place_thumb
from sandbox_tui.tui.widgets.strip_ops import strip_of, under, with_span

SCROLL_LINES = 3
"""Lines a key scrolls within a block that is taller than the view."""

ROWS_AROUND = 3
"""Rows above and below a row that are scrolled into view with it."""


class BlockList(ScrollView, can_focus=True):
    """Base class for lists of blocks.

    Attributes:
        cursor: index of the selected block, or -1 for none.
        following: whether the view stays at the end as blocks are added.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("list.up", "cursor(-1)", show=False),
        binding("list.down", "cursor(1)", show=False),
        binding("list.page_up", "page(-1)", show=False),
        binding("list.page_down", "page(1)", show=False),
        binding("list.first", "first", show=False),
        binding("list.last", "last", show=False),
        binding("list.open", "choose", show=False),
    ]

    DEFAULT_CSS = """
    BlockList { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; overflow-x: hidden;
             scrollbar-gutter: stable; }
    """

    cursor: reactive[int] = reactive(-1)
    following: reactive[bool] = reactive(True)

    class FromBlock(Message):
        """Base class of messages about one block."""

        def __init__(self, block_list: BlockList, index: int) -> None:
            super().__init__()
            self.block_list = block_list
            self.index = index

        @property
        @override
        def control(self) -> BlockList:
            return self.block_list

    class Selected(FromBlock):
        """A block was opened (enter, or a click on the highlighted one)."""

    class Highlighted(FromBlock):
        """The cursor moved to another block."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._tops: list[int] = [0]
        self._measured_for = 0
        self._measured_height = 0
        self._drawn: dict[int, list[Text]] = {}
        self._seen: dict[int, dict[int, Strip]] = {}

    # --- for subclasses to implement

    def block_count(self) -> int:
        """Return the number of blocks."""
        raise NotImplementedError

    def block_height(self, index: int, width: int) -> int:
        """Return the height of a block at this width, in lines."""
        raise NotImplementedError

    def draw_block(self, index: int, width: int) -> list[Text]:
        """Return the lines of a block, each without newlines; as many as its `block_height`."""
        raise NotImplementedError

    @property
    def shows_cursor(self) -> bool:
        """Whether the block under the cursor is highlighted."""
        return self.has_focus

    # --- for subclasses to call

    def changed(self, first: int = 0, last: int | None = None) -> None:
        """Measure and redraw blocks `first` to `last`; None means to the end."""
        end = self.block_count() if last is None else last + 1
        for index in [i for i in self._drawn if first <= i < end]:
            del self._drawn[index]
            self._seen.pop(index, None)
        self._measure(first)
        self.refresh()

    def redraw_first(self, count: int) -> None:
        """Redraw the first `count` blocks, whose heights have not changed."""
        for index in [i for i in self._drawn if i < count]:
            del self._drawn[index]
            self._seen.pop(index, None)
        self.refresh()

    def reset(self) -> None:
        """Measure and redraw every block."""
        self._drawn.clear()
        self._seen.clear()
        self._tops = [0]
        self.cursor = min(self.cursor, self.block_count() - 1)
        self._measured_for = self._width
        self._measure(0)
        self.refresh()

    def show_block(self, index: int) -> None:
        """Scroll the block into view."""
        if 0 <= index < self.block_count():
            self._show_lines(self._tops[index], self._tops[index + 1])

    def show_row(self, index: int, row: int) -> None:
        """Scroll a row of a block into view, and some rows around it."""
        at = self._tops[index] + max(0, row)
        around = min(ROWS_AROUND, self.scrollable_content_region.height // 3)
        self._show_lines(max(0, at - around), min(self._tops[-1], at + around + 1))

    def _show_lines(self, top: int, bottom: int) -> None:
        """Scroll no further than needed; of more lines than fit, show the first."""
        y, height = self.scroll_offset.y, self.scrollable_content_region.height
        target = min(top, max(y, bottom - height))
        if target != y:
            self.scroll_to(y=target, animate=False, force=True, immediate=True)

    @override
    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn.clear()
        self._seen.clear()
        self.refresh()

    # --- geometry

    @property
    def _width(self) -> int:
        """Width of the lines; while the list is hidden and has none, the width it had before."""
        return max(1, self.scrollable_content_region.width or self._measured_for)

    def _measure(self, first: int) -> None:
        count, width = self.block_count(), self._width
        first = min(first, len(self._tops) - 1)
        del self._tops[first + 1 :]
        for index in range(first, count):
            self._tops.append(self._tops[-1] + self.block_height(index, width))
        size = Size(width, self._tops[-1])
        if size != self.virtual_size:
            self.virtual_size = size
        if self.following:
            self.go_to_end()
        self.call_after_refresh(place_thumb, self)

    def is_visible(self, index: int) -> bool:
        """Return whether any line of a block is in view."""
        y, height = self.scroll_offset.y, self.scrollable_content_region.height
        return self._tops[index] < y + height and self._tops[index + 1] > y

    def hidden_below(self, index: int) -> int:
        """Return the number of the block's lines below the view."""
        end = self.scroll_offset.y + self.scrollable_content_region.height
        return max(0, self._tops[index + 1] - end)

    def rows_left(self, index: int) -> int:
        """Return the rows of the view from the top of the last block on; none for other blocks."""
        if index != self.block_count() - 1 or index >= len(self._tops):
            return 0
        return max(0, self.scrollable_content_region.height - self._tops[index])

    def scroll_within(self, step: int) -> bool:
        """Scroll within the selected block if it is taller than the view.

        Returns:
            False if there is nothing left to scroll in that direction.
        """
        if not 0 <= self.cursor < self.block_count() or not self.is_visible(self.cursor):
            return False
        y, height = self.scroll_offset.y, self.scrollable_content_region.height
        top, bottom = self._tops[self.cursor], self._tops[self.cursor + 1]
        hidden = bottom - y - height if step > 0 else y - top
        if bottom - top <= height or hidden <= 0:
            return False
        lines = min(hidden, SCROLL_LINES) * (1 if step > 0 else -1)
        self.scroll_to(y=y + lines, animate=False, force=True, immediate=True)
        return True

    def go_to_end(self) -> None:
        """Scroll to the end; a hidden list does so once it is shown."""
        height = self.scrollable_content_region.height
        if height and self.scroll_offset.y != (end := max(0, self._tops[-1] - height)):
            self.scroll_to(y=end, animate=False, force=True, immediate=True)

    def block_at(self, line: int) -> int:
        """Return the index of the block at a content line, or -1 for none."""
        index = bisect_right(self._tops, line) - 1
        return index if 0 <= index < self.block_count() else -1

    def on_resize(self, event: Resize) -> None:
        """Measure every block again if the width changed; keep following the end, or keep the
        selected block in view."""
        keeps_cursor = not self.following and self._cursor_was_in_view()
        self._measured_height = self.scrollable_content_region.height or self._measured_height
        if self._width != self._measured_for:
            self._drawn.clear()
            self._seen.clear()
            self._tops = [0]
            self._measured_for = self._width
            self._measure(0)
        elif self.following:
            self.go_to_end()
        if keeps_cursor:
            self._keep_cursor_in_view()
        self.call_after_refresh(place_thumb, self)

    def _cursor_was_in_view(self) -> bool:
        """Return whether the selected block was in view before a resize."""
        if not 0 <= self.cursor < len(self._tops) - 1:
            return False
        y, height = self.scroll_offset.y, self.scrollable_content_region.height
        end = y + max(height, self._measured_height)
        return height > 0 and self._tops[self.cursor] < end and self._tops[self.cursor + 1] > y

    def _keep_cursor_in_view(self) -> None:
        """Show all of the selected block; one taller than the view keeps its scroll position."""
        height = self._tops[self.cursor + 1] - self._tops[self.cursor]
        if height <= self.scrollable_content_region.height or not self.is_visible(self.cursor):
            self.show_block(self.cursor)

    @override
    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Stop following when scrolled away from the end, resume when back there; not if hidden."""
        super().watch_scroll_y(old_value, new_value)
        if height := self.scrollable_content_region.height:
            end, y = self._tops[-1] - height, round(new_value)
            self.following = y >= end - 1 if new_value < old_value else self.following or y >= end

    # --- drawing

    def _lines_of(self, index: int) -> list[Text]:
        lines = self._drawn.get(index)
        if lines is None:
            lines = self._drawn[index] = self.draw_block(index, self._width)
        return lines

    def _strip_of(self, index: int, offset: int) -> Strip:
        """Return a line of a block, rendered on first display: most lines of a tall block never
        are."""
        seen = self._seen.setdefault(index, {})
        strip = seen.get(offset)
        if strip is None:
            lines = self._lines_of(index)
            has_it = offset < len(lines)
            strip = seen[offset] = strip_of(lines[offset]) if has_it else Strip.blank(self._width)
        return strip

    @override
    def render_line(self, y: int) -> Strip:
        line, width = self.scroll_offset.y + y, self._width
        index = self.block_at(line)
        base = self.rich_style
        if index < 0:
            return Strip.blank(width, base)
        strip = self._strip_of(index, line - self._tops[index])
        style = base
        if index == self.cursor and self.shows_cursor:
            style = base + palette_of(self).selected
        strip = strip.crop_extend(0, width, None)
        strip = strip.apply_style(style) if not style else under(strip, style)
        return self._selected(strip, line).apply_offsets(0, line)

    def _selected(self, strip: Strip, line: int) -> Strip:
        selection = self.text_selection
        if selection is None:
            return strip
        return with_span(strip, selection.get_span(line), selection_of(self))

    @override
    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        lines: list[str] = []
        for index in range(self.block_count()):
            plain = [line.plain for line in self._lines_of(index)]
            height = self._tops[index + 1] - self._tops[index]
            lines += [*plain, *[""] * (height - len(plain))][:height]
        return selection.extract("\n".join(line.rstrip() for line in lines)), "\n"

    @override
    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    # --- moving

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw both blocks and announce the newly highlighted one."""
        for index in (old, new):
            if 0 <= index < len(self._tops) - 1:
                self._refresh_block(index)
        if new >= 0:
            self.post_message(self.Highlighted(self, new))

    def _refresh_block(self, index: int) -> None:
        top = self._tops[index] - self.scroll_offset.y
        height = self._tops[index + 1] - self._tops[index]
        self.refresh(Region(0, top, self.size.width, height))

    def action_cursor(self, step: int) -> None:
        """Move the cursor by `step` blocks."""
        count = self.block_count()
        if not count:
            return
        before = self.cursor
        if self.cursor < 0:
            start = self.block_at(self.scroll_offset.y)
            self.cursor = count - 1 if self.following and step < 0 else max(0, start)
        else:
            self.cursor = min(max(self.cursor + step, 0), count - 1)
        if step > 0:
            self.following = self.cursor == count - 1
        if self.cursor != before:  # a block taller than the view keeps its scroll position
            self.following = self.following and step > 0
            self._show_from(self.cursor, step)

    def _show_from(self, index: int, step: int) -> None:
        """Show the selected block; of one taller than the view, reached from below, its end."""
        height = self.scrollable_content_region.height
        if step > 0 or self._tops[index + 1] - self._tops[index] <= height:
            self.show_block(index)
        elif not self.scroll_within(step):
            end = self._tops[index + 1] - height
            self.scroll_to(y=end, animate=False, force=True, immediate=True)

    def action_page(self, direction: int) -> None:
        """Scroll by a page."""
        height = max(1, self.scrollable_content_region.height - 1)
        y = self.scroll_offset.y + direction * height
        self.scroll_to(y=y, animate=False, force=True, immediate=True)

    def action_first(self) -> None:
        """Go to the first block."""
        self.following = False
        self.cursor = 0 if self.block_count() else -1
        self.scroll_to(y=0, animate=False, force=True, immediate=True)

    def action_last(self) -> None:
        """Go to the end and follow it."""
        self.cursor = self.block_count() - 1
        self.following = True
        self.go_to_end()

    def follow(self) -> None:
        """Follow the end, without a cursor."""
        self.cursor = -1
        self.following = True
        self.go_to_end()

    def action_choose(self) -> None:
        """Open the block under the cursor."""
        if self.cursor >= 0:
            self.post_message(self.Selected(self, self.cursor))

    def block_clicked(self, event: Click) -> int:
        """Return the index of the block under the mouse, or -1 for none (for example on the
        border)."""
        place = event.get_content_offset(self)
        return -1 if place is None else self.block_at(self.scroll_offset.y + place.y)

    def on_click(self, event: Click) -> None:
        """Move the cursor to the clicked block; open the block if the cursor is already on it."""
        index = self.block_clicked(event)
        if index < 0:
            return
        if index == self.cursor:
            self.post_message(self.Selected(self, index))
        self.cursor = index
