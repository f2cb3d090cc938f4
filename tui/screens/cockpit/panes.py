"""Which of the three panes is seen where there is not room for all, and which has the focus."""

from __future__ import annotations

from textual.screen import Screen
from textual.widget import Widget

from sandbox_tui.tui.widgets.terminal.pane import TerminalPane

NAMES = ("calls", "terminals", "side")
"""The panes in order, by the id of what holds each."""


class Panes:
    """The panes of a screen; the class `-on-NAME` of the screen tells its styles which one is seen.

    Args:
        screen: composed of them.
    """

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen

    def show_around(self, focused: Widget) -> None:
        """Show the pane that a widget is in."""
        for name in NAMES:
            if self._screen.query_one(f"#{name}") in focused.ancestors_with_self:
                self._show(name)

    def keep_focus_seen(self) -> None:
        """Give the focus back to the calls where the widget that has it is hidden."""
        focused = self._screen.focused
        if focused is not None and not focused.display:
            self.focus("calls")

    def focus(self, name: str) -> None:
        """Focus a pane, showing it first where it is hidden."""
        self._show(name)
        target = self._target(name)
        if target.focusable:  # the next key already belongs there
            self._screen.set_focus(target)
        else:  # it appears with the next refresh
            self._screen.call_after_refresh(target.focus)

    def focus_next(self, direction: int) -> None:
        """Focus the pane after this one, or the one before (-1)."""
        shown = (i for i, name in enumerate(NAMES) if self._screen.has_class(f"-on-{name}"))
        self.focus(NAMES[(next(shown, 0) + direction) % len(NAMES)])

    def _show(self, name: str) -> None:
        for other in NAMES:
            self._screen.set_class(other == name, f"-on-{other}")

    def _target(self, name: str) -> Widget:
        if name == "terminals":
            return self._screen.query_one(TerminalPane).view
        return self._screen.query_one("#files" if name == "side" else f"#{name}")
