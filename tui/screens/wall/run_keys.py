"""The keys of the wall that act on its runs."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.screen import Screen

from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.screens.wall.steering.control_news import ControlNews
from sandbox_tui.tui.screens.wall.steering.controlled_runs import why_not
from sandbox_tui.tui.screens.wall.tile_actions import TileActions
from sandbox_tui.tui.widgets.wall.run_selection import next_waiting
from sandbox_tui.tui.widgets.wall.run_tile import RunTile


class RunKeys(Screen[None]):
    """Passes keys on to the actions on the chosen run, or on all runs shown."""

    _actions: TileActions
    _control: ControlNews

    @property
    def chosen(self) -> RunTile | None:
        """The tile of the chosen run."""
        return self.focused if isinstance(self.focused, RunTile) else None

    @property
    def _to_take(self) -> RunTile | None:
        """The tile of the run of which a key takes control; None if no run needs it."""
        return self._control.to_take(self.chosen, self._seen_tiles())

    @property
    def _can_decide(self) -> bool:
        """Whether the key that is being handled was pressed with the waiting call of the chosen run
        in view."""
        tile = self.chosen
        return tile is None or tile.drawn_call.answers(self, tile.state.pending)

    def _seen_tiles(self) -> Sequence[RunTile]:
        """Return the tiles that are shown."""
        raise NotImplementedError

    def action_move_to(self, index: int) -> None:
        """Focus the first or the last tile."""
        if tiles := self._seen_tiles():
            tiles[index].focus()

    def action_waiting(self) -> None:
        """Focus the next run that waits for the user."""
        if (tile := next_waiting(self._seen_tiles(), self.chosen)) is not None:
            tile.focus()

    @on(RunTile.Opened)  # a click has given it the focus
    def action_open(self) -> None:
        """Open the chosen run."""
        if self.chosen is not None:
            self._control.opened(self.chosen)
            self._actions.open(self.chosen)

    def action_approve(self) -> None:
        """Approve the waiting call of the chosen run."""
        if self.chosen is not None and self._can_decide:
            self._actions.approve(self.chosen)

    def action_reject(self) -> None:
        """Reject the waiting call of the chosen run, with a reason for the model."""
        if self.chosen is not None:
            self._actions.reject(self.chosen)

    def action_resume(self) -> None:
        """Resume the chosen run, or all that are shown and can be resumed."""
        if self.chosen is not None:
            self._actions.resume(self.chosen, self._seen_tiles())

    def action_approve_always(self) -> None:
        """Approve the waiting call of the chosen run and all similar ones."""
        if self.chosen is not None:
            self._actions.approve_always(self.chosen, self._seen_tiles())

    def title_for(self, action: str) -> str | None:
        """Return the words of the help and the palette if they are not those of the key bar."""
        return ACTIONS["wall.approve_all"].title if action == "approve_all" else None

    def action_approve_all(self) -> None:
        """List the waiting calls of all runs shown, to decide about them together."""
        self._actions.decide_about_all(self._seen_tiles())

    def action_message(self) -> None:
        """Write to the model of the chosen run, or to those of all runs shown."""
        if self.chosen is not None:
            self._actions.message(self.chosen, self._seen_tiles())

    def action_mode(self) -> None:
        """Choose the mode of the chosen run, or of all runs shown."""
        if self.chosen is not None:
            self._actions.choose_mode(self.chosen, self._seen_tiles())

    def action_pause(self) -> None:
        """Pause or resume the chosen run."""
        if self.chosen is not None:
            self._actions.pause(self.chosen)

    def action_pause_all(self) -> None:
        """Pause all runs shown, or resume them if all are paused."""
        self._actions.pause_all(self._seen_tiles())

    def action_steer(self) -> None:
        """Take control of the chosen run, which stays chosen; if it is not controlled elsewhere, go
        to the next that is, and take that; if there are several, ask whether all are meant."""
        if (tile := self._to_take) is not None:
            self._control.ask_which(tile, self._seen_tiles())

    def action_end(self) -> None:
        """End the chosen run, or all runs shown, after a confirmation."""
        if self.chosen is not None:
            self._actions.end(self.chosen, self._seen_tiles())

    @property
    def ended_together(self) -> int:
        """The number of runs shown that can be ended, all together, from here."""
        return sum(not why_not("end", tile) for tile in self._seen_tiles())

    def action_end_all(self) -> None:
        """End all runs shown, after a confirmation."""
        self._actions.end_all(self._seen_tiles())
