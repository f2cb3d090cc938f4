"""The steps and calls that the palette can go to in a session."""

from __future__ import annotations

from typing import Protocol

from textual.screen import Screen

from sandbox_tui.core.events.run_state import CallItem, Item, ReplyItem
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.widgets.calls.call_list import WINDOW_ITEMS, Calls


class Places(Protocol):
    """The places of a session."""

    @property
    def steps(self) -> int:
        """Number of the last step."""
        ...

    @property
    def calls(self) -> int:
        """Number of the last call."""
        ...

    def go_to_step(self, step: int) -> None:
        """Go to a step."""

    def go_to_call(self, number: int) -> None:
        """Go to a call."""


def places_of(screen: Screen[object]) -> Places | None:
    """Return the places of the session that a screen shows; None if it shows none."""
    from sandbox_tui.tui.screens.cockpit.replay.replay_actions import ReplayActions

    if isinstance(screen, ReplayActions):
        return screen
    return LivePlaces(screen) if isinstance(screen, Cockpit) else None


class LivePlaces:
    """The places of a run: its list of calls goes to them, and the run continues.

    Args:
        screen: shows the run.
    """

    def __init__(self, screen: Cockpit) -> None:
        self._screen = screen

    @property
    def steps(self) -> int:
        """Number of the last step."""
        return self._screen.state.step

    @property
    def calls(self) -> int:
        """Number of the last call."""
        return max(self._screen.state.calls, default=0)

    def go_to_step(self, step: int) -> None:
        """Go to the first item of a step."""
        self._go(next((one for one in self._screen.state.items if _step(one) == step), None))

    def go_to_call(self, number: int) -> None:
        """Go to a call."""
        self._go(self._screen.state.calls.get(number))

    def _go(self, item: Item | None) -> None:
        calls = self._screen.query_one(Calls)
        if not calls.shows(item):
            calls.show_all()
        for _ in range(0, len(self._screen.state.items), WINDOW_ITEMS):
            if not calls.shows(item):
                calls.show_earlier()
        calls.go_to(item)
        self._screen.action_pane("calls")


def _step(item: Item) -> int:
    match item:
        case ReplyItem(step=step):
            return step
        case CallItem(call=call):
            return call.step
        case _:
            return 0
