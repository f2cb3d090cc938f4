"""Runs an agent in the background and records it, whether or not a screen watches."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.durability import Durability
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.run.open_run import open_run
from sandbox_tui.core.run.run import OnFinished, Run
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions.recording.event_feed import EventFeed
from sandbox_tui.sessions.recording.latest_output import LatestOutput
from sandbox_tui.sessions.recording.recorder import record
from sandbox_tui.sessions.store.ids import new_id
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.tool_formats import known_tool_format

NOT_BEGUN = "The run was ended before it started."


class EndedEarly(SandboxTuiError):
    """The run was ended before any event was recorded."""

    exit_code = e.EXIT_CODES["cancelled"]


class ProgramExited(SandboxTuiError):
    """The program of a detached run has exited before the run ended."""


class RunLost(SandboxTuiError):
    """The machine of the run was lost, which says nothing about the model; its record is
    complete."""

    exit_code = e.EXIT_CODES["cancelled"]


class EventSource(NamedTuple):
    """A run's events, to be recorded.

    Attributes:
        events: of the run.
        durability: notified of how far they are stored.
    """

    events: AsyncIterator[e.AnyEvent]
    durability: Durability


class RunWorker:
    """One run and its record.

    Args:
        request: what to run.
        store: the database.
        run_id: the session's id; None: a new one.
        on_finished: see `Run`.

    Attributes:
        run_id: the session's id.
        run: set when it has been assembled.
        state: the fold of all stored events.
        printed: the end of what the running call has printed.
        failure: why the run could not begin or recording stopped; otherwise None.
        left: whether the run was handed to another program, which resumes it.
        ended: set when the run has ended, its events are stored and its sandbox is closed.
        observers: called with each event after it is stored; must not block.
        on_storage_error: called when `storage_error` has changed; must not block.
    """

    def __init__(
        self,
        request: RunRequest,
        store: Store,
        run_id: str | None = None,
        on_finished: OnFinished | None = None,
    ) -> None:
        self.request = request
        self.run_id = run_id or new_id()
        self.run: Run | None = None
        self.state = RunState()
        self.printed = LatestOutput()
        self.failure: SandboxTuiError | None = None
        self.left = False
        self.ended = asyncio.Event()
        self.observers: list[Callable[[e.AnyEvent], None]] = []
        self.on_storage_error: list[Callable[[], None]] = []
        self._store = store
        self._on_finished = on_finished
        self._feed = EventFeed(store, self.run_id)
        self._history: list[e.AnyEvent] = []
        self._working: asyncio.Task[None] | None = None

    @property
    def task(self) -> str:
        """The task given to the model."""
        return self.request.task

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels recorded with the run."""
        return self.request.labels

    @property
    def began(self) -> float | None:
        """When the run started, on the monotonic clock of this host; None until it is known."""
        return None if self.run is None else self.run.began

    @property
    def storage_error(self) -> str:
        """Why the run is blocked because it cannot be recorded; otherwise empty."""
        return "" if self.run is None else self.run.durability.stall_reason

    @property
    def can_be_steered(self) -> bool:
        """Always True: the run is in this program."""
        return True

    @property
    def steers(self) -> bool:
        """Always True: a run in this program is steered by its screen."""
        return True

    @property
    def audience(self) -> str:
        """Always empty: nobody else watches."""
        return ""

    def take_over(self) -> None:
        """Do nothing: this screen already steers."""

    @property
    def exit_code(self) -> int:
        """Exit code of a program that was started for this run."""
        if self.failure is not None:
            return self.failure.exit_code
        finished = self.state.finished
        return e.EXIT_CODES[finished.reason] if finished else int(not self.left)

    def start(self) -> None:
        """Start the run; may be called again after a `failure` to begin."""
        self.failure = None
        self.ended.clear()
        self._feed.begin()
        self._working = asyncio.create_task(self._work())
        self._working.add_done_callback(self._ended_before_it_began)

    def watch(self) -> AsyncGenerator[e.AnyEvent]:
        """Return all events from the first on: those already stored, then each new one.

        A slow watcher delays the run (`EventFeed.publish`); one that leaves does not.
        """
        return self._feed.watch()

    async def stop(self, because: str) -> None:
        """End the run and wait until everything is cleaned up.

        Events that cannot be stored at this point are discarded, which becomes a `failure`.
        """
        if self.run is not None:
            self.run.cancel(because)
            self.run.durability.give_up()
        elif self._working is not None and not self._working.cancelling():
            self._working.cancel()  # only once: a second cancellation would abort its cleanup
        await self.ended.wait()

    async def disconnect(self, because: str) -> None:
        """End the run like `stop`, but so that it can be resumed if it has been assembled."""
        if self.run is not None:
            self.run.cancel(because, "disconnected")
            self.run.durability.give_up()
            await self.ended.wait()
        else:
            await self.stop(because)

    async def leave(self) -> bool:
        """Stop the run at a point where another program can resume it; see `Run.leave`.

        Returns:
            False if the run ended in the meantime or has not begun.
        """
        if self.run is None or not await self.run.leave():
            return False
        self.left = True
        await self.ended.wait()
        return True

    async def release_sandbox(self) -> None:
        """Release the sandbox that an ended run kept, because it can be resumed."""
        if self.run is not None and self.ended.is_set():
            await self.run.release_sandbox()

    async def _work(self) -> None:
        try:
            events, durability = await self._begin()
            recorded = record(events, self._store, self.run_id, durability)
            async with contextlib.aclosing(recorded):  # closing it ends the run in any case
                async for event in recorded:
                    await self._show(event)
        except SandboxTuiError as error:
            self.failure = error
        except asyncio.CancelledError:  # later than that, the program has crashed
            self.failure = EndedEarly(NOT_BEGUN) if self.run is None else None
        except Exception as error:  # noqa: BLE001 - nobody awaits this task
            self.failure = _as_failure(error)
        try:
            await self._cleanup()
        except Exception as error:  # noqa: BLE001 - the first failure is the one to report
            self.failure = self.failure or _as_failure(error)
        finally:
            self.ended.set()
            self._feed.end()

    def _ended_before_it_began(self, _: asyncio.Task[None]) -> None:
        """End a run that was cancelled before its task took its first step, and so could not clean
        up."""
        if not self.ended.is_set():
            self.failure = EndedEarly(NOT_BEGUN)
            self.ended.set()
            self._feed.end()

    async def _begin(self) -> EventSource:
        """Return the events to record.

        Raises:
            SandboxTuiError: the run cannot begin.
        """
        run = self.run = await self._open()
        run.durability.observers.append(self._notify_storage_error)
        return EventSource(run.events(), run.durability)

    async def _open(self) -> Run:
        """Assemble the run.

        Raises:
            SandboxTuiError: that cannot be done.
        """
        await self._recall_tool_format()
        blobs = self._store.blobs(self.run_id)
        return await open_run(self.request, self.run_id, blobs, on_finished=self._on_finished)

    async def _recall_tool_format(self) -> None:
        """Set the request's tool format to the one that worked with its model before.

        Raises:
            StoreError: the database cannot be read.
        """
        model = self.request.settings.model
        if self.request.tool_format is None and model.tool_calls == "auto":
            known = await asyncio.to_thread(
                known_tool_format, self._store, model.name, model.base_url
            )
            self.request = replace(self.request, tool_format=known)

    async def _cleanup(self) -> None:
        """Clean up after the run has ended or could not begin."""

    def _notify_storage_error(self) -> None:
        for tell in self.on_storage_error:
            tell()

    async def _show(self, event: e.AnyEvent) -> None:
        history, self._history = self._history, []
        for earlier in history:
            self.state.apply(earlier)
        self.state.apply(event)
        self.printed.note(event)
        for observe in self.observers:
            observe(event)
        await self._feed.publish(event)


def _as_failure(error: Exception) -> SandboxTuiError:
    if isinstance(error, SandboxTuiError):
        return error
    defect = SandboxTuiError(f"This is a bug in sandbox-tui: {error!r}.")
    defect.__cause__ = error  # keeps the traceback for the log
    return defect
