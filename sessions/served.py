"""Lets screens of other programs watch and steer a run of this one, over a Unix socket."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from ..core import events as e
from ..core.errors import FileRefused, SandboxTuiError
from ..core.human_files import FileChangedMeanwhile
from ..core.run import Run
from . import wire
from .sockets import make_folder, socket_path
from .worker import Worker

AT_ONCE = 32
"""Requests of one screen that may be under way."""

FAREWELL = 2.0
"""Seconds screens are given to take the last line."""

NOT_YOURS = "Another screen steers this run: take it over first."

READS = frozenset({"read", "exists", "fetch", "take_over"})
"""What a screen may do that only watches."""


class Served:
    """One run, for as many screens as like.

    Args:
        worker: the run.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._path = socket_path(worker.run_id)
        self._server: asyncio.Server | None = None
        self._screens: list[_Screen] = []
        worker.observers.append(self._moved)
        worker.held_up.append(self._tell_all)

    async def open(self) -> None:
        """Listen.

        Raises:
            SandboxTuiError: the socket cannot be made.
        """
        make_folder(self._path)
        before = os.umask(0o177)
        try:
            self._path.unlink(missing_ok=True)
            self._server = await asyncio.start_unix_server(
                self._welcome, str(self._path), limit=wire.LONGEST_LINE
            )
        except OSError as error:
            raise SandboxTuiError(f"{self._path} cannot be made: {error.strerror}.") from error
        finally:
            os.umask(before)

    async def close(self) -> None:
        """Tell all screens how it ended, and go."""
        if self._server is not None:
            self._server.close()
        self._path.unlink(missing_ok=True)
        self._tell_all()
        leaving = [asyncio.create_task(screen.leave()) for screen in self._screens]
        if leaving:
            await asyncio.wait(leaving, timeout=FAREWELL)
        for screen in list(self._screens):
            screen.drop()

    @property
    def _steerer(self) -> _Screen | None:
        return self._screens[0] if self._screens else None

    def news_for(self, screen: _Screen) -> wire.News:
        """How it stands, for one screen."""
        worker = self._worker
        ended = worker.ended.is_set()
        return wire.News(
            seq=worker.state.seq,
            steers=screen is self._steerer,
            watchers=len(self._screens),
            ready=worker.run is not None,
            ended=ended,
            exit_code=worker.exit_code if ended else 0,
            failure=str(worker.failure or ""),
            trouble=worker.trouble,
        )

    async def carry_out(self, ask: wire.Ask, screen: _Screen) -> Any:
        """Do what a screen asks for.

        Raises:
            SandboxTuiError: it cannot be done, saying why.
        """
        if ask.do == "take_over":
            self._screens.remove(screen)
            self._screens.insert(0, screen)
            self._tell_all()
            return None
        if ask.do not in READS and screen is not self._steerer:
            raise SandboxTuiError(NOT_YOURS)
        run, doer = self._worker.run, DOERS.get(ask.do)
        if run is None or doer is None:
            raise SandboxTuiError("The run is starting." if doer else "This is not known here.")
        try:
            value = doer(run, ask.args)
            return await value if asyncio.iscoroutine(value) else value
        except (KeyError, TypeError, ValueError) as error:
            raise SandboxTuiError(f"This cannot be done: {error!r}.") from error

    def _moved(self, event: e.AnyEvent) -> None:
        for screen in self._screens:
            screen.tell()

    def _tell_all(self) -> None:
        for screen in self._screens:
            screen.tell()

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        screen = _Screen(self, reader, writer)
        self._screens.append(screen)
        self._tell_all()
        try:
            await screen.serve()
        finally:
            if screen in self._screens:
                self._screens.remove(screen)
            self._tell_all()


