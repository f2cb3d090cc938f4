"""Lets screens of other programs watch and steer a run in this one over a Unix socket."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import msgspec

from sandbox_tui.core.base.errors import FileRefused, SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.human.user_files import FileChangedMeanwhile
from sandbox_tui.sessions.recording.run_worker import RunWorker
from sandbox_tui.sessions.remote.commands import COMMANDS, READ_ONLY
from sandbox_tui.sessions.remote.protocol import (
    MAX_LINE_BYTES,
    TAKE_OVER,
    Request,
    Response,
    Status,
    decode_request,
    encode,
    encode_value,
)
from sandbox_tui.sessions.remote.sockets import listen

MAX_CONCURRENT_REQUESTS = 32
"""Limit per screen."""

FLUSH_TIMEOUT_SECONDS = 2.0
"""Maximum time that the server waits, when it closes, for screens to read the last status."""

NOT_STEERING = "Another terminal is in control of this run: take control first."

TOO_LONG = "The result is too long to send."


class RunServer:
    """Serves one run to any number of screens; the first in its list steers.

    Args:
        worker: the run.
    """

    def __init__(self, worker: RunWorker) -> None:
        self._worker = worker
        self._path: Path | None = None
        self._server: asyncio.Server | None = None
        self._screens: list[ClientConnection] = []
        worker.observers.append(self._on_event)
        worker.on_storage_error.append(self._notify_all)

    async def open(self, *, sweep: bool = True) -> None:
        """Listen on the run's socket.

        Args:
            sweep: see `listen`.

        Raises:
            SandboxTuiError: the socket cannot be created.
        """
        line = await asyncio.to_thread(listen, self._worker.run_id, sweep=sweep)
        self._path = Path(line.getsockname())
        self._server = await asyncio.start_unix_server(
            self._connected, sock=line, limit=MAX_LINE_BYTES
        )

    async def close(self) -> None:
        """Send every screen the last status and disconnect."""
        if self._server is not None:
            self._server.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        self._notify_all()
        flushing = [asyncio.create_task(screen.flush()) for screen in self._screens]
        if flushing:
            await asyncio.wait(flushing, timeout=FLUSH_TIMEOUT_SECONDS)
        for screen in list(self._screens):
            screen.close()

    @property
    def _steerer(self) -> ClientConnection | None:
        return self._screens[0] if self._screens else None

    def status_for(self, screen: ClientConnection) -> Status:
        """Return the state of the run, for one screen."""
        worker = self._worker
        ended = worker.ended.is_set()
        return Status(
            seq=worker.state.seq,
            steers=screen is self._steerer,
            watchers=len(self._screens),
            ready=worker.run is not None,
            ended=ended,
            exit_code=worker.exit_code if ended else 0,
            failure=str(worker.failure or ""),
            storage_error=worker.storage_error,
            began=worker.began,
        )

    async def execute(self, request: Request, screen: ClientConnection) -> Any:
        """Execute a screen's request; return its result.

        Raises:
            SandboxTuiError: the request is refused or fails; the message says why.
        """
        if request.method == TAKE_OVER:
            self._screens.remove(screen)
            self._screens.insert(0, screen)
            self._notify_all()
            return None
        if request.method not in READ_ONLY and screen is not self._steerer:
            raise SandboxTuiError(NOT_STEERING)
        run, command = self._worker.run, COMMANDS.get(request.method)
        if command is None:
            raise SandboxTuiError("This program does not support that operation.")
        if run is None:
            raise SandboxTuiError("The run is starting.")
        try:
            return await command.invoke(run, request.args)
        except (TypeError, ValueError, msgspec.MsgspecError) as error:
            raise SandboxTuiError(f"The operation failed: {error!r}.") from error

    def _on_event(self, event: e.AnyEvent) -> None:
        self._notify_all()

    def _notify_all(self) -> None:
        for screen in self._screens:
            screen.notify()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        screen = ClientConnection(self, reader, writer)
        self._screens.append(screen)
        self._notify_all()
        try:
            await screen.serve()
        except asyncio.CancelledError:
            pass  # the program ends; Python 3.11 would report the task's end as an error
        finally:
            if screen in self._screens:
                self._screens.remove(screen)
            self._notify_all()


class ClientConnection:
    """The connection to a screen of another program."""

    def __init__(
        self, server: RunServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._run_server = server
        self._reader = reader
        self._writer = writer
        self._changed = asyncio.Event()
        self._write_lock = asyncio.Lock()
        self._type_lock = asyncio.Lock()
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_REQUESTS)
        self._tasks: set[asyncio.Task[None]] = set()

    def notify(self) -> None:
        """Send the changed status as soon as this screen can take another line."""
        self._changed.set()

    async def serve(self) -> None:
        """Answer requests until the screen disconnects."""
        sending = asyncio.create_task(self._send_statuses())
        try:
            while data := await self._reader.readline():
                request = decode_request(data)
                await self._slots.acquire()
                task = asyncio.create_task(self._respond(request))
                self._tasks.add(task)
                task.add_done_callback(self._responded)
        except (OSError, ValueError, msgspec.MsgspecError):
            pass  # the screen has disconnected or speaks another protocol
        finally:
            sending.cancel()
            self.close()

    async def flush(self) -> None:
        """Send the last status."""
        with contextlib.suppress(OSError):
            await self._send(self._run_server.status_for(self))

    def close(self) -> None:
        """Disconnect."""
        self._writer.close()

    async def _send_statuses(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                await self._changed.wait()
                self._changed.clear()
                await self._send(self._run_server.status_for(self))

    async def _respond(self, request: Request) -> None:
        with contextlib.suppress(OSError):
            await self._send(await self._outcome(request))

    async def _outcome(self, request: Request) -> Response:
        try:
            if request.method == "type":  # keys must keep the order in which they were pressed
                async with self._type_lock:
                    value = await self._run_server.execute(request, self)
            else:
                value = await self._run_server.execute(request, self)
        except FileChangedMeanwhile as error:
            name = type(error).__name__
            return Response(request.id, error=name, message=str(error), current=error.now)
        except (SandboxTuiError, OSError) as error:
            kind = FileRefused if isinstance(error, OSError) else type(error)
            return Response(request.id, error=kind.__name__, message=str(error))
        except Exception as error:  # noqa: BLE001 - the client must get a response
            asyncio.get_running_loop().call_exception_handler(
                {"message": f"a bug in {request.method}", "exception": error}
            )
            message = f"This is a bug in sandbox-tui: {error!r}."
            return Response(request.id, error=SandboxTuiError.__name__, message=message)
        return Response(request.id, encode_value(value))

    async def _send(self, message: Response | Status) -> None:
        line = encode(message)
        if len(line) > MAX_LINE_BYTES and isinstance(message, Response):
            line = encode(Response(message.id, error="SandboxTuiError", message=TOO_LONG))
        async with self._write_lock:
            self._writer.write(line)
            await self._writer.drain()

    def _responded(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._slots.release()
