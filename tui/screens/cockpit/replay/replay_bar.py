"""The bar below the panes of a replay: how it plays, and which position it shows."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen
from textual.widgets import Static

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.sessions import RunSummary
from sandbox_tui.tui.screens.cockpit.replay.replay_index import ReplayIndex
from sandbox_tui.tui.screens.cockpit.replay.replay_loop import ReplayLoop
from sandbox_tui.tui.textual_support.private_api import has_toast_lines
from sandbox_tui.tui.textual_support.toasts import tells_news
from sandbox_tui.tui.textual_support.typed_app import app_of


class ReplayBar(Static):
    """Shows the position of a replay; call `show` when it has changed.

    Args:
        summary: the session.
        replay: plays it.
        index: knows its steps, and how far it is prepared.
        in_film: whether this is a picture of a film, which plays by itself.
    """

    DEFAULT_CSS = """
    ReplayBar { height: 1; padding: 0 1; color: $role-dim; }
    ReplayBar.-below-toasts { display: none; }
    """

    def __init__(
        self, summary: RunSummary, replay: ReplayLoop, index: ReplayIndex, *, in_film: bool
    ) -> None:
        super().__init__(id="replay-bar", markup=False)
        self._summary = summary
        self._replay = replay
        self._index = index
        self._in_film = in_film
        self._had_toasts = False

    def on_mount(self) -> None:
        """Follow the toasts: an answer takes this line, so that no pane moves; news stay longer,
        and leave it."""
        self.screen.screen_layout_refresh_signal.subscribe(  # pyright: ignore[reportUnknownMemberType]
            self, self._make_room
        )

    def _make_room(self, screen: Screen[Any]) -> None:
        has_toasts = has_toast_lines(screen)
        self.set_class(has_toasts and not tells_news(app_of(self)), "-below-toasts")
        if has_toasts != self._had_toasts:
            self._had_toasts = has_toasts
            screen.refresh_bindings()  # escape puts them away

    def show(self, state: RunState) -> None:
        """Show the position of this state."""
        last = self._summary.last_seq
        parts = [
            f"step {state.step} of {max(self._index.markers.steps, state.step)}",
            f"event {state.seq}/{last}",
            clock(state.t),
            sanitize_line(self._summary.id),
        ]
        if not self._in_film:
            plays = "playing" if self._replay.plays else "paused"
            parts.insert(0, f"{plays} ×{self._replay.speed:g}")
        if self._replay.requested_position is None and not self._index.can_reach(last):
            parts.append(f"preparing {100 * self._index.covered // max(1, last)} %")
        self.update(" · ".join(parts))
