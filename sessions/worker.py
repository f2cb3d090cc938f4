"""A run that goes on in the background, recorded, whether or not a screen is watching it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from ..core import events as e
from ..core.errors import SandboxTuiError
from ..core.launch import RunRequest, open_run
from ..core.run import Run
from ..core.state import RunState
from .ids import new_id
from .recorder import record
from .store import Store

BEHIND = 256
"""Events a watcher may be behind before the run waits for it."""


class Worker:
    """One run and its record.

    Args:
        request: what to run.
        store: where it is kept.
        run_id: the session's id; None: a new one.

    Attributes:
        run_id: the session's id.
        run: set once it has been put together.
        state: the fold of all events that are stored.
        failure: why it could not begin, or stopped being recorded; None otherwise.
        ended: set when the run is over, its events stored and its sandbox gone.
        observers: called with each event once it is stored; they must be quick.
        held_up: called when `trouble` has changed; they must be quick.
    """

    def __init__(self, request: RunRequest, store: Store, run_id: str | None = None) -> None:
        self.request = request
        self.run_id = run_id or new_id()
        self.run: Run | None = None
        self.state = RunState()
        self.failure: SandboxTuiError | None = None
        self.ended = asyncio.Event()
        self.observers: list[Callable[[e.AnyEvent], None]] = []
        self.held_up: list[Callable[[], None]] = []
        self._store = store
        self._watchers: list[asyncio.Queue[e.AnyEvent | None]] = []
        self._working: asyncio.Task[None] | None = None

    @property
    def task(self) -> str:
        """What the model was asked."""
        return self.request.task

    @property
    def trouble(self) -> str:
        """What keeps the run from being recorded, and so from going on, at the moment; or empty."""
        return "" if self.run is None else self.run.keeping.trouble

    @property
    def steers(self) -> bool:
        """Whether this program's screen steers: there is no other."""
        return True

    @property
    def company(self) -> str:
        """Who else watches, in words: nobody."""
        return ""

    def take_over(self) -> None:
        """Nothing to do: nobody else steers."""

    @property
    def exit_code(self) -> int:
        """Of the program, if this run is what it was started for."""
        if self.failure is not None:
            return self.failure.exit_code
        finished = self.state.finished
        return e.EXIT_CODES[finished.reason] if finished else 1

    def start(self) -> None:
        """Begin; also again after a `failure` to begin."""
        self.failure = None
        self.ended.clear()
        self._working = asyncio.create_task(self._work())

    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        """All events from the first on, those that are stored already and then each as it is.

        A slow watcher holds the run back, so that a flood does not fill the memory; one that
        leaves does not.
        """
        inbox: asyncio.Queue[e.AnyEvent | None] = asyncio.Queue(BEHIND)
        self._watchers.append(inbox)
        over, seen = self.ended.is_set(), self.state.seq
        try:
            for event in await self._stored(seen):
                yield event
            while not over and (event := await inbox.get()) is not None:
                if event.seq > seen:
                    yield event
        finally:
            self._watchers.remove(inbox)
            while not inbox.empty():  # whoever is putting something in goes on
                inbox.get_nowait()

    async def stop(self, because: str) -> None:
        """End the run and wait until everything is put away.

        What cannot be stored at this moment is waited for no longer, and is a `failure`.
        """
        if self.run is not None:
            self.run.cancel(because)
            self.run.keeping.give_up()
        elif self._working is not None:
            self._working.cancel()
        await self.ended.wait()

    async def _stored(self, upto: int) -> list[e.AnyEvent]:
        if not upto:
            return []
        every = await asyncio.to_thread(lambda: list(self._store.events(self.run_id)))
        return [event for event in every if event.seq <= upto]

    async def _work(self) -> None:
        try:
            run = self.run = await self._open()
            run.keeping.observers.append(self._tell_of_trouble)
            async for event in record(run.events(), self._store, self.run_id, run.keeping):
                await self._show(event)
        except SandboxTuiError as error:
            self.failure = error
        except Exception as error:  # noqa: BLE001 - nobody awaits this task: it must be said
            self.failure = SandboxTuiError(f"This is a defect of sandbox-tui: {error!r}.")
        finally:
            await self._put_away()
            self.ended.set()
            for inbox in self._watchers:
                await inbox.put(None)

    async def _open(self) -> Run:
        """Put the run together.

        Raises:
            SandboxTuiError: that cannot be done.
        """
        return await open_run(self.request, self.run_id, self._store.blobs(self.run_id))

    async def _put_away(self) -> None:
        """What is left to be done when the run is over, or could not begin."""

    def _tell_of_trouble(self) -> None:
        for tell in self.held_up:
            tell()

    async def _show(self, event: e.AnyEvent) -> None:
        self.state.apply(event)
        for observe in self.observers:
            observe(event)
        for inbox in list(self._watchers):
            await inbox.put(event)
