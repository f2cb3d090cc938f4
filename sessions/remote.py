"""A run of another program, watched from this one; see `watched.Watched`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from itertools import islice
from typing import Any

import msgspec

from ..core import events as e
from ..core.errors import (
    FileRefused,
    SandboxError,
    SandboxLost,
    SandboxTuiError,
)
from ..core.human_files import FileChangedMeanwhile
from ..core.state import RunState
from ..core.steered import RunOver
from . import wire
from .remote_run import RemoteRun
from .sockets import socket_path
from .store import Store
from .summary import RunSummary

AHEAD = 500
"""Events read from the database at a time."""

GONE = "The program of this run is gone. `sandbox-tui resume` goes on where it was."

_ERRORS: dict[str, type[SandboxTuiError]] = {
    kind.__name__: kind
    for kind in (FileRefused, RunOver, SandboxError, SandboxLost, SandboxTuiError)
}


class RemoteWorker:
    """A run without a screen, and its record.

    It is connected to when it is watched; events come from the database, so that this screen, if
    it is slow or gone, holds nothing up.

    Args:
        summary: the session.
        store: where it is kept.
        complain: gets a sentence when something that nobody waits for could not be done.
    """

    def __init__(
        self, summary: RunSummary, store: Store, complain: Callable[[str], None] | None = None
    ) -> None:
        self.run_id = summary.id
        self.task = summary.task
        self.failure: SandboxTuiError | None = None
        self.ended = asyncio.Event()
        self.state = RunState()
        self.complain: Callable[[str], None] = complain or (lambda words: None)
        self._store = store
        self._granted: list[tuple[str, str]] = []
        self._run = RemoteRun(
            self.state, self._granted, self._call, self._send, lambda: self.steers
        )
        self._news = wire.News(seq=0, steers=False, watchers=1)
        self._moved = asyncio.Event()
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        self._asked = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def run(self) -> RemoteRun | None:
        """The run, once it can be steered."""
        return self._run if self._news.ready else None

    @property
    def steers(self) -> bool:
        """Whether this screen is the one that steers."""
        return self._news.steers and self._writer is not None

    @property
    def company(self) -> str:
        """Who else is there."""
        if self._writer is None or self.ended.is_set():
            return ""
        if not self.steers:
            return "watching"
        others = self._news.watchers - 1
        if others == 0:
            return "detached"
        return f"you steer, {others} more {'watches' if others == 1 else 'watch'}"

    @property
    def trouble(self) -> str:
        """What keeps the run from being recorded at the moment; or empty."""
        return "" if self.ended.is_set() else self._news.trouble

    @property
    def exit_code(self) -> int:
        """Of the run, once it has ended."""
        if self.failure is not None:
            return self.failure.exit_code
        finished = self.state.finished
        return e.EXIT_CODES[finished.reason] if finished else 0

    def start(self) -> None:
        """It has begun in another program; there is nothing to do."""

    def take_over(self) -> None:
        """Steer from now on."""
        self._send("take_over")

    async def stop(self, because: str) -> None:
        """End the run and wait until everything is put away."""
        if self._writer is None:
            await self.connect()
        if self.failure is None:
            await self._call("take_over")
            await self._call("cancel", because=because)
            await self.ended.wait()

    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        """All events from the first on, those that are stored already and then each as it is."""
        if self._writer is None and not self.ended.is_set():
            await self.connect()
        try:
            async for event in self._events():
                yield event
        finally:
            self.leave()

    async def _events(self) -> AsyncGenerator[e.AnyEvent]:
        seen = 0
        while True:
            self._moved.clear()
            over = self.ended.is_set()
            page = await asyncio.to_thread(self._page, seen)
            for event in page:
                seen = event.seq
                self._fold(event)
                yield event
            if over and not page:
                return
            if not page:
                await self._moved.wait()

    async def connect(self) -> None:
        """Reach the run's program; `failure` says why that was not possible."""
        try:
            reader, self._writer = await asyncio.open_unix_connection(
                str(socket_path(self.run_id)), limit=wire.LONGEST_LINE
            )
        except OSError:
            self._lost(SandboxTuiError("No program answers for this session: it is not detached."))
            return
        self._listening = asyncio.create_task(self._listen(reader))
        await self._moved.wait()

    def leave(self) -> None:
        """Watch no more; the run goes on."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _page(self, after: int) -> list[e.AnyEvent]:
        return list(islice(self._store.events(self.run_id, after=after), AHEAD))

    def _fold(self, event: e.AnyEvent) -> None:
        if event.seq <= self.state.seq:  # another watcher of ours was here before
            return
        self.state.apply(event)
        if isinstance(event, e.RuleGranted):
            self._granted.append((event.tool, event.pattern))

    # --- the line to the other program

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while data := await reader.readline():
                self._hear(wire.read_told(data))
        except (OSError, ValueError, msgspec.MsgspecError):
            pass
        finally:
            if self._writer is not None and not self.ended.is_set():
                self._lost(SandboxTuiError(GONE))
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(SandboxTuiError(GONE))
            self.leave()

    def _hear(self, told: wire.Answer | wire.News) -> None:
        if isinstance(told, wire.Answer):
            future = self._waiting.pop(told.id, None)
            if future is not None and not future.done():
                _settle(future, told)
            return
        self._news = told
        if told.ended:
            if told.failure:
                self.failure = SandboxTuiError(told.failure)
            self.ended.set()
        self._moved.set()

    def _lost(self, failure: SandboxTuiError) -> None:
        self.failure = failure
        self.ended.set()
        self._moved.set()

    async def _call(self, do: str, **args: Any) -> Any:
        if self._writer is None:
            raise self.failure or SandboxTuiError(GONE)
        self._asked += 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[self._asked] = future
        self._writer.write(wire.line(wire.Ask(id=self._asked, do=do, args=args)))
        return await future

    def _send(self, do: str, **args: Any) -> None:
        """Have something done without waiting for it; in the order in which it is asked for."""
        task = asyncio.create_task(self._sent(do, args))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _sent(self, do: str, args: dict[str, Any]) -> None:
        try:
            await self._call(do, **args)
        except SandboxTuiError as error:
            with contextlib.suppress(Exception):
                self.complain(str(error))


def _settle(future: asyncio.Future[Any], told: wire.Answer) -> None:
    if not told.error:
        future.set_result(told.value)
    elif told.error == FileChangedMeanwhile.__name__:
        future.set_exception(FileChangedMeanwhile(told.words, told.now))
    else:
        future.set_exception(_ERRORS.get(told.error, SandboxTuiError)(told.words))
