"""A list of blocks of text lines, drawn only where it is seen: the base of calls, files, previews.

A subclass says how many blocks there are, how tall each is and how it is drawn; this class does
scrolling, the cursor, following the end, selection of text, and caching. Ten thousand blocks cost
as much as ten, as long as `block_height` is cheap.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import ClassVar

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from ..palette import palette_of, selection_of
from .scroll_thumb import place_thumb
from .strip_spans import with_span

_CONSOLE = Console(width=200, color_system="truecolor", force_terminal=True, legacy_windows=False)


class Blocks(ScrollView, can_focus=True):
    """See the module's text.

    Attributes:
        cursor: index of the selected block, -1 for none.
        following: whether the view stays at its end as blocks are added.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "cursor(-1)", "Up", show=False, id="list.up"),
        Binding("down,j", "cursor(1)", "Down", show=False, id="list.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="list.page_up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="list.page_down"),
        Binding("home,g", "first", "First", show=False, id="list.first"),
        Binding("end,G", "last", "Last", show=False, id="list.last"),
        Binding("enter", "choose", "Open", show=False, id="list.open"),
    ]

    DEFAULT_CSS = """
    Blocks { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; overflow-x: hidden;
             scrollbar-gutter: stable; }
    """

    cursor: reactive[int] = reactive(-1)
    following: reactive[bool] = reactive(True)

    class Chosen(Message):
        """A block was opened (enter, or a click on the selected one)."""

        def __init__(self, blocks: Blocks, index: int) -> None:
            super().__init__()
            self.blocks = blocks
            self.index = index

        @property
        def control(self) -> Blocks:
            """The widget that sent it."""
            return self.blocks

    class Moved(Message):
        """The cursor is on another block."""

        def __init__(self, blocks: Blocks, index: int) -> None:
            super().__init__()
            self.blocks = blocks
            self.index = index

        @property
        def control(self) -> Blocks:
            """The widget that sent it."""
            return self.blocks

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._tops: list[int] = [0]
        self._drawn: dict[int, list[Strip]] = {}
        self._plain: dict[int, list[str]] = {}

    # --- what a subclass says

    def block_count(self) -> int:
        """How many blocks there are."""
        raise NotImplementedError

    def block_height(self, index: int, width: int) -> int:
        """Lines of a block at this width."""
        raise NotImplementedError

    def draw_block(self, index: int, width: int) -> list[Text]:
        """A block's lines, each a Text without newlines; as many as `block_height` says."""
        raise NotImplementedError

    @property
    def shows_cursor(self) -> bool:
        """Whether the selected block is to be told from the others."""
        return self.has_focus

    # --- what a subclass calls

    def changed(self, first: int = 0, last: int | None = None) -> None:
        """Blocks `first` to `last` (to the end) may look different or have another height."""
        end = self.block_count() if last is None else last + 1
        for index in [i for i in self._drawn if first <= i < end]:
            del self._drawn[index]
            self._plain.pop(index, None)
        self._measure(first)
        self.refresh()

    def reset(self) -> None:
        """Everything is different: forget all that was drawn."""
        self._drawn.clear()
        self._plain.clear()
        self._tops = [0]
        self.cursor = min(self.cursor, self.block_count() - 1)
        self._measure(0)
        self.refresh()

    def show_block(self, index: int) -> None:
        """Scroll so that the block is seen."""
        if not 0 <= index < self.block_count():
            return
        top, bottom = self._tops[index], self._tops[index + 1]
        height = self.scrollable_content_region.height
        y = self.scroll_offset.y
        if top < y:
            self.scroll_to(y=top, animate=False, force=True, immediate=True)
        elif bottom > y + height:
            target = min(top, bottom - height)
            self.scroll_to(y=target, animate=False, force=True, immediate=True)

    def notify_style_update(self) -> None:
        """Another theme: what was drawn is in the old one's colours."""
        super().notify_style_update()
        self._drawn.clear()
        self._plain.clear()
        self.refresh()

    # --- geometry

    @property
    def _width(self) -> int:
        return max(1, self.scrollable_content_region.width)

    def _measure(self, first: int) -> None:
        count = self.block_count()
        width = self._width
        first = min(first, len(self._tops) - 1)
        del self._tops[first + 1 :]
        for index in range(first, count):
            self._tops.append(self._tops[-1] + self.block_height(index, width))
        size = Size(width, self._tops[-1])
        if size != self.virtual_size:
            self.virtual_size = size
        if self.following:
            self._to_end()
        self.call_after_refresh(place_thumb, self)

    def _to_end(self) -> None:
        end = max(0, self._tops[-1] - self.scrollable_content_region.height)
        if self.scroll_offset.y != end:
            self.scroll_to(y=end, animate=False, force=True, immediate=True)

    def block_at(self, line: int) -> int:
        """Index of the block that holds a line of the content, -1 for none."""
        index = bisect_right(self._tops, line) - 1
        return index if 0 <= index < self.block_count() else -1

    def on_resize(self, event: Resize) -> None:
        """Heights depend on the width."""
        self._drawn.clear()
        self._plain.clear()
        self._tops = [0]
        self._measure(0)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Whoever scrolls away from the end is left in peace; who comes back follows again."""
        super().watch_scroll_y(old_value, new_value)
        end = self._tops[-1] - self.scrollable_content_region.height
        self.following = (
            round(new_value) >= end - 1
            if new_value < old_value
            else (self.following or round(new_value) >= end)
        )

    # --- drawing

    def _strips(self, index: int) -> list[Strip]:
        strips = self._drawn.get(index)
        if strips is None:
            lines = self.draw_block(index, self._width)
            strips = [_strip(line) for line in lines]
            self._drawn[index] = strips
            self._plain[index] = [line.plain for line in lines]
        return strips

    def render_line(self, y: int) -> Strip:
        """One line of the widget (Textual's line API)."""
        line = self.scroll_offset.y + y
        width = self._width
        index = self.block_at(line)
        base = self.rich_style
        if index < 0:
            return Strip.blank(width, base)
        offset = line - self._tops[index]
        strips = self._strips(index)
        strip = strips[offset] if offset < len(strips) else Strip.blank(width)
        style = base
        if index == self.cursor and self.shows_cursor:
            style = base + palette_of(self).selected
        strip = strip.crop_extend(0, width, None)
        strip = strip.apply_style(style) if not style else _under(strip, style)
        return self._selected(strip, line).apply_offsets(0, line)

    def _selected(self, strip: Strip, line: int) -> Strip:
        selection = self.text_selection
        if selection is None:
            return strip
        return with_span(strip, selection.get_span(line), selection_of(self))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, for copying."""
        lines: list[str] = []
        for index in range(self.block_count()):
            self._strips(index)
            plain = self._plain[index]
            height = self._tops[index + 1] - self._tops[index]
            lines += [*plain, *[""] * (height - len(plain))][:height]
        return selection.extract("\n".join(line.rstrip() for line in lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Redraw with the selection."""
        self.refresh()

    # --- moving

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw both rows and say where the cursor is."""
        for index in (old, new):
            if 0 <= index < len(self._tops) - 1:
                self._refresh_block(index)
        if new >= 0:
            self.post_message(self.Moved(self, new))

    def _refresh_block(self, index: int) -> None:
        top = self._tops[index] - self.scroll_offset.y
        height = self._tops[index + 1] - self._tops[index]
        self.refresh(Region(0, top, self.size.width, height))

    def action_cursor(self, step: int) -> None:
        """Move the cursor by so many blocks."""
        count = self.block_count()
        if not count:
            return
        if self.cursor < 0:
            start = self.block_at(self.scroll_offset.y)
            self.cursor = count - 1 if self.following and step < 0 else max(0, start)
        else:
            self.cursor = min(max(self.cursor + step, 0), count - 1)
        self.following = self.cursor == count - 1 and step > 0
        self.show_block(self.cursor)

    def action_page(self, direction: int) -> None:
        """Scroll by a page."""
        height = max(1, self.scrollable_content_region.height - 1)
        self.scroll_to(
            y=self.scroll_offset.y + direction * height, animate=False, force=True, immediate=True
        )

    def action_first(self) -> None:
        """To the first block."""
        self.following = False
        self.cursor = 0 if self.block_count() else -1
        self.scroll_to(y=0, animate=False, force=True, immediate=True)

    def action_last(self) -> None:
        """To the end, and follow it."""
        self.cursor = self.block_count() - 1
        self.following = True
        self._to_end()

    def action_choose(self) -> None:
        """Open the block under the cursor."""
        if self.cursor >= 0:
            self.post_message(self.Chosen(self, self.cursor))

    def block_clicked(self, event: Click) -> int:
        """Index of the block under the mouse, -1 for none; the border is no part of any."""
        place = event.get_content_offset(self)
        return -1 if place is None else self.block_at(self.scroll_offset.y + place.y)

    def on_click(self, event: Click) -> None:
        """Select a block; open it when it is selected already."""
        index = self.block_clicked(event)
        if index < 0:
            return
        if index == self.cursor:
            self.post_message(self.Chosen(self, index))
        self.cursor = index


def _strip(line: Text) -> Strip:
    if not line.spans:  # Rich leaves the style of such a text out
        style = Style.parse(line.style) if isinstance(line.style, str) else line.style
        return Strip([Segment(line.plain, style)])
    return Strip([segment for segment in line.render(_CONSOLE) if not segment.control])


def _under(strip: Strip, style: Style) -> Strip:
    """Put a style under the segments' own."""
    return Strip(
        [Segment(text, style + own if own else style) for text, own, _ in strip], strip.cell_length
    )
