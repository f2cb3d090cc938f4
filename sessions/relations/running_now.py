"""What a running session does now: its state, which follows new events, and its clock."""

from __future__ import annotations

import time

from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.events.types import RunResumed
from sandbox_tui.sessions.playback.keyframes import keyframe_before
from sandbox_tui.sessions.relations.fork_origin import clock_began_at
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store


class RunningNow:
    """A running session, read from the database, whichever program runs it.

    Args:
        store: the database.
        run: the session.

    Attributes:
        run: its summary when it was last read.
        state: its state then; None before the first `read`.

    Raises:
        StoreError: the session cannot be read.
    """

    def __init__(self, store: Store, run: RunSummary) -> None:
        self._store = store
        self.run = run
        self.state: RunState | None = None
        self._began_at = clock_began_at(store, run)

    def read(self) -> bool:
        """Read what is new; return whether there was anything.

        Raises:
            StoreError: the session cannot be read, for example because it was deleted.
        """
        run = self._store.run(self.run.id, strict=True)
        is_new = self.state is None or (run.last_seq, run.outcome) != (
            self.run.last_seq,
            self.run.outcome,
        )
        self.run = run
        if self.state is None:
            self.state = keyframe_before(self._store, run.id, run.last_seq).state
        after = self.state.seq
        for event in self._store.events(run.id, after=after, until=run.last_seq, output=False):
            self.state.apply(event)
            if isinstance(event, RunResumed):
                self._began_at = clock_began_at(self._store, run)
        return is_new

    @property
    def seconds(self) -> float:
        """Seconds on the run's clock, which go on between events."""
        if self.run.outcome != "running":
            return self.run.seconds
        return max(self.run.seconds, time.time() - self._began_at)
