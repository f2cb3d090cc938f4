"""A run in another program, watched and steered from this one over its socket."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any, TypeVar, cast

import msgspec

from sandbox_tui.core.base.errors import FileRefused, SandboxError, SandboxLost, SandboxTuiError
from sandbox_tui.core.base.process_identity import has_exited, is_stopped
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.core.run.human.user_files import FileChangedMeanwhile
from sandbox_tui.core.run.steering import RunEnded
from sandbox_tui.sessions.recording.event_feed import EventFeed
from sandbox_tui.sessions.recording.latest_output import LatestOutput
from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.sessions.remote.commands import COMMANDS, Command
from sandbox_tui.sessions.remote.protocol import (
    MAX_LINE_BYTES,
    TAKE_OVER,
    Request,
    Response,
    Status,
    decode_message,
    encode,
)
from sandbox_tui.sessions.remote.proxy import RunProxy
from sandbox_tui.sessions.remote.run_handle import labels_in, sample_labels
from sandbox_tui.sessions.remote.sockets import NO_ANSWER, connect_to
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store

RESPONSE_TIMEOUT_SECONDS = 60.0
"""Maximum time for a program to respond."""

POLL_SECONDS = 2.0
"""Interval of checks on a program that does not respond, since it may have been stopped."""

GONE = "The program running this session has exited."

NOT_UNDERSTOOD = (
    "This version cannot read what the run's program sent. The run continues; attach with the "
    "version that started it."
)

DISCONNECTED = "The connection to the run was lost. The run continues; attach again."

NO_ARGUMENTS = msgspec.Raw(b"{}")

_T = TypeVar("_T")

_ERRORS: dict[str, type[SandboxTuiError]] = {
    kind.__name__: kind
    for kind in (FileRefused, RunEnded, SandboxError, SandboxLost, SandboxTuiError)
}


class RunClient:
    """A run in another program, and its record.

    It connects when it is watched. Events are read from the database, so that a slow or closed
    screen does not block the run.

    Args:
        summary: the session as it was last read.
        store: the database.
        complain: called with a sentence if an operation fails whose result nothing awaits.
    """

    def __init__(
        self, summary: RunSummary, store: Store, complain: Callable[[str], None] | None = None
    ) -> None:
        self.summary = summary
        self.run_id = summary.id
        self.task = summary.task
        self._labels = sample_labels(summary)
        self.failure: SandboxTuiError | None = None
        self.ended = asyncio.Event()
        self.state = RunState()
        self.printed = LatestOutput()
        self.complain: Callable[[str], None] = complain or (lambda words: None)
        self._store = store
        proxy = RunProxy(self.state, self._call, self._send, lambda: self.steers)
        self._run = cast(Controls, proxy)
        self._status = Status(seq=0, steers=False, watchers=1)
        self._connected = asyncio.Event()
        self._connecting = asyncio.Lock()
        self._feed = EventFeed(store, summary.id)
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        self._pid = 0
        self._requests = 0
        self._pending: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def run(self) -> Controls | None:
        """The run; None until it can be steered."""
        return self._run if self._status.ready else None

    @property
    def recorded(self) -> int | None:
        """Number of the last event that its program has recorded, as far as it has told; None until
        it has answered."""
        return self._status.seq if self._connected.is_set() else None

    @property
    def began(self) -> float | None:
        """When the run started, on the monotonic clock of this host; None until it is known."""
        return self._status.began

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels recorded with the run; before its first event is read, those of a sample."""
        return labels_in(self.state) or self._labels

    @property
    def can_be_steered(self) -> bool:
        """Always True: its program accepts commands from whichever screen steers."""
        return True

    @property
    def steers(self) -> bool:
        """Whether this screen steers."""
        return self._status.steers and self._writer is not None

    @property
    def audience(self) -> str:
        """Who else is watching, in a few words."""
        if self._writer is None or self.ended.is_set():
            return ""
        if not self.steers:
            return "watching"
        others = self._status.watchers - 1
        if others == 0:
            return "detached"
        return f"you are in control, {others} watching"

    @property
    def storage_error(self) -> str:
        """Why the run is blocked because it cannot be recorded; otherwise empty."""
        return "" if self.ended.is_set() else self._status.storage_error

    @property
    def exit_code(self) -> int:
        """Exit code of the run after it has ended."""
        if self.failure is not None:
            return self.failure.exit_code
        finished = self.state.finished
        return e.EXIT_CODES[finished.reason] if finished else 0

    def start(self) -> None:
        """Do nothing: the run was started in the other program."""

    def take_over(self) -> None:
        """Let this screen steer."""
        self._send_request(TAKE_OVER)

    async def stop(self, because: str) -> None:
        """End the run and wait until everything is cleaned up.

        Raises:
            SandboxTuiError: its program does not respond.
        """
        if self._writer is None:
            await self.connect()
        if self.failure is None:
            cancel = COMMANDS["cancel"]
            args = cancel.encode(cancel.bind((because,), {}))
            await self._within_timeout(self._request(TAKE_OVER, NO_ARGUMENTS))
            await self._within_timeout(self._request(cancel.name, args))
            await self.ended.wait()

    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        """Yield all events from the first on: those already stored, then each new one.

        Several may watch at once, such as the wall and the screen of the run above it; the
        connection is closed when the last of them leaves.
        """
        async with self._connecting:
            if self._writer is None and not self.ended.is_set():
                await self.connect()
        try:
            async with contextlib.aclosing(self._feed.watch()) as events:
                async for event in events:
                    self._fold(event)
                    yield event
        finally:
            if not self._feed.watchers:
                self.leave()

    async def connect(self) -> None:
        """Connect to the run's program; `failure` says why if that is impossible."""
        try:
            line = await asyncio.to_thread(connect_to, self.run_id)
        except SandboxTuiError as error:
            self._end(error)
            return
        self._pid = line.pid
        reader, self._writer = await asyncio.open_unix_connection(
            sock=line.socket, limit=MAX_LINE_BYTES
        )
        self._listening = asyncio.create_task(self._listen(reader))
        try:
            await self._within_timeout(self._connected.wait())
        except SandboxTuiError as error:
            self._end(error)
            self.leave()

    def leave(self) -> None:
        """Stop watching; the run continues."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _fold(self, event: e.AnyEvent) -> None:
        if event.seq <= self.state.seq:  # another watcher in this program has folded it
            return
        self.state.apply(event)
        self.printed.note(event)

    # --- the connection

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        why = GONE
        try:
            while data := await reader.readline():
                self._receive(decode_message(data))
            why = await self._why_it_ended()
        except OSError:
            why = await self._why_it_ended()
        except (ValueError, msgspec.MsgspecError):  # ValueError: a line longer than the limit
            why = NOT_UNDERSTOOD
        finally:
            if self._writer is not None and not self.ended.is_set():
                self._end((ProgramExited if why is GONE else SandboxTuiError)(why))
            for future in self._pending.values():
                if not future.done():
                    future.set_exception(SandboxTuiError(why))
            self.leave()

    async def _why_it_ended(self) -> str:
        return GONE if await asyncio.to_thread(has_exited, self._pid) else DISCONNECTED

    async def _within_timeout(self, answer: Awaitable[_T]) -> _T:
        """Wait for a response.

        Raises:
            SandboxTuiError: the program does not respond in time, or has been stopped.
        """
        task = asyncio.ensure_future(answer)
        give_up = time.monotonic() + RESPONSE_TIMEOUT_SECONDS
        while not task.done():
            await asyncio.wait([task], timeout=POLL_SECONDS)
            if not task.done() and (is_stopped(self._pid) or time.monotonic() > give_up):
                task.cancel()
                raise SandboxTuiError(NO_ANSWER)
        return task.result()

    def _receive(self, message: Response | Status) -> None:
        if isinstance(message, Response):
            future = self._pending.pop(message.id, None)
            if future is not None and not future.done():
                _settle(future, message)
            return
        self._status = message
        self._connected.set()
        self._feed.advance(message.seq)
        if message.ended:
            self._end(SandboxTuiError(message.failure) if message.failure else None)

    def _end(self, failure: SandboxTuiError | None) -> None:
        self.failure = failure or self.failure
        self.ended.set()
        self._connected.set()
        self._feed.end()

    async def _request(self, method: str, args: msgspec.Raw) -> msgspec.Raw:
        if self._writer is None:
            raise self.failure or SandboxTuiError(GONE)
        self._requests += 1
        future: asyncio.Future[msgspec.Raw] = asyncio.get_running_loop().create_future()
        self._pending[self._requests] = future
        self._writer.write(encode(Request(self._requests, method, args)))
        return await future

    async def _call(self, command: Command, arguments: msgspec.Struct) -> Any:
        value = await self._request(command.name, command.encode(arguments))
        try:
            return command.decode_result(value)
        except msgspec.MsgspecError as error:
            raise SandboxTuiError(NOT_UNDERSTOOD) from error

    def _send(self, command: Command, arguments: msgspec.Struct) -> None:
        self._send_request(command.name, command.encode(arguments))

    def _send_request(self, method: str, args: msgspec.Raw = NO_ARGUMENTS) -> None:
        """Send a request without waiting for its response; requests keep their order."""
        task = asyncio.create_task(self._sent(method, args))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _sent(self, method: str, args: msgspec.Raw) -> None:
        try:
            await self._request(method, args)
        except SandboxTuiError as error:
            with contextlib.suppress(Exception):
                self.complain(str(error))


def _settle(future: asyncio.Future[msgspec.Raw], response: Response) -> None:
    if not response.error:
        future.set_result(response.value)
    elif response.error == FileChangedMeanwhile.__name__:
        future.set_exception(FileChangedMeanwhile(response.message, response.current))
    else:
        future.set_exception(_ERRORS.get(response.error, SandboxTuiError)(response.message))


async def end_run(run: RunSummary, store: Store) -> None:
    """End a run in another program, and wait until it has ended.

    Raises:
        SandboxTuiError: its program cannot be reached.
    """
    worker = RunClient(run, store)
    try:
        await worker.stop("You stopped the run.")
    finally:
        worker.leave()
    if worker.failure is not None:
        raise worker.failure
