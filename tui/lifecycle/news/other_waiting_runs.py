"""How many other runs wait for the user, in the header of the session that is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual.app import App

from sandbox_tui.tui.screens.palette.shown_runs import is_shown, without_dialogs
from sandbox_tui.tui.terminal_io.notifications import waits

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunRegistry


@runtime_checkable
class TellsOfOtherRuns(Protocol):
    """A screen about one session, whose header has room for what other runs do."""

    def show_other_waiting(self, count: int) -> None:
        """Show how many other runs wait for the user."""
        ...


class OtherWaitingRuns:
    """Counts the runs of this program that wait for the user while another session is shown.

    Args:
        app: shows the screens.
        runs: the runs of this program.
    """

    def __init__(self, app: App[int], runs: RunRegistry) -> None:
        self._app = app
        self._runs = runs

    def look(self) -> None:
        """Show the number on the topmost screen below the dialogs."""
        screens = without_dialogs(self._app.screen_stack)
        if screens and isinstance(screen := screens[-1], TellsOfOtherRuns):
            away = self._runs.samples.union(self._runs.detached)
            others = [run for run_id, run in self._runs.all.items() if run_id not in away]
            waiting = [run for run in others if waits(run) and not is_shown(run.run_id, [screen])]
            screen.show_other_waiting(len(waiting))
