"""Shows a terminal: follows its end, stays where a reader scrolled to, takes the keyboard in.

Output is queued by `feed` and parsed in short slices on the screen's loop, so that a key is
answered at once even in a flood; the screen is drawn at most `FRAMES` times a second. `drain` lets
the one who feeds wait until the queue is short again.
"""

from __future__ import annotations

import time
from typing import cast

from rich.style import Style
from textual import events
from textual.app import App
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from ...core.terminal.base import Terminal as Emulator
from ...core.terminal.search import Hit
from ..palette import palette_of, selection_of
from .scroll_thumb import place_thumb
from .strip_spans import split_at, with_span
from .synchronised import Hold
from .terminal_drawing import colours_of
from .terminal_input import RELEASE, bytes_of_key, bytes_of_mouse, bytes_of_paste
from .terminal_lines import Lines
from .terminal_places import Places
from .terminal_pump import NAP, Pump
from .terminal_selection import clicked_span, selected_text

FRAMES = 30

FLOOD, FRAMES_IN_FLOOD = 1 << 16, 15
"""With so many bytes waiting nobody can read along: fewer pictures leave more time for keys."""

RESIZE_PAUSE = 0.08
RELEASE_PAUSE = 0.4
"""Seconds in which the release chord, pressed again, goes to the program instead."""

NEW_BELOW = "↓ new"


