"""Records how long a run was stalled because its events could not be stored."""

from __future__ import annotations

from sandbox_tui.core.base.durations import format_duration
from sandbox_tui.core.events.journal import Journal
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.events.types import Warned


class StallRecorder:
    """Writes a warning after each stall.

    Args:
        journal: the run's journal.
        state: the run's state.
    """

    def __init__(self, journal: Journal, state: RunState) -> None:
        self._journal = journal
        self._state = state
        self._since: tuple[float, str] | None = None
        journal.durability.observers.append(self._changed)

    def _changed(self) -> None:
        now, trouble = self._journal.elapsed, self._journal.durability.stall_reason
        if trouble:
            self._since = self._since or (now, trouble)
        elif self._since is not None:
            (began, words), self._since = self._since, None
            if self._state.finished is None:
                self._journal.post(
                    Warned(text=f"The run waited {format_duration(now - began)}: {words}")
                )
