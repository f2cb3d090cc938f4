"""Visibility and focus of the three panes if there is not enough room for all."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from textual.events import DescendantFocus
from textual.screen import Screen
from textual.widget import Widget

from sandbox_tui.tui.keys.other_panes import Pane
from sandbox_tui.tui.textual_support.private_api import is_closing
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane

NAMES = ("calls", "terminals", "side")
"""The panes in order, by the id of their container."""

CALLS_ACTION = "pane('calls')"
TERMINALS_ACTION = "pane('terminals')"
FILES_ACTION = "pane('side')"
"""What focuses a pane."""

MAX_WAIT_SECONDS = 1.0
"""Maximum time until the first layout."""


class Panes:
    """The panes of a screen; its class `-on-NAME` tells the style sheet which pane is visible.

    Args:
        screen: contains the panes.
    """

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen

    def show_around(self, focused: Widget) -> None:
        """Show the pane that contains a widget."""
        for name in NAMES:
            if self._screen.query_one(f"#{name}") in focused.ancestors_with_self:
                self._show(name)
                self._screen.refresh_bindings()  # what a key does may depend on the pane

    async def wait_until_placed(self) -> None:
        """Wait until the panes have their sizes; a hidden terminal then gets that of the calls."""
        for _ in range(2):  # the first layout does not know yet how many panes are visible
            placed = asyncio.Event()
            self._screen.call_after_refresh(placed.set)
            with contextlib.suppress(TimeoutError):  # another screen may be above
                await asyncio.wait_for(placed.wait(), MAX_WAIT_SECONDS)
        if is_closing(self._screen) or not self._screen.query(TerminalPane):
            return
        view = self._screen.query_one(TerminalPane).view
        view.fit()
        columns, rows = self._screen.query_one(Calls).scrollable_content_region.size
        if not view.size and columns > 1 and rows > 0:  # hidden: the one pane fills the screen
            view.emulator.resize(columns, rows)

    def keep_focus_seen(self) -> None:
        """Focus the calls if the focused widget is hidden."""
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


class HasPanes(Screen[None]):
    """A screen with panes, one of which may take the place of the others."""

    def __init__(self) -> None:
        super().__init__()
        self._panes = Panes(self)

    @property
    def panes(self) -> Sequence[Pane]:
        """The panes, the calls first, once they are composed."""
        kinds = (
            (Calls, "cockpit.calls", CALLS_ACTION),
            (TerminalPane, "cockpit.terminal", TERMINALS_ACTION),
            (FileTree, "cockpit.files", FILES_ACTION),
        )
        return [
            Pane(found, name, focus) for kind, name, focus in kinds for found in self.query(kind)
        ]

    @property
    def urgent_actions(self) -> Sequence[str]:
        """The way back to the calls if they are hidden: their border names the keys of the other
        panes, but no other border names theirs."""
        return (CALLS_ACTION,) if self._hides_calls else ()

    def words_for(self, action: str) -> str | None:
        """The key bar's current words for an action; None for the binding's own description."""
        if action == CALLS_ACTION:
            return "calls" if self._hides_calls else ""
        return "" if action == TERMINALS_ACTION else None

    @property
    def _hides_calls(self) -> bool:
        return self.has_class("-narrow") and not self.has_class("-on-calls")

    @property
    def _is_in_terminal(self) -> bool:
        return self.has_class("-on-terminals")

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Show the focused pane if there is only room for some of them."""
        self._panes.show_around(event.widget)

    def action_pane(self, name: str) -> None:
        """Focus a pane, showing it first if it is hidden."""
        self._panes.focus(name)

    def action_next_pane(self, direction: int) -> None:
        """Focus the next pane (1) or the previous one (-1)."""
        self._panes.focus_next(direction)

    def action_zoom(self) -> None:
        """Let the focused pane fill the screen, or undo that."""
        self.toggle_class("-zoomed")
