"""Connections into an embedded sandbox over named pipes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator
from mmap import mmap
from pathlib import Path

from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.io_types import Stream
from sandbox_tui.core.sandboxes.base import Shell
from sandbox_tui.core.sandboxes.protocol.descriptor_readiness import Readiness
from sandbox_tui.core.sandboxes.protocol.dispatcher_channel import Transport
from sandbox_tui.core.sandboxes.protocol.stdin_probe import hides_input
from sandbox_tui.core.sandboxes.scripts.loader import STATE_DIR, Control, end_shell_command

CHUNK = 64 * 1024


class PipeTransport(Transport):
    """A connection over three named pipes.

    The host opens its ends without waiting for the other side. It keeps a read end of `in` open
    itself, so that a write does not fail before a program has started there.
    """

    def __init__(self, folder: Path, name: str) -> None:
        flags = os.O_NONBLOCK | os.O_CLOEXEC
        self._in = os.open(folder / f"{name}.in", os.O_RDWR | flags)
        self._ends: dict[Stream, int] = {
            "stdout": os.open(folder / f"{name}.out", os.O_RDONLY | flags),
            "stderr": os.open(folder / f"{name}.err", os.O_RDONLY | flags),
        }
        self._open: set[Stream] = set(self._ends)
        self._connected: set[Stream] = set()
        self._readiness = Readiness()
        self._closed = False

    @override
    async def write(self, data: bytes | mmap) -> None:
        view = memoryview(data)
        while view:
            if self._closed:
                raise OSError("closed")
            try:
                sent = os.write(self._in, view[:CHUNK])
            except BlockingIOError:
                await self._readiness.wait([], [self._in])
            else:
                view = view[sent:]

    @override
    async def read(self) -> tuple[Stream, bytes] | None:
        while self._open and not self._closed:
            for stream in sorted(self._open, reverse=True):
                data = self._read_now(stream)
                if data:
                    return stream, data
                if data is not None:
                    self._open.discard(stream)
            if self._open:
                await self._readiness.wait([self._ends[stream] for stream in self._open], [])
        return None

    def _read_now(self, stream: Stream) -> bytes | None:
        """Return the bytes that can be read now: None if there are none yet, empty at the end."""
        try:
            data = os.read(self._ends[stream], CHUNK)
        except BlockingIOError:
            self._connected.add(stream)
            return None
        if data:
            self._connected.add(stream)
            return data
        return b"" if stream in self._connected else None

    @override
    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        descriptors = [self._in, *self._ends.values()]
        self._readiness.close(descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


class PipeShell(Shell):
    """A user's shell in an embedded sandbox.

    Args:
        transport: connected to the program that holds its terminal.
        control: runs a command in the sandbox.
        name: name under which the supervisor stores its terminal, process id and exit code.
    """

    def __init__(self, transport: PipeTransport, control: Control, name: str) -> None:
        self._transport = transport
        self._control = control
        self._name = name
        self._ended = False

    @override
    async def output(self) -> AsyncIterator[bytes]:
        while (piece := await self._transport.read()) is not None:
            yield piece[1]

    @override
    async def write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            await self._transport.write(data)

    @override
    async def resize(self, cols: int, rows: int) -> None:
        command = f'read -r t <{STATE_DIR}/{self._name}.tty && stty -F "$t" cols {cols} rows {rows}'
        with contextlib.suppress(SandboxTuiError):
            await self._control(command.encode())

    @override
    async def hides_input(self) -> bool:
        return await hides_input(self._control, self._name)

    @override
    async def close(self) -> int | None:
        if self._ended:
            return None
        self._ended = True
        code = None
        with contextlib.suppress(SandboxTuiError, ValueError):
            print_exit_code = f"\ncat {STATE_DIR}/{self._name}.code 2>/dev/null; :".encode()
            result = await self._control(end_shell_command(self._name) + print_exit_code)
            code = int(result.stdout)
        self._transport.close()
        return code