class TerminalView(ScrollView, can_focus=True):
    """A view of one emulator.

    Args:
        emulator: what to show.
        fit: whether the emulator takes the size of this widget; if not it keeps its own, and what
            is wider than the widget can be scrolled to.

    Attributes:
        attached: whether every key goes to the program inside (but `RELEASE`).
        following: whether the end is followed; scrolling up turns it off, coming back turns it on.
    """

    DEFAULT_CSS = """
    TerminalView {
        scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; scrollbar-gutter: stable;
        &.-fit { overflow-x: hidden; }
    }
    """

    ALLOW_MAXIMIZE = False

    attached: reactive[bool] = reactive(False)
    following: reactive[bool] = reactive(True)

    class FromView(Message):
        """Something a view says.

        Attributes:
            view: which one.
        """

        def __init__(self, view: TerminalView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> TerminalView:
            """The widget that sent it."""
            return self.view

    class Typed(FromView):
        """Bytes for the program inside."""

        def __init__(self, view: TerminalView, data: bytes) -> None:
            super().__init__(view)
            self.data = data

    class Resized(FromView):
        """The terminal has another size, in cells."""

        def __init__(self, view: TerminalView, columns: int, rows: int) -> None:
            super().__init__(view)
            self.columns = columns
            self.rows = rows

    class Released(FromView):
        """A person took the keyboard back."""

    class FollowingChanged(FromView):
        """The reader left the end, or came back to it."""

    class Searched(FromView):
        """More of what is searched for was found, or another place of it is shown."""

    def __init__(self, emulator: Emulator, *, fit: bool, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes="-fit" if fit else None)
        self._emulator = emulator
        self._fit = fit
        self._pump = Pump(self._take, self._draw_soon)
        self._lines: Lines | None = None
        self._dress: tuple[str, Style, int, int] | None = None
        self._frame: Timer | None = None
        self._drawn_at = 0.0
        self._hold = Hold()
        self._cursor_row = 0
        self._first_line = self._first()
        self._resize_timer: Timer | None = None
        self._release_timer: Timer | None = None
        self._button_down: int | None = None
        self._mouse_at: Offset | None = None
        self._has_keyboard = False
        self._covered = 0
        self._places: Places | None = None
        self._search_from: int | None = None
        self._search_timer: Timer | None = None

    @property
    def emulator(self) -> Emulator:
        """What is shown."""
        return self._emulator

    # --- output

    def feed(self, data: bytes) -> None:
        """Queue output."""
        self._pump.put(data)

    async def drain(self) -> None:
        """Wait while more than a megabyte of output is queued."""
        await self._pump.drain()

    def show(self, emulator: Emulator) -> None:
        """Show another terminal, or the same at another moment, at once."""
        self._pump.clear()
        self._emulator = emulator
        self._first_line = self._first()
        self._hold = Hold()
        if self._places is not None:
            self._places = self._places.anew()
        self._redraw()

    def on_unmount(self) -> None:
        """Let nobody wait for a screen that is gone."""
        self._pump.stop()

    def _take(self, data: bytes) -> None:
        self._emulator.feed(data)
        answers = self._emulator.replies()
        if answers and self.attached:
            self.post_message(self.Typed(self, answers))

    def _draw_soon(self, wait: float | None = None) -> None:
        if self._frame is not None or not self.is_attached:
            return
        if wait is None:
            frames = FRAMES if self._pump.waiting < FLOOD else FRAMES_IN_FLOOD
            wait = 1 / frames - (time.perf_counter() - self._drawn_at)
        if wait <= 0:
            self._draw()
        else:
            self._frame = self.set_timer(wait, self._draw)

    def _draw(self) -> None:
        if self._frame is not None:
            self._frame.stop()
            self._frame = None
        if self._hold.holds(self._emulator.modes):
            self._draw_soon(0.02)
            return
        self._drawn_at = time.perf_counter()
        emulator = self._emulator
        above = emulator.history_size
        size = Size(emulator.columns, above + emulator.lines + self._covered)
        if size != self.virtual_size:
            self.virtual_size = size
            self.call_after_refresh(place_thumb, self)
        self._keep_place(above)
        if self._places is not None:
            self._look_on()
        dirty = emulator.dirty | {self._cursor_row, emulator.y}
        self._cursor_row = emulator.y
        emulator.dirty.clear()
        if self._lines is not None:
            self._lines.forget(dirty)
        if len(dirty) > emulator.lines // 2:
            self.refresh()
            return
        first = above - self.scroll_offset.y
        self.refresh(*(Region(0, first + row, self.size.width, 1) for row in dirty))

    def _redraw(self) -> None:
        self._lines = None
        self._emulator.touch(0, self._emulator.lines)
        self._draw()
        self.refresh()

    # --- following

    def _first(self) -> int:
        """Number of the oldest line kept, counted from the first there ever was."""
        return self._emulator.scrolled - self._emulator.history_size

    def _keep_place(self, above: int) -> None:
        """Follow the end, or keep what a person reads where it is though old lines are dropped."""
        dropped = self._first() - self._first_line
        self._first_line += dropped
        if self.following:
            end = max(0, above + self._emulator.lines - self._lines_seen)
            if self.scroll_offset.y != end:
                self._jump(end)
        elif dropped > 0:
            self._jump(max(0, self.scroll_offset.y - dropped))

    def _jump(self, y: int) -> None:
        self.scroll_to(y=y, animate=False, force=True, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Whoever scrolls up is left in peace; whoever comes back to the end follows again."""
        super().watch_scroll_y(old_value, new_value)
        at_end = round(new_value) >= self.max_scroll_y
        if new_value < old_value and not at_end:
            self.following = False
        elif at_end:
            self.following = True

    def watch_following(self) -> None:
        """Say whether there may be something new below."""
        self.border_subtitle = "" if self.following else NEW_BELOW
        self.post_message(self.FollowingChanged(self))

    def action_scroll_end(self) -> None:
        """Go back to the end, and stay there."""
        self.following = True
        self._draw()

    # --- drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """Some lines. Textual's own way through a widget's lines adds borders and paddings, and a
        terminal has none: left out, a picture takes half the time."""
        lines = self._dressed()
        top, selection = self.scroll_offset.y, self.text_selection
        strips = [self._line(lines, top + y, selection) for y in crop.line_range]
        _, background = self.background_colors
        for line_filter in self.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        """One line that knows which characters it shows; Textual asks for it to select text."""
        lines = self._dressed()
        emulator, index = self._emulator, self.scroll_offset.y + y
        if index >= emulator.history_size + emulator.lines:
            return lines.bare(emulator, index)
        whole = lines.whole(emulator, index)
        return lines.seen(whole.apply_offsets(0, self._first() + index))

    def _dressed(self) -> Lines:
        app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType]
        key = (app.theme, self.rich_style, self.scroll_offset.x, self.size.width)
        if self._lines is None or self._dress != key:
            _, base, left, width = self._dress = key
            colours = colours_of(base, palette_of(self), app.current_theme.dark)
            self._lines = Lines(colours, left, width)
        return self._lines

    def _line(self, lines: Lines, index: int, selection: Selection | None) -> Strip:
        emulator, row = self._emulator, index - self._emulator.history_size
        has_cursor = row == emulator.y and 25 in emulator.modes
        marked = has_cursor or self._places is not None or selection is not None
        if not marked or row >= emulator.lines:
            return lines.bare(emulator, index)
        strip, line = lines.whole(emulator, index), self._first() + index
        if has_cursor:
            strip = self._with_cursor(strip, lines.colours.base)
        if self._places is not None:
            strip = self._places.mark(strip, line, palette_of(self))
        if selection is not None:
            strip = with_span(strip, selection.get_span(line), selection_of(self))
        return lines.seen(strip)

    def _with_cursor(self, strip: Strip, base: Style) -> Strip:
        x = min(self._emulator.x, self._emulator.columns - 1)
        strip = strip.extend_cell_length(x + 1, base)
        if self.attached and self.has_focus:
            accent = palette_of(self).accent
            look = Style(color=base.bgcolor, bgcolor=accent.color)
        else:
            look = Style(reverse=True, dim=True)
        return split_at(strip, x, x + 1, look)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as it is shown, for copying.

        Lines of a selection are counted from the first the terminal ever had, so that it stays on
        its text while output goes on.
        """
        oldest = self._first()
        lines = range(oldest, oldest + self._emulator.history_size + self._emulator.lines)
        return selected_text(selection, lambda line: self._line_text(line - oldest), lines), "\n"

    @property
    def allow_select(self) -> bool:
        """Whether a drag selects text here: not while the program takes the mouse."""
        return not self._takes_mouse

    def notify_style_update(self) -> None:
        """Another theme: all lines look different."""
        super().notify_style_update()
        self._lines = None

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
        columns, rows = self.scrollable_content_region.size
        if columns < 2 or rows < 1:
            return
        if (columns, rows) != (self._emulator.columns, self._emulator.lines):
            self._emulator.resize(columns, rows)
            self.post_message(self.Resized(self, columns, rows))
        self._redraw()

    # --- keyboard

    def watch_attached(self) -> None:
        """Begin or end with a clean slate."""
        self._stop_release()
        self._button_down = None
        self._tell_focus(focused=self.has_focus)
        self.refresh()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """While attached no key is anybody else's, not even those with priority (ctrl+q)."""
        return self.attached and (self._release_timer is None or key == RELEASE)

    async def on_key(self, event: events.Key) -> None:
        """While attached, every key goes in but the release chord; twice sends it."""
        if not self.attached:
            return
        if event.key == RELEASE and self._release_timer is None:
            self._release_timer = self.set_timer(RELEASE_PAUSE, self.release)
        elif event.key != RELEASE and self._release_timer is not None:
            self.release()
            return  # this key is already one of ours
        else:
            self._stop_release()
            if not self._copied(event.key):
                self._type(bytes_of_key(event, self._emulator.modes))
        event.stop()
        event.prevent_default()

    def _copied(self, key: str) -> bool:
        """Whether the key copied what is selected here; any key takes the selection away."""
        if self.text_selection is None:
            return False
        copies = key == "ctrl+c" and self.copy_selection()
        self.screen.clear_selection()
        return copies

    def release(self) -> None:
        """Give the keyboard back."""
        self._stop_release()
        if self.attached:
            self.attached = False
            self.post_message(self.Released(self))

    def _stop_release(self) -> None:
        if self._release_timer is not None:
            self._release_timer.stop()
            self._release_timer = None

    def _type(self, data: bytes) -> None:
        if data:
            self.following = True
            self.post_message(self.Typed(self, data))

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text goes in, bracketed where the program asked for it."""
        if self.attached:
            event.stop()
            event.prevent_default()
            self._type(bytes_of_paste(event.text, self._emulator.modes))

    def on_focus(self) -> None:
        """Programs that ask (mode 1004) are told who has the keyboard."""
        self._tell_focus(focused=True)
        self.refresh()

    def on_blur(self) -> None:
        """See `on_focus`."""
        self._tell_focus(focused=False)
        self.refresh()

    def _tell_focus(self, *, focused: bool) -> None:
        focused = self.attached and focused
        changed, self._has_keyboard = focused != self._has_keyboard, focused
        if changed and 1004 in self._emulator.modes:
            self.post_message(self.Typed(self, b"\x1b[I" if focused else b"\x1b[O"))

    # --- mouse

    @property
    def _takes_mouse(self) -> bool:
        modes = self._emulator.modes
        return self.attached and not modes.isdisjoint((1000, 1002, 1003))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Programs that ask for the mouse get it while attached."""
        self._button_down = max(0, event.button - 1)
        self._mouse(event, self._button_down)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """See `on_mouse_down`."""
        self._mouse(event, max(0, event.button - 1), released=True)
        self._button_down = None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Movement is reported with a button held (1002), or always (1003)."""
        down, modes = self._button_down, self._emulator.modes
        if event.screen_offset != self._mouse_at and (
            1003 in modes or (1002 in modes and down is not None)
        ):
            self._mouse(event, 32 + (3 if down is None else down))
        self._mouse_at = event.screen_offset

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel scrolls here, or inside where a program shows its own screen."""
        self._wheel(event, 64, "up")

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """See `on_mouse_scroll_up`."""
        self._wheel(event, 65, "down")

    def _mouse(self, event: events.MouseEvent, button: int, *, released: bool = False) -> None:
        if not self._takes_mouse:
            return
        event.stop()
        event.prevent_default()
        place = event.get_content_offset(self)
        if place is None:
            return
        x, y = place + self.scroll_offset
        y -= self._emulator.history_size
        if x < self._emulator.columns and 0 <= y < self._emulator.lines:
            modes = self._emulator.modes
            data = bytes_of_mouse(event, button, (x, y), modes, released=released)
            if data:
                self.post_message(self.Typed(self, data))

    def _wheel(self, event: events.MouseEvent, button: int, arrow: str) -> None:
        if self._takes_mouse:
            self._mouse(event, button)
        elif self.attached and self._emulator.in_alternate and 1007 in self._emulator.modes:
            event.stop()
            event.prevent_default()
            key = events.Key(arrow, None)
            self.post_message(self.Typed(self, bytes_of_key(key, self._emulator.modes) * 3))

    # --- selecting

    def on_click(self, event: events.Click) -> None:
        """Twice selects a word, three times a line."""
        if event.chain not in (2, 3) or not self.allow_select:
            return
        event.prevent_default()  # Textual would select everything
        place = event.get_content_offset(self)
        if place is None:
            return
        x, y = place + self.scroll_offset
        start, end = clicked_span(self._line_text(y), x, event.chain)
        if start < end:
            line = self._first() + y
            self.screen.selections = {self: Selection(Offset(start, line), Offset(end, line))}

    def _line_text(self, index: int) -> str:
        """A line as it is shown."""
        if index >= self._emulator.history_size + self._emulator.lines:
            return ""
        return self._dressed().whole(self._emulator, index).text

    def copy_selection(self) -> bool:
        """Put what is selected here on the clipboard; False when nothing is."""
        selection = self.text_selection
        text = None if selection is None else self.get_selection(selection)
        if text is None or not text[0]:
            return False
        app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType]
        app.copy_to_clipboard(text[0])
        return True

    # --- searching

    def cover(self, lines: int) -> None:
        """Something else stands on so many of the last lines: leave them free of text.

        The terminal itself keeps its size, for the program inside knows nothing of it.
        """
        self._covered = lines
        self._draw()

    @property
    def _lines_seen(self) -> int:
        return self.scrollable_content_region.height - self._covered

    @property
    def searching(self) -> bool:
        """Whether something is searched for."""
        return self._places is not None

    @property
    def search_place(self) -> tuple[int, int]:
        """Which place is shown, from 1 (0: none), and how many have been found."""
        return (0, 0) if self._places is None else self._places.position(self._emulator)

    def search(self, needle: str) -> None:
        """Mark a text wherever it stands and show the place nearest to the end of what is read.

        What is read then stays where it is, whatever is printed. An empty text marks nothing.
        """
        if self._places is not None:
            self._search_from = self._places.near
        elif self._search_from is None:
            self._search_from = self._first() + self.scroll_offset.y + self._lines_seen - 1
        self._places = Places(needle, self._search_from) if needle else None
        self._look_on()
        self.refresh()

    def end_search(self) -> None:
        """Mark nothing any more; what is read stays where it is."""
        self._places = self._search_from = None
        self.refresh()

    def go_to_next(self, direction: int) -> None:
        """Show the next place below (1) or above (-1), going round at the ends."""
        if self._places is not None:
            hit = self._places.next(self._emulator, direction)
            if hit is not None:
                self._places.near = hit.line
                self._show_hit(self._places, hit)

    def _look_on(self) -> None:
        """Look at some more of the scrollback, and again in a moment while there is more."""
        if self._search_timer is not None:
            self._search_timer.stop()
            self._search_timer = None
        if self._places is None:
            return
        if self._places.look_on(self._emulator):
            self._search_timer = self.set_timer(NAP, self._look_on)
        elif self._places.hit is None:
            hit = self._places.nearest(self._emulator)
            if hit is not None:
                self._show_hit(self._places, hit)
        self.post_message(self.Searched(self))

    def _show_hit(self, places: Places, hit: Hit) -> None:
        places.hit = hit
        y = hit.line - self._first()
        if not 0 <= y - self.scroll_offset.y < self._lines_seen:
            self._jump(max(0, y - self._lines_seen // 2))
        self.following = False
        self.refresh()
        self.post_message(self.Searched(self))
