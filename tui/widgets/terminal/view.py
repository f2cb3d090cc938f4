"""A terminal on the screen: scrollback, following the end, and keyboard input while attached.

`feed` queues output, which is parsed in short slices on the event loop, so that keys are handled at
once even in a flood. The view is drawn at most `FRAMES_PER_SECOND` times a second. `drain` lets the
producer wait until the queue is short again.
"""

from __future__ import annotations

import time
from typing import cast

from textual import events
from textual.app import App
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from typing_extensions import override

from sandbox_tui.core.terminal.base import Terminal as Emulator
from sandbox_tui.tui.terminal_io.emulator_backend import live_terminal
from sandbox_tui.tui.widgets.terminal.input.keyboard import KeyboardInput
from sandbox_tui.tui.widgets.terminal.input.mouse import MouseReporter
from sandbox_tui.tui.widgets.terminal.kept_output import KeptOutput
from sandbox_tui.tui.widgets.terminal.output_pump import Pump
from sandbox_tui.tui.widgets.terminal.renderer import LineRenderer
from sandbox_tui.tui.widgets.terminal.scrolling import TerminalScroll
from sandbox_tui.tui.widgets.terminal.search.view_search import ViewSearch
from sandbox_tui.tui.widgets.terminal.selection import (
    Rows,
    clicked_selection,
    selected_text,
)
from sandbox_tui.tui.widgets.terminal.sync_output import SyncOutput

FRAMES_PER_SECOND = 30

FLOOD_BYTES, FLOOD_FRAMES_PER_SECOND = 1 << 16, 15
"""With this much output queued nobody can read along; fewer frames leave more time for keys."""

RESIZE_DEBOUNCE_SECONDS = 0.08

NEW_BELOW = "↓ new"


