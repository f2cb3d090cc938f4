"""Visibility, focus and widths of the three panes if there is not enough room for all."""

from __future__ import annotations

from typing import NamedTuple

from textual.screen import Screen
from textual.widget import Widget

from sandbox_tui.tui.screens.cockpit.pane_widths import Widths, used_columns, widths_beside
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane

NAMES = ("calls", "terminals", "side")
"""The panes in order, by the id of their container."""


class _Needed(NamedTuple):
    """Columns that the lines of a recorded terminal use, and all its columns."""

    used: int
    columns: int


class Panes:
    """The panes of a screen; its class `-on-NAME` tells the style sheet which pane is visible.

    Args:
        screen: contains the panes.
    """

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._needed = _Needed(0, 0)

    def show_around(self, focused: Widget) -> None:
        """Show the pane that contains a widget."""
        for name in NAMES:
            if self._screen.query_one(f"#{name}") in focused.ancestors_with_self:
                self._show(name)

    def fit_recorded_terminal(self) -> None:
        """Make room for the lines of a recorded terminal, which keeps its width."""
        emulator = self._screen.query_one(TerminalPane).view.emulator
        needed = _Needed(max(self._needed.used, used_columns(emulator)), emulator.columns)
        if needed != self._needed:
            self._needed = needed
            self._set_widths()

    def toggle_zoom(self) -> None:
        """Let the focused pane fill the screen, or undo that."""
        self._screen.toggle_class("-zoomed")
        self._set_widths()

    def _set_widths(self) -> None:
        screen, widths = self._screen, Widths()
        if not (screen.has_class("-zoomed") or screen.has_class("-narrow")):
            three = screen.has_class("-wide")
            widths = widths_beside(screen.size.width, self._needed.used, three=three)
            if widths.calls is not None:  # all of the terminal, so that the panes move only once
                whole = widths_beside(screen.size.width, self._needed.columns, three=three)
                widths = widths if whole.calls is None else whole
        for name, width in (("calls", widths.calls), ("side", widths.side)):
            screen.query_one(f"#{name}").styles.width = width

    def adapt_to_size(self) -> None:
        """After a resize, set the widths, and focus the calls if the focused widget is hidden."""
        self._set_widths()
        focused = self._screen.focused
        if focused is not None and not focused.display:
            self.focus("calls")

    def focus(self, name: str) -> None:
        """Focus a pane, showing it first if it is hidden."""
        self._show(name)
        target = self._target(name)
        if target.focusable:  # focus immediately, so that the next key goes there
            self._screen.set_focus(target)
        else:  # it appears with the next refresh
            self._screen.call_after_refresh(target.focus)

    def focus_next(self, direction: int) -> None:
        """Focus the next pane (1) or the previous one (-1)."""
        shown = (i for i, name in enumerate(NAMES) if self._screen.has_class(f"-on-{name}"))
        self.focus(NAMES[(next(shown, 0) + direction) % len(NAMES)])

    def _show(self, name: str) -> None:
        for other in NAMES:
            self._screen.set_class(other == name, f"-on-{other}")

    def _target(self, name: str) -> Widget:
        if name == "terminals":
            return self._screen.query_one(TerminalPane).view
        return self._screen.query_one("#files" if name == "side" else f"#{name}")
