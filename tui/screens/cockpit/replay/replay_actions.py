"""The actions of a replay that move in time, and those on the session shown."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import action_with, hint
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.cockpit.replay.replay_loop import ReplayLoop
from sandbox_tui.tui.screens.cockpit.replay.replay_moves import ReplayMoves
from sandbox_tui.tui.screens.export_session import export_session
from sandbox_tui.tui.screens.messages import ForkRequested, RunAgainRequested
from sandbox_tui.tui.textual_support.toasts import passing_toasts
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.call_list import Calls


class ReplayActions(Cockpit):
    """A cockpit with the actions of `ReplayLoop` and `ReplayMoves`; a subclass sets them."""

    _summary: RunSummary
    _store: Store
    _replay: ReplayLoop
    _moves: ReplayMoves
    _to_sample: Callable[[int], None] | None

    def action_play(self) -> None:
        """Start or stop playing."""
        self._replay.toggle_playing()
        if self._replay.plays:
            self.query_one(Calls).follow()
        self.sync_bars()

    def action_speed(self, direction: int) -> None:
        """Play faster (1) or slower (-1)."""
        self._replay.change_speed(direction)
        self.sync_bars()

    def action_step(self, direction: int) -> None:
        """Go to the end of the next call (1) or the previous one (-1), otherwise to the edge."""
        self._moves.by_call(direction)

    def action_failure(self, direction: int) -> None:
        """Go to the next failure (1) or the previous one (-1)."""
        self._moves.by_failure(direction)

    def action_event(self, direction: int) -> None:
        """Go one event forward (1) or back (-1)."""
        self._moves.by_event(direction)

    def action_second(self, direction: int) -> None:
        """Go one second forward (1) or back (-1)."""
        self._moves.by_second(direction)

    def action_go_to_step(self) -> None:
        """Ask for a step or another place, and go there."""
        self._moves.ask()

    @property
    def steps(self) -> int:
        """Number of the last step."""
        return self._moves.steps

    @property
    def calls(self) -> int:
        """Number of the last call."""
        return self._summary.calls

    def go_to_step(self, step: int) -> None:
        """Go to a step."""
        self._moves.to_step(step)

    def go_to_call(self, number: int) -> None:
        """Go to the end of a call."""
        self.run_worker(self._moves.to_call(number), exclusive=True, group="to_call")

    def go_to(self, place: str) -> None:
        """Go to a typed place, such as `1:23` or `50%`."""
        self._moves.to_place(place)

    def why_no_place(self, place: str) -> str:
        """Why a typed place does not exist; empty if it does."""
        return self._moves.why_no_place(place)

    def action_go_start(self) -> None:
        """Go to the start."""
        self._moves.to(0)

    def action_go_end(self) -> None:
        """Go to the end."""
        self._moves.to(self._summary.last_seq)

    @override
    def action_note(self) -> None:
        """Stop, and write a note on a step of the requested position, once it is displayed."""
        is_there = self._replay.is_there
        self._replay.hold()
        self.step_notes.ask(None if is_there else self._replay.arrived())

    # --- the session

    def action_sample(self, direction: int) -> None:
        """Go to the next sample of the evaluation without a right answer (1), or the previous one
        (-1)."""
        if self._to_sample is not None:
            self._replay.hold()
            self._to_sample(direction)

    def hold(self) -> None:
        """Stop playing."""
        self._replay.plays = False

    def action_fork(self) -> None:
        """Fork at the displayed event."""
        self.hold()
        self.post_message(ForkRequested(self._summary.id, self.state.seq))

    def action_run_again(self) -> None:
        """Run the task again, from the beginning."""
        self.hold()
        self.post_message(RunAgainRequested(self._summary.id))

    def action_export(self) -> None:
        """Export the session to files."""
        self._replay.hold()
        export_session(self, self._summary, self._store)

    def words_of_escape(self, *, is_search: bool) -> str:
        """Return what escape does next, for the key bar; empty outside of a search: there, its key
        would come and go with each notice."""
        if not is_search:
            return ""
        return "dismiss the notice" if passing_toasts(app_of(self)) else "end search"

    @override
    def why_key_does_nothing(self, key: str) -> str:
        """Why a key that steers a run does nothing here, and which key shows a whole call."""
        name = action_with(key, ("live",))
        if name == "live.waiting":
            return f"{ACTIONS[name].short_title}: {hint('cockpit.whole')} opens the chosen call."
        return f"{ACTIONS[name].short_title}: a replay shows what was recorded." if name else ""
