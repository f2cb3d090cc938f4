"""What is known of a run that its screen does not show yet, because it was just opened."""

from __future__ import annotations

from collections.abc import Callable

from textual.screen import Screen

from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.sessions.recording.run_worker import RunWorker
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.run_handle import RunHandle
from sandbox_tui.tui.keys.unavailable_keys import say_refusal
from sandbox_tui.tui.screens.cockpit.nothing_to_act_on import DECISIONS
from sandbox_tui.tui.widgets.drawn_call import not_shown_yet

BEING_READ = "the record of this run is still being read"
"""Why an action is not available yet that may be in a moment."""


class NotShownYet:
    """Tells how far a screen is behind the run that it shows.

    Args:
        worker: the run.
        shown: the run as far as the screen shows it.
    """

    def __init__(self, worker: RunHandle, shown: RunState) -> None:
        self._worker = worker
        self._shown = shown
        self._to_read: int | None = None

    @property
    def latest(self) -> RunState | None:
        """The run as it is known, if the screen is behind that; otherwise None."""
        if not isinstance(self._worker, RunWorker | RunClient):
            return None
        known = self._worker.state
        return known if known.seq > self._shown.seq else None

    @property
    def is_behind(self) -> bool:
        """Whether a reason that the screen finds in what it shows may be untrue."""
        return self.latest is not None or self._is_unread

    @property
    def _is_unread(self) -> bool:
        """Whether the record in another program is read only by this screen, and not to its end."""
        worker = self._worker
        if not isinstance(worker, RunClient) or worker.ended.is_set():
            return False
        if self._to_read is None:  # what is recorded later is read at once
            self._to_read = worker.recorded
        return self._to_read is None or self._to_read > self._shown.seq

    def says_so(self, screen: Screen[None]) -> bool:
        """Return whether a call waits that is yet to be shown; if one does, say so on a screen."""
        words = self.refused_decision
        if words:
            say_refusal(screen, words)
        return bool(words)

    def why_unavailable(self, action: str, find: Callable[[str, RunState], str]) -> str:
        """Return why an action is not available; empty if it is.

        A decision on a call that is yet to be shown is not refused here: what the key does then is
        to say so.

        Args:
            action: its name.
            find: returns the reason in a state of the run.
        """
        why = find(action, self._shown)
        if not why or not self.is_behind:
            return why
        if action in DECISIONS and self.refused_decision:
            return ""
        return (find(action, self.latest) if self.latest else "") or BEING_READ

    @property
    def refused_decision(self) -> str:
        """What to say if a key decides about a call that waits, but is not shown yet; empty without
        such a call."""
        if self._shown.pending is not None or self._shown.finished is not None:
            return ""
        if (latest := self.latest) is not None:
            pending = latest.pending
            return "" if pending is None else not_shown_yet(f"Call {pending.call.number}")
        waits = isinstance(self._worker, RunClient) and self._worker.summary.waits
        return not_shown_yet("The call") if waits and self._is_unread else ""
