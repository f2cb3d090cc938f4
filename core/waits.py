"""Writes into a run's record how long it had to wait until it could be recorded."""

from __future__ import annotations

from .events import Warned
from .journal import Journal
from .spans import span
from .state import RunState


class Waits:
    """The times in which a run waits for its record.

    Args:
        journal: of the run, which says what stands in the way.
        state: of the run.
    """

    def __init__(self, journal: Journal, state: RunState) -> None:
        self._journal = journal
        self._state = state
        self._since: tuple[float, str] | None = None
        journal.keeping.observers.append(self._changed)

    def _changed(self) -> None:
        now, trouble = self._journal.elapsed, self._journal.keeping.trouble
        if trouble:
            self._since = self._since or (now, trouble)
        elif self._since is not None:
            (began, words), self._since = self._since, None
            if self._state.finished is None:
                self._journal.post(Warned(text=f"The run waited {span(now - began)}: {words}"))
