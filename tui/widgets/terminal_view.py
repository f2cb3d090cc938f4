"""Shows a terminal: follows its end, stays where a reader scrolled to, takes the keyboard in.

Output is queued by `feed` and parsed in short slices on the screen's loop, so that a key is
answered at once even in a flood; the screen is drawn at most `FRAMES` times a second. `drain` lets
the one who feeds wait until the queue is short again.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from functools import lru_cache

from rich.color import Color, ColorParseError
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from ...core.terminal.graphics import DEFAULT, Attributes
from ...core.terminal.screen import Screen as Emulator
from ..palette import Palette, palette_of
from .keys import key_bytes, mouse_bytes, paste_bytes

SLICE = 0.004
"""Seconds of parsing in a row."""

PIECE = 16 * 1024
NAP = 0.001
"""Seconds between slices: Textual needs a few turns of the loop to answer a key."""

HIGH_WATER = 1 << 20
FRAMES = 30
LONGEST_HOLD = 0.15
"""Seconds a program may hold the screen back (synchronised output, mode 2026)."""

RESIZE_PAUSE = 0.08
RELEASE = "ctrl+right_square_bracket"


class TerminalView(ScrollView, can_focus=True):
    """A view of one emulator.

    Args:
        emulator: what to show.
        fit: whether the emulator takes the size of this widget.

    Attributes:
        attached: whether every key goes to the program inside (but `RELEASE`).
        following: whether the end is followed.
    """

    DEFAULT_CSS = """
    TerminalView {
        scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; overflow-x: hidden;
        scrollbar-gutter: stable;
    }
    """

    attached: reactive[bool] = reactive(False)
    following: reactive[bool] = reactive(True)

    class Typed(Message):
        """Bytes for the program inside."""

        def __init__(self, view: TerminalView, data: bytes) -> None:
            super().__init__()
            self.view = view
            self.data = data

        @property
        def control(self) -> TerminalView:
            """The widget that sent it."""
            return self.view

    class Resized(Message):
        """The terminal has another size, in cells."""

        def __init__(self, view: TerminalView, columns: int, rows: int) -> None:
            super().__init__()
            self.view = view
            self.columns = columns
            self.rows = rows

        @property
        def control(self) -> TerminalView:
            """The widget that sent it."""
            return self.view

    class Released(Message):
        """A person took the keyboard back."""

    def __init__(self, emulator: Emulator, *, fit: bool, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._emulator = emulator
        self._fit = fit
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._room = asyncio.Event()
        self._room.set()
        self._pump: asyncio.Task[None] | None = None
        self._strips: dict[int, Strip] = {}
        self._frame: Timer | None = None
        self._drawn_at = 0.0
        self._cursor_at = (0, 0)
        self._scrolled_seen = 0
        self._resize_timer: Timer | None = None
        self._release_pressed = False

    # --- output

    def feed(self, data: bytes) -> None:
        """Queue output."""
        self._queue.append(data)
        self._queued += len(data)
        if self._queued > HIGH_WATER:
            self._room.clear()
        if self._pump is None or self._pump.done():
            self._pump = asyncio.create_task(self._parse_all())

    async def drain(self) -> None:
        """Wait while more than `HIGH_WATER` bytes are queued."""
        await self._room.wait()

    def show(self, emulator: Emulator) -> None:
        """Show another terminal, or the same at another moment, at once."""
        self._queue.clear()
        self._queued = 0
        self._room.set()
        self._emulator = emulator
        self._strips.clear()
        self._scrolled_seen = emulator.scrolled
        emulator.dirty.clear()
        self._draw()
        self.refresh()

    @property
    def emulator(self) -> Emulator:
        """What is shown."""
        return self._emulator

    async def _parse_all(self) -> None:
        while self._queue:
            until = time.perf_counter() + SLICE
            while self._queue and time.perf_counter() < until:
                self._parse_piece()
            self._draw_soon()
            await asyncio.sleep(NAP)

    def _parse_piece(self) -> None:
        data = self._queue.popleft()
        if len(data) > PIECE:
            self._queue.appendleft(data[PIECE:])
            data = data[:PIECE]
        self._queued -= len(data)
        if self._queued <= HIGH_WATER:
            self._room.set()
        self._emulator.feed(data)
        answer = self._emulator.replies()
        if answer and self.attached:
            self.post_message(self.Typed(self, answer))

    def _draw_soon(self) -> None:
        if self._frame is not None:
            return
        wait = 1 / FRAMES - (time.perf_counter() - self._drawn_at)
        if wait <= 0:
            self._draw()
        elif self.is_attached:
            self._frame = self.set_timer(wait, self._draw)

    def _draw(self) -> None:
        self._frame = None
        held = time.perf_counter() - self._drawn_at < LONGEST_HOLD
        if 2026 in self._emulator.modes and held and self.is_attached:
            self._frame = self.set_timer(0.02, self._draw)
            return
        self._drawn_at = time.perf_counter()
        emulator = self._emulator
        above = emulator.history_size
        size = Size(emulator.columns, above + emulator.lines)
        if size != self.virtual_size:
            self.virtual_size = size
        self._keep_place(above)
        dirty = emulator.dirty | {self._cursor_at[1], emulator.y}
        self._cursor_at = (emulator.x, emulator.y)
        emulator.dirty.clear()
        for row in dirty:
            self._strips.pop(row, None)
        if len(dirty) > emulator.lines // 2:
            self.refresh()
            return
        first = above - self.scroll_offset.y
        self.refresh(*(Region(0, first + row, self.size.width, 1) for row in dirty))

    def _keep_place(self, above: int) -> None:
        """Follow the end, or keep what a person reads where it is though lines leave the top."""
        gone = self._emulator.scrolled - self._scrolled_seen
        self._scrolled_seen = self._emulator.scrolled
        if self.following:
            end = max(0, above + self._emulator.lines - self.scrollable_content_region.height)
            if self.scroll_offset.y != end:
                self.scroll_to(y=end, animate=False, force=True, immediate=True)
        elif gone and above == self._emulator.history.limit:
            y = max(0, self.scroll_offset.y - gone)
            self.scroll_to(y=y, animate=False, force=True, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Whoever scrolls up is left in peace; whoever comes back to the end follows again."""
        super().watch_scroll_y(old_value, new_value)
        at_end = round(new_value) >= self.max_scroll_y
        if new_value < old_value and not at_end:
            self.following = False
        elif at_end:
            self.following = True

    # --- drawing

    def render_line(self, y: int) -> Strip:
        """One line of the widget (Textual's line API)."""
        emulator = self._emulator
        index = self.scroll_offset.y + y
        above = emulator.history_size
        width = self.size.width
        if index >= above + emulator.lines:
            return Strip.blank(width, self.rich_style)
        row = index - above
        strip = self._strips.get(row) if row >= 0 else None
        if strip is None:
            strip = self._strip(index)
            if row >= 0:
                self._strips[row] = strip
        if row == emulator.y and 25 in emulator.modes:
            strip = self._with_cursor(strip, emulator.x)
        strip = strip.crop_extend(0, width, self.rich_style)
        strip = self._selected(strip, index)
        return strip.apply_offsets(0, index)

    def _strip(self, index: int) -> Strip:
        base = self.rich_style
        palette = palette_of(self)
        segments = [
            Segment(text, base + _style(look, palette) if look is not DEFAULT else base)
            for text, look in self._emulator.row(index)
        ]
        return Strip(segments)

    def _with_cursor(self, strip: Strip, x: int) -> Strip:
        x = min(x, self._emulator.columns - 1)
        strip = strip.extend_cell_length(x + 1, self.rich_style)
        width = strip.cell_length
        accent = palette_of(self).accent
        if self.attached and self.has_focus:
            look = Style(color=self.rich_style.bgcolor, bgcolor=accent.color)
        else:
            look = Style(reverse=True, dim=True)
        cell = strip.crop(x, x + 1).apply_style(look)
        return Strip.join([strip.crop(0, x), cell, strip.crop(x + 1, width)])

    def _selected(self, strip: Strip, line: int) -> Strip:
        selection = self.text_selection
        span = None if selection is None else selection.get_span(line)
        if span is None:
            return strip
        start, end = span
        width = strip.cell_length
        end = width if end == -1 else end
        style = self.screen.get_component_rich_style("screen--selection")
        chosen = strip.crop(start, end).apply_style(style)
        return Strip.join([strip.crop(0, start), chosen, strip.crop(end, width)])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, for copying."""
        total = self._emulator.history_size + self._emulator.lines
        text = "\n".join(self._emulator.text(index) for index in range(total))
        return selection.extract(text), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Redraw with the selection."""
        self.refresh()

    # --- size

    def on_resize(self, event: events.Resize) -> None:
        """Tell the terminal, once it stops changing."""
        if not self._fit:
            self.call_after_refresh(self._draw)
            return
        if self._resize_timer is not None:
            self._resize_timer.stop()
        self._resize_timer = self.set_timer(RESIZE_PAUSE, self._resize)

    def _resize(self) -> None:
        size = self.scrollable_content_region.size
        columns, rows = size.width, size.height
        if columns < 2 or rows < 1:
            return
        if (columns, rows) != (self._emulator.columns, self._emulator.lines):
            self._emulator.resize(columns, rows)
            self._strips.clear()
            self.post_message(self.Resized(self, columns, rows))
        self._draw()

    # --- keyboard and mouse

    async def on_key(self, event: events.Key) -> None:
        """While attached, every key goes in but the release chord; twice sends it."""
        if not self.attached:
            return
        event.stop()
        event.prevent_default()
        if event.key == RELEASE and not self._release_pressed:
            self._release_pressed = True
            self.set_timer(0.4, self._release)
            return
        self._release_pressed = False
        self.following = True
        data = key_bytes(event, application=1 in self._emulator.modes)
        if data:
            self.post_message(self.Typed(self, data))

    def _release(self) -> None:
        if self._release_pressed:
            self._release_pressed = False
            self.attached = False
            self.post_message(self.Released())

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text goes in, bracketed where the program asked for it."""
        if self.attached:
            event.stop()
            bracketed = 2004 in self._emulator.modes
            self.post_message(self.Typed(self, paste_bytes(event.text, bracketed=bracketed)))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Programs that ask for the mouse get it while attached."""
        self._mouse(event, {1: 0, 2: 1, 3: 2}.get(event.button, 0), released=False)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """See `on_mouse_down`."""
        self._mouse(event, {1: 0, 2: 1, 3: 2}.get(event.button, 0), released=True)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel scrolls here, or inside where a program shows its own screen."""
        self._wheel(event, 64, "\x1b[A")

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """See `on_mouse_scroll_up`."""
        self._wheel(event, 65, "\x1b[B")

    @property
    def _wants_mouse(self) -> bool:
        modes = self._emulator.modes
        return self.attached and bool(modes & {1000, 1002, 1003}) and 1006 in modes

    def _mouse(self, event: events.MouseEvent, button: int, *, released: bool) -> None:
        if not self._wants_mouse:
            return
        event.stop()
        event.prevent_default()
        y = event.y + self.scroll_offset.y - self._emulator.history_size
        if y >= 0:
            self.post_message(self.Typed(self, mouse_bytes(button, event.x, y, released=released)))

    def _wheel(self, event: events.MouseEvent, button: int, arrow: str) -> None:
        if self._wants_mouse:
            self._mouse(event, button, released=False)
        elif self.attached and self._emulator.in_alternate:
            event.stop()
            event.prevent_default()
            self.post_message(self.Typed(self, arrow.encode() * 3))

    # --- reading

    def find(self, needle: str) -> list[int]:
        """Lines that hold `needle`, whatever the case."""
        return list(self._emulator.find(needle))

    def reveal(self, line: int) -> None:
        """Scroll to a line."""
        self.following = False
        middle = self.scrollable_content_region.height // 2
        self.scroll_to(y=max(0, line - middle), animate=False, force=True, immediate=True)


@lru_cache(8192)
def _style(look: Attributes, palette: Palette) -> Style:
    return Style(
        color=_color(look.fg, palette),
        bgcolor=_color(look.bg, palette),
        bold=look.bold or None,
        dim=look.faint or None,
        italic=look.italics or None,
        underline=look.underscore or None,
        strike=look.strikethrough or None,
        reverse=look.reverse or None,
        blink=look.blink or None,
        conceal=look.conceal or None,
    )


@lru_cache(4096)
def _color(name: str, palette: Palette) -> Color | None:
    """A colour of the terminal; the plain ones are those of the theme."""
    if name == "default":
        return None
    own = {
        "red": palette.bad,
        "green": palette.good,
        "brown": palette.human,
        "blue": palette.tool,
        "magenta": palette.model,
    }.get(name)
    if own is not None:
        return own.color
    if len(name) == 6 and all(c in "0123456789abcdef" for c in name):
        return Color.parse(f"#{name}")
    plain = name.removeprefix("bright")
    plain = "yellow" if plain == "brown" else plain
    try:
        return Color.parse(f"bright_{plain}" if name.startswith("bright") else plain)
    except ColorParseError:
        return None
