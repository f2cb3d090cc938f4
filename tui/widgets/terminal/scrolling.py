"""Scrolling through the lines of a terminal: up and down, sideways, and along its end."""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from typing_extensions import override

from sandbox_tui.core.terminal.base import Terminal as Emulator
from sandbox_tui.tui.widgets.scroll_thumb import place_thumb
from sandbox_tui.tui.widgets.terminal.shown_rows import ShownRows


class TerminalScroll(ScrollView):
    """A view that scrolls through the lines of an emulator.

    Args:
        emulator: the terminal to show.
        fit: whether the emulator is resized to fit this widget; otherwise it keeps its size, and
            if it is wider, lines are wrapped or the view scrolls sideways.

    Attributes:
        following: whether the view stays at the end; off after scrolling up, on again at the end.
        is_fitted: whether the emulator is resized to fit this widget.
        rows: which part of which line each row shows.
    """

    following: reactive[bool] = reactive(True)

    def __init__(self, emulator: Emulator, *, fit: bool, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes="-fit" if fit else None)
        self._emulator = emulator
        self.is_fitted = fit
        self.rows = ShownRows(self)
        self._covered = 0
        self._first_line_drawn = self.first_line

    @property
    def emulator(self) -> Emulator:
        """The displayed terminal."""
        return self._emulator

    @property
    def first_line(self) -> int:
        """Number of the oldest line kept."""
        return self._emulator.scrolled - self._emulator.history_size

    @property
    def visible_lines(self) -> int:
        """Height of the uncovered part."""
        return self.scrollable_content_region.height - self._covered

    @property
    def visible_columns(self) -> int:
        """Width without the scrollbar."""
        return self.scrollable_content_region.width

    @property
    def is_wider(self) -> bool:
        """Whether the terminal has more columns than the view."""
        return not self.is_fitted and self.columns > self.visible_columns

    @property
    def columns(self) -> int:
        """Columns of the widest line that the terminal may have.

        One that is fitted may have lines in scrollback from when it was wider.
        """
        own = 0 if self.is_fitted else self._emulator.columns
        return max(own, self._emulator.history_columns)

    def place_lines(self) -> None:
        """Set the size to scroll through, and follow the end or stay on the same text."""
        columns, rows = self.rows.size(self.visible_lines)
        size = Size(columns, rows + self._covered)
        if size != self.virtual_size:
            self.virtual_size = size
            self.call_after_refresh(place_thumb, self)
        dropped = self.first_line - self._first_line_drawn
        self._first_line_drawn += dropped
        if self.following:
            end = max(0, rows - self.visible_lines)
            if self.scroll_offset.y != end:
                self.jump_to(end)
        elif dropped > 0:
            self.jump_to(max(0, self.scroll_offset.y - dropped))

    def jump_to(self, y: int) -> None:
        """Scroll to a line immediately."""
        self.scroll_to(y=y, animate=False, force=True, immediate=True)

    @override
    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        at_end = round(new_value) >= self.max_scroll_y
        if new_value < old_value and not at_end:
            self.following = False
        elif at_end:
            self.following = True

    def cover(self, lines: int) -> None:
        """Keep the last rows of the view free for a widget that covers them.

        The terminal keeps its size; the program inside is not notified.
        """
        self._covered = lines
        self._place_again()

    def _place_again(self) -> None:
        self.place_lines()
        self.refresh()

    # --- keys

    @override
    def action_scroll_end(self) -> None:
        self.following = True
        self._place_again()

    @override
    def action_page_up(self) -> None:
        self.jump_to(self.rows.first_line(self.scroll_offset.y, self.visible_lines))

    @override
    def action_page_down(self) -> None:
        self.jump_to(self.rows.last_line())

    # --- sideways

    def why_not_sideways(self, direction: int) -> str:
        """Return why the view cannot scroll to the right (1) or left (-1); empty if it can."""
        if direction < 0 and self.is_wider and self.rows.wrapped:
            return "long lines are wrapped"
        return "" if self.is_wider else "all columns are shown"

    def scroll_sideways(self, direction: int) -> None:
        """Scroll by half a view to the right (1) or left (-1).

        Wrapped lines are cut first; at the left edge, a step to the left wraps them again.
        """
        if direction < 0 and self.scroll_offset.x == 0 and self.rows.can_be_wrapped:
            self._wrap(wanted=True)
        elif self.rows.wrapped:
            self._wrap(wanted=False)
        else:
            step = max(1, self.visible_columns // 2)
            self.scroll_relative(x=direction * step, animate=False, force=True, immediate=True)

    def _wrap(self, *, wanted: bool) -> None:
        self.rows.wanted = wanted
        self._place_again()

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Turn off left and right, so that they mean the same in every pane of the screen."""
        if action in ("scroll_left", "scroll_right"):
            return False
        return super().check_action(action, parameters)