class TerminalView(TerminalScroll, can_focus=True):
    """A view of one emulator.

    Lines are numbered from the terminal's very first line, so that a selection or a match stays on
    its text while output continues.

    Args:
        emulator: the terminal to show.
        fit: as in `TerminalScroll`.

    Attributes:
        attached: whether every key but `RELEASE` goes to the program inside.
        search: the search through this terminal.
    """

    DEFAULT_CSS = """
    TerminalView {
        scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; scrollbar-gutter: stable;
        &.-fit { overflow-x: hidden; }
    }
    """

    ALLOW_MAXIMIZE = False

    attached: reactive[bool] = reactive(False)

    class FromView(Message):
        """A message of a view.

        Attributes:
            view: the sender.
        """

        def __init__(self, view: TerminalView) -> None:
            super().__init__()
            self.view = view

        @property
        @override
        def control(self) -> TerminalView:
            return self.view

    class Typed(FromView):
        """Input bytes for the program inside."""

        def __init__(self, view: TerminalView, data: bytes) -> None:
            super().__init__(view)
            self.data = data

    class Resized(FromView):
        """The terminal has a new size, in cells."""

        def __init__(self, view: TerminalView, columns: int, rows: int) -> None:
            super().__init__(view)
            self.columns = columns
            self.rows = rows

    class Released(FromView):
        """The user released the keyboard."""

    class FollowingChanged(FromView):
        """The view left the end, or returned to it."""

    class Searched(FromView):
        """More matches were found, or the current match changed."""

    def __init__(self, emulator: Emulator, *, fit: bool, id: str | None = None) -> None:  # noqa: A002
        super().__init__(emulator, fit=fit, id=id)
        self._pump = Pump(self._take, self._draw_soon)
        self._kept = KeptOutput()
        self._sync_output = SyncOutput()
        self._keyboard = KeyboardInput(self)
        self._mouse = MouseReporter(self)
        self.search = ViewSearch(self)
        self._renderer = LineRenderer(self)
        self._frame: Timer | None = None
        self._drawn_at = 0.0
        self._cursor_row = 0
        self._resize_timer: Timer | None = None

    # --- output

    def feed(self, data: bytes) -> None:
        """Queue output."""
        self._pump.put(data)

    async def drain(self) -> None:
        """Wait while more than `HIGH_WATER_BYTES` of output are queued."""
        await self._pump.drain()

    def show(self, emulator: Emulator) -> None:
        """Immediately show another terminal, or the same one at another time."""
        self._pump.clear()
        self._kept.drop()
        self._replace(emulator)

    def _replace(self, emulator: Emulator) -> None:
        self._emulator = emulator
        self._first_line_drawn = self.first_line
        self._sync_output = SyncOutput()
        self.search.restart()
        self._redraw()

    def on_unmount(self) -> None:
        """Release callers that wait in `drain`."""
        self._pump.stop()

    def send(self, data: bytes) -> None:
        """Send bytes to the program inside, if there are any."""
        if data:
            self.post_message(self.Typed(self, data))

    def _take(self, data: bytes) -> None:
        self._kept.add(data)
        self._emulator.feed(data)
        replies = self._emulator.replies()
        if self.attached:
            self.send(replies)

    def _draw_soon(self, wait: float | None = None) -> None:
        if self._frame is not None or not self.is_attached:
            return
        if wait is None:
            flooded = self._pump.waiting >= FLOOD_BYTES
            rate = FLOOD_FRAMES_PER_SECOND if flooded else FRAMES_PER_SECOND
            wait = 1 / rate - (time.perf_counter() - self._drawn_at)
        if wait <= 0:
            self._draw()
        else:
            self._frame = self.set_timer(wait, self._draw)

    def _draw(self) -> None:
        if self._frame is not None:
            self._frame.stop()
            self._frame = None
        if self._sync_output.is_delayed(self._emulator.modes):
            self._draw_soon(0.02)
            return
        self._drawn_at = time.perf_counter()
        emulator = self._emulator
        self.place_lines()
        if self.search.active:
            self.search.advance()
        dirty = emulator.dirty | {self._cursor_row, emulator.y}
        self._cursor_row = emulator.y
        emulator.dirty.clear()
        self._renderer.forget(dirty)
        if len(dirty) > emulator.lines // 2 or self.rows.wrapped:
            self.refresh()
            return
        top = emulator.history_size - self.scroll_offset.y
        self.refresh(*(Region(0, top + row, self.size.width, 1) for row in dirty))

    def _redraw(self) -> None:
        self._renderer.forget_all()
        self._emulator.touch(0, self._emulator.lines)
        self._draw()
        self.refresh()

    def watch_following(self) -> None:
        """Show that there may be new output below."""
        self.border_subtitle = "" if self.following else NEW_BELOW
        self.post_message(self.FollowingChanged(self))

    # --- drawing

    @override
    def render_lines(self, crop: Region) -> list[Strip]:
        return self._renderer.visible(crop)

    @override
    def render_line(self, y: int) -> Strip:
        return self._renderer.selectable(y)  # Textual requests single lines for text selection

    @override
    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._renderer.forget_all()

    # --- size

    def on_resize(self, event: events.Resize) -> None:
        """Resize the terminal once the size stops changing."""
        if not self.is_fitted:
            self.call_after_refresh(self._draw)
            return
        if self._resize_timer is not None:
            self._resize_timer.stop()
        self._resize_timer = self.set_timer(RESIZE_DEBOUNCE_SECONDS, self.fit)

    def fit(self) -> None:
        """Give the terminal the size of the view."""
        columns, rows = self.scrollable_content_region.size
        if columns < 2 or rows < 1:
            return
        if (columns, rows) != (self._emulator.columns, self._emulator.lines):
            self._resize_emulator(columns, rows)
            self.post_message(self.Resized(self, columns, rows))
        self._redraw()

    def _resize_emulator(self, columns: int, rows: int) -> None:
        is_read = not self.following or self.search.active or self.text_selection is not None
        again = None
        if not is_read and columns != self._emulator.columns:
            again = self._kept.printed_on(lambda: live_terminal(columns, rows))
        if again is None:
            self._emulator.resize(columns, rows)
        else:
            self._replace(again)

    # --- keyboard and mouse

    def watch_attached(self) -> None:
        """Reset the remaining keyboard and mouse state."""
        self._keyboard.cancel_release()
        self._mouse.reset()
        self._keyboard.report_focus(focused=self.has_focus)
        self.refresh()

    @override
    def check_consume_key(self, key: str, character: str | None) -> bool:
        return self._keyboard.consumes(key)

    async def on_key(self, event: events.Key) -> None:
        """While attached, send every key to the program."""
        self._keyboard.press(event)

    def on_paste(self, event: events.Paste) -> None:
        """While attached, send pasted text to the program."""
        self._keyboard.paste(event)

    def release(self) -> None:
        """Release the keyboard."""
        self._keyboard.cancel_release()
        if self.attached:
            self.attached = False
            self.post_message(self.Released(self))

    action_release = release

    def on_focus(self) -> None:
        """Report the focus to a program that has requested it."""
        self._keyboard.report_focus(focused=True)
        self.refresh()

    def on_blur(self) -> None:
        """Report the lost focus to a program that has requested it."""
        self._keyboard.report_focus(focused=False)
        self.refresh()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Report the event to a program that uses the mouse."""
        self._mouse.press(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Report the event to a program that uses the mouse."""
        self._mouse.release(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Report the event to a program that uses the mouse."""
        self._mouse.move(event)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Report the event to a program that uses the mouse; otherwise scroll the view."""
        self._mouse.wheel(event, "up")

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Report the event to a program that uses the mouse; otherwise scroll the view."""
        self._mouse.wheel(event, "down")

    # --- selecting

    @property
    @override
    def allow_select(self) -> bool:
        return not self._mouse.active

    @override
    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(selection, self._numbered_rows()), "\n"

    def _numbered_rows(self) -> Rows:
        oldest, emulator = self.first_line, self._emulator

        def text(number: int) -> str:
            return self._renderer.text(number - oldest)

        def continues(number: int) -> int:
            return emulator.continues(number - oldest)

        end = oldest + emulator.history_size + emulator.lines
        return Rows(range(oldest, end), text, continues)

    def on_click(self, event: events.Click) -> None:
        """Select a word with a double click, a line with a triple click."""
        if event.chain not in (2, 3) or not self.allow_select:
            return
        event.prevent_default()  # Textual would select everything
        place = event.get_content_offset(self)
        if place is None:
            return
        (row,) = self.rows.at(range(place.y, place.y + 1))
        rows, number = self._numbered_rows(), self.first_line + row.line_index
        if number not in rows.numbers:
            return
        selection = clicked_selection(rows, number, place.x + row.left, event.chain)
        if selection is not None:
            self.screen.selections = {self: selection}

    def copy_selection(self) -> bool:
        """Copy the selected text to the clipboard; False if there is none."""
        text = self.get_selection(chosen) if (chosen := self.text_selection) else None
        if text is None or not text[0]:
            return False
        app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType]
        app.copy_to_clipboard(text[0])
        return True
