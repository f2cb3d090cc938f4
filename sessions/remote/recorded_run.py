"""A run as its record tells it, for screens that show several: it cannot be steered from here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.sessions.recording.latest_output import LatestOutput
from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.sessions.remote.run_handle import labels_in, sample_labels
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.event_pages import stored_events

POLL_SECONDS = 1.0
"""Seconds between two looks at the record of a run that another program is still recording."""

INTERRUPTED = "The program running this session has exited."


class RecordedRun:
    """A run that has ended, or that another program runs without answering for it.

    Its state is folded while it is watched.

    Args:
        summary: the session.
        store: the database.

    Attributes:
        summary: the session as it was when this began.
        is_growing: whether another program was recording it at the last look.
    """

    def __init__(self, summary: RunSummary, store: Store) -> None:
        self.summary = summary
        self.run_id = summary.id
        self.task = summary.task
        self._labels = sample_labels(summary)
        self.state = RunState()
        self.printed = LatestOutput()
        self.failure: SandboxTuiError | None = None
        self.ended = asyncio.Event()
        self.is_growing = summary.outcome == "running"
        self._store = store
        self._zero: float | None = None
        """When its clock was at zero, in seconds since the epoch."""

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels recorded with the run; before its first event is read, those of a sample."""
        return labels_in(self.state) or self._labels

    @property
    def run(self) -> None:
        """Always None: it cannot be steered."""
        return

    @property
    def began(self) -> float | None:
        """When the run started, on the monotonic clock of this host: for one that another program
        runs, as its record tells; None if that is unknown."""
        if self._zero is None or not self.is_growing:
            return None
        return time.monotonic() - (time.time() - self._zero)

    @property
    def goes_on(self) -> bool:
        """Whether another program was running it at the last look."""
        return self.is_growing and self.failure is None and not self.ended.is_set()

    @property
    def is_followed(self) -> bool:
        """Whether a program of this host was running it when this began, and it did not come to an
        end of its own."""
        runs_here = self.summary.outcome == "running" and not self.summary.elsewhere
        return runs_here and (self.goes_on or isinstance(self.failure, ProgramExited))

    @property
    def can_be_steered(self) -> bool:
        """Always False."""
        return False

    @property
    def steers(self) -> bool:
        """Always False."""
        return False

    @property
    def audience(self) -> str:
        """Always empty: nobody can be asked."""
        return ""

    @property
    def storage_error(self) -> str:
        """Always empty: its program knows."""
        return ""

    @property
    def exit_code(self) -> int:
        """Exit code of a program that was started for this run."""
        finished = self.state.finished
        return e.EXIT_CODES[finished.reason] if finished else 0

    def start(self) -> None:
        """Do nothing: it was started elsewhere."""

    def take_over(self) -> None:
        """Do nothing: it cannot be steered."""

    async def stop(self, because: str) -> None:
        """Refuse: only its own program can end it.

        Raises:
            SandboxTuiError: always.
        """
        raise SandboxTuiError("Another program runs this session; end it there.")

    def _note(self, event: e.AnyEvent) -> None:
        """Fold an event."""
        self.state.apply(event)
        self.printed.note(event)
        match event:
            case e.RunStarted():
                self._zero = event.started_at - event.t
            case e.RunResumed():
                self._zero = event.resumed_at - event.t
            case _:
                pass

    def stored_after(self, seq: int) -> AsyncGenerator[e.AnyEvent]:
        """Return the recorded events after this one; at first, without terminal output."""
        return stored_events(self._store, self.run_id, seq, output=seq > 0)

    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        """Yield its events until the run has ended; those that were recorded before the first look
        come without the bytes of terminal output, which may be many.

        Raises:
            StoreError: the record cannot be read.
            EventDecodeError: an event was written by a newer version.
        """
        while not self.ended.is_set():
            summary = await asyncio.to_thread(self._store.run, self.run_id)
            self.is_growing = summary.outcome == "running"
            seen = self.state.seq
            async for event in self.stored_after(seen):
                self._note(event)
                yield event
            if self.is_growing:
                await asyncio.sleep(POLL_SECONDS)
                continue
            if self.state.finished is None:
                self.failure = ProgramExited(INTERRUPTED)
            self.ended.set()
