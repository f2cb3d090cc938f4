"""Connections into an embedded sandbox over named pipes."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from mmap import mmap
from pathlib import Path

from ..errors import SandboxError
from .base import ExecResult, Stream

CHUNK = 64 * 1024


class PipeTransport:
    """See `channel.Transport`.

    The host opens its ends without waiting for the other side; its own read end of `in` keeps a
    write from failing before anything has been started there.
    """

    def __init__(self, folder: Path, name: str) -> None:
        flags = os.O_NONBLOCK | os.O_CLOEXEC
        self._in = os.open(folder / f"{name}.in", os.O_RDWR | flags)
        self._ends: dict[Stream, int] = {
            "stdout": os.open(folder / f"{name}.out", os.O_RDONLY | flags),
            "stderr": os.open(folder / f"{name}.err", os.O_RDONLY | flags),
        }
        self._open: set[Stream] = set(self._ends)
        self._begun: set[Stream] = set()
        self._waiting: set[asyncio.Future[None]] = set()
        self._closed = False

    async def write(self, data: bytes | mmap) -> None:
        """See `channel.Transport`."""
        view = memoryview(data)
        while view:
            if self._closed:
                raise OSError("closed")
            try:
                sent = os.write(self._in, view[:CHUNK])
            except BlockingIOError:
                await self._ready([], [self._in])
            else:
                view = view[sent:]

    async def read(self) -> tuple[Stream, bytes] | None:
        """See `channel.Transport`."""
        while self._open and not self._closed:
            for stream in sorted(self._open, reverse=True):
                data = self._read_now(stream)
                if data:
                    return stream, data
                if data is not None:
                    self._open.discard(stream)
            if self._open:
                await self._ready([self._ends[stream] for stream in self._open], [])
        return None

    def _read_now(self, stream: Stream) -> bytes | None:
        """What is there: None for nothing yet, empty at the end."""
        try:
            data = os.read(self._ends[stream], CHUNK)
        except BlockingIOError:
            self._begun.add(stream)
            return None
        if data:
            self._begun.add(stream)
            return data
        return b"" if stream in self._begun else None

    def close(self) -> None:
        """See `channel.Transport`."""
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        for descriptor in (self._in, *self._ends.values()):
            loop.remove_reader(descriptor)
            loop.remove_writer(descriptor)
            os.close(descriptor)
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    async def _ready(self, reading: list[int], writing: list[int]) -> None:
        """Wait until one of the descriptors is ready, or all are closed.

        Once closed nothing is taken back: the descriptors may be another's by then.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not done.done():
                done.set_result(None)

        for descriptor in reading:
            loop.add_reader(descriptor, wake)
        for descriptor in writing:
            loop.add_writer(descriptor, wake)
        self._waiting.add(done)
        try:
            await done
        finally:
            self._waiting.discard(done)
            if not self._closed:
                for descriptor in reading:
                    loop.remove_reader(descriptor)
                for descriptor in writing:
                    loop.remove_writer(descriptor)


class PipeShell:
    """A person's shell in an embedded sandbox; see `base.Shell`.

    Args:
        transport: to the program that holds its terminal.
        control: runs a command in the sandbox.
        tty_file: where the name of its terminal is written, inside.
    """

    def __init__(
        self,
        transport: PipeTransport,
        control: Callable[[bytes], Awaitable[ExecResult]],
        tty_file: str,
    ) -> None:
        self._transport = transport
        self._control = control
        self._tty_file = tty_file.encode()
        self._ended = False

    async def output(self) -> AsyncIterator[bytes]:
        """See `base.Shell`."""
        while (piece := await self._transport.read()) is not None:
            yield piece[1]

    async def write(self, data: bytes) -> None:
        """See `base.Shell`."""
        with contextlib.suppress(OSError):
            await self._transport.write(data)

    async def resize(self, cols: int, rows: int) -> None:
        """See `base.Shell`."""
        command = b'read -r t <%b && stty -F "$t" cols %d rows %d' % (self._tty_file, cols, rows)
        with contextlib.suppress(SandboxError):
            await self._control(command)

    async def close(self) -> int | None:
        """See `base.Shell`."""
        if not self._ended:
            self._ended = True
            hang_up = b'read -r t <%b && pkill -HUP -t "${t#/dev/}"; :' % self._tty_file
            with contextlib.suppress(SandboxError):
                await self._control(hang_up)
            self._transport.close()
        return None