class _Screen:
    """A screen of another program."""

    def __init__(
        self, served: Served, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._served = served
        self._reader = reader
        self._writer = writer
        self._news = asyncio.Event()
        self._turn = asyncio.Lock()
        self._keys = asyncio.Lock()
        self._room = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()

    def tell(self) -> None:
        """It has changed how the run stands: say so, once this screen takes another line."""
        self._news.set()

    async def serve(self) -> None:
        """Until it is gone."""
        telling = asyncio.create_task(self._tell())
        try:
            while data := await self._reader.readline():
                ask = wire.read_ask(data)
                await self._room.acquire()
                task = asyncio.create_task(self._answer(ask))
                self._tasks.add(task)
                task.add_done_callback(self._answered)
        except (OSError, ValueError, msgspec.MsgspecError):
            pass  # it is gone, or speaks another language: then it is let go
        finally:
            telling.cancel()
            self.drop()

    async def leave(self) -> None:
        """Send the last news."""
        with contextlib.suppress(OSError):
            await self._send(self._served.news_for(self))

    def drop(self) -> None:
        """Let go of it."""
        self._writer.close()

    async def _tell(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                await self._news.wait()
                self._news.clear()
                await self._send(self._served.news_for(self))

    async def _answer(self, ask: wire.Ask) -> None:
        with contextlib.suppress(OSError):
            await self._send(await self._outcome(ask))

    async def _outcome(self, ask: wire.Ask) -> wire.Answer:
        try:
            if ask.do == "type":  # keys in the order in which they were pressed
                async with self._keys:
                    value = await self._served.carry_out(ask, self)
            else:
                value = await self._served.carry_out(ask, self)
        except FileChangedMeanwhile as error:
            name = type(error).__name__
            return wire.Answer(id=ask.id, error=name, words=str(error), now=error.now)
        except (SandboxTuiError, OSError) as error:
            kind = FileRefused if isinstance(error, OSError) else type(error)
            return wire.Answer(id=ask.id, error=kind.__name__, words=str(error))
        return wire.Answer(id=ask.id, value=value)

    async def _send(self, message: wire.Answer | wire.News) -> None:
        async with self._turn:
            self._writer.write(wire.line(message))
            await self._writer.drain()

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._room.release()


# --- what may be asked for, by name


def _bytes(args: dict[str, Any], name: str) -> bytes | None:
    value = args[name]
    return None if value is None else base64.b64decode(value, validate=True)


def _data(args: dict[str, Any]) -> bytes:
    return _bytes(args, "data") or b""


DOERS: dict[str, Callable[[Run, dict[str, Any]], Any]] = {
    "set_mode": lambda run, a: run.set_mode(msgspec.convert(a["mode"], e.Mode)),
    "pause": lambda run, a: run.pause(),
    "resume": lambda run, a: run.resume(),
    "step": lambda run, a: run.step(),
    "freeze": lambda run, a: run.freeze(),
    "thaw": lambda run, a: run.thaw(),
    "approve": lambda run, a: run.approve(int(a["call"])),
    "approve_always": lambda run, a: run.approve_always(
        int(a["call"]), [str(pattern) for pattern in a["patterns"]]
    ),
    "edit": lambda run, a: run.edit(int(a["call"]), str(a["arguments"])),
    "reject": lambda run, a: run.reject(int(a["call"]), str(a["feedback"])),
    "answer": lambda run, a: run.answer(int(a["call"]), str(a["observation"])),
    "skip": lambda run, a: run.skip(int(a["call"])),
    "message": lambda run, a: run.message(str(a["text"])),
    "inject": lambda run, a: run.inject(str(a["command"]), tell=bool(a["tell"])),
    "reword": lambda run, a: run.reword(int(a["item"]), str(a["text"])),
    "withdraw": lambda run, a: run.withdraw(int(a["item"])),
    "interrupt": lambda run, a: run.interrupt(),
    "interrupt_reply": lambda run, a: run.interrupt_reply(),
    "cancel": lambda run, a: run.cancel(str(a["because"])),
    "open_shell": lambda run, a: run.open_shell(int(a["columns"]), int(a["rows"])),
    "type": lambda run, a: run.type(str(a["terminal"]), _data(a)),
    "close_shell": lambda run, a: run.close_shell(str(a["terminal"])),
    "resize": lambda run, a: run.resize(str(a["terminal"]), int(a["columns"]), int(a["rows"])),
    "read": lambda run, a: run.files.read(str(a["path"]), max_bytes=int(a["max_bytes"])),
    "exists": lambda run, a: run.files.exists(str(a["path"])),
    "fetch": lambda run, a: run.files.fetch(str(a["path"]), Path(a["target"])),
    "pull": lambda run, a: run.files.pull(str(a["path"]), Path(a["target"]), tell=bool(a["tell"])),
    "push": lambda run, a: run.files.push(
        Path(a["source"]), str(a["folder"]), tell=bool(a["tell"])
    ),
    "open": lambda run, a: run.files.open(str(a["path"])),
    "save": lambda run, a: run.files.save(
        str(a["path"]), _data(a), opened=_bytes(a, "opened"), tell=bool(a["tell"])
    ),
}
