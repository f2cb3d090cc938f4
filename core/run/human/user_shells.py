"""The user's shells in the sandbox, recorded."""

from __future__ import annotations

import asyncio
import contextlib
import re

from sandbox_tui.core.base.errors import FileRefused, SandboxError, SandboxTuiError
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.events.types import (
    TerminalClosed,
    TerminalInput,
    TerminalOpened,
    TerminalResized,
)
from sandbox_tui.core.sandboxes.base import Sandbox, Shell

_SHOWN_KEYS = re.compile(rb"\x1b(?:[\[O][0-9;:<=>?]*[ -/]*[@-~])")
"""Cursor keys, function keys and mouse reports, which cannot be part of a password."""

_PASTE = (b"\x1b[200~", b"\x1b[201~")

_STARRED = re.compile("[^\r\n\x03\x04\x15\x7f]")


HANGUP_SECONDS = 2.0
"""Seconds for a shell to flush its output after the hangup, and then to end."""


def starred(data: bytes) -> bytes:
    """Replace each character of hidden input by a star; keep the keys that end or erase input."""
    for end in _PASTE:
        data = data.replace(end, b"")
    return _STARRED.sub("*", data.decode("utf-8", "replace")).encode()


def may_be_secret(data: bytes) -> bool:
    """Return whether the input could be part of a password."""
    return bool(_SHOWN_KEYS.sub(b"", data).strip(b"\r\n\x1b"))


class _OpenShell:
    """An open shell and the input queued for it."""

    def __init__(self, shell: Shell, events: EventSink, name: str) -> None:
        self.shell = shell
        self._events = events
        self._name = name
        self._typed: asyncio.Queue[bytes] = asyncio.Queue()
        self._writer = asyncio.create_task(self._write())

    def type(self, data: bytes) -> None:
        """Queue input for the shell."""
        self._typed.put_nowait(data)

    def stop(self) -> None:
        """Drop the input that is still queued."""
        self._writer.cancel()

    async def _write(self) -> None:
        while True:
            data = await self._typed.get()
            # checked first: the key that ends a password turns echo back on
            hidden = may_be_secret(data) and await self._hides()
            shown = starred(data) if hidden else data
            self._events.post(TerminalInput(terminal=self._name, data=shown, hidden=hidden))
            with contextlib.suppress(SandboxError):
                await self.shell.write(data)

    async def _hides(self) -> bool:
        """Return whether the terminal hides its input; True if unknown."""
        try:
            return await self.shell.hides_input()
        except SandboxTuiError:  # it may be frozen
            return True


class UserShells:
    """The shells of one run, by terminal name: `shell`, then `shell-2` ..."""

    def __init__(self, sandbox: Sandbox, events: EventSink) -> None:
        self._sandbox = sandbox
        self._events = events
        self._open: dict[str, _OpenShell] = {}
        self._readers: set[asyncio.Task[None]] = set()
        self._count = 0
        self._used = False
        self._closing = False

    def take_used(self) -> bool:
        """Return whether a shell had input since the last call."""
        used, self._used = self._used, False
        return used

    def restore(self, count: int) -> None:
        """Continue the numbering after the shells opened before the run was resumed."""
        self._count = count

    async def open(self, columns: int, rows: int) -> str:
        """Open a shell; returns its terminal's name.

        Raises:
            SandboxError: the shell cannot be opened.
            FileRefused: the run is ending.
        """
        shell = await self._sandbox.open_shell(columns, rows)
        if self._closing:
            await shell.close()
            raise FileRefused("The run is ending, so no more shells can be opened.")
        self._count += 1
        name = "shell" if self._count == 1 else f"shell-{self._count}"
        self._open[name] = _OpenShell(shell, self._events, name)
        self._events.post(TerminalOpened(terminal=name, cols=columns, rows=rows))
        reader = asyncio.create_task(self._read(name, shell))
        self._readers.add(reader)
        reader.add_done_callback(self._readers.discard)
        return name

    def type(self, name: str, data: bytes) -> None:
        """Type into a shell; does nothing if it has ended.

        Input that the terminal does not echo (a password) is recorded as stars.
        """
        shell = self._open.get(name)
        if shell is None:
            return
        self._used = True
        shell.type(data)

    async def resize(self, name: str, columns: int, rows: int) -> None:
        """Resize a shell's terminal; does nothing if it has ended."""
        shell = self._open.get(name)
        if shell is None:
            return
        self._events.post(TerminalResized(terminal=name, cols=columns, rows=rows))
        await shell.shell.resize(columns, rows)

    async def end(self, name: str) -> None:
        """Hang up one shell; does nothing if it has ended."""
        shell = self._open.get(name)
        if shell is not None:
            with contextlib.suppress(SandboxError):
                await shell.shell.close()

    async def close(self) -> None:
        """Hang up all shells, and wait until their output has been written."""
        self._closing = True
        for name in list(self._open):
            with contextlib.suppress(Exception):  # hang up the other shells anyway
                await self.end(name)
        if self._readers:
            await asyncio.wait(self._readers, timeout=HANGUP_SECONDS)
        for reader in self._readers:
            reader.cancel()
        if self._readers:  # each reader posts TerminalClosed, the last event of its terminal
            await asyncio.wait(self._readers, timeout=HANGUP_SECONDS)

    async def _read(self, name: str, shell: Shell) -> None:
        try:
            async for data in shell.output():
                await self._events.output(name, data)
        except (SandboxTuiError, OSError):
            pass
        finally:
            opened = self._open.pop(name, None)
            if opened is not None:
                opened.stop()
            code = None
            with contextlib.suppress(Exception):  # closed, with an unknown exit code
                code = await shell.close()
            self._events.post(TerminalClosed(terminal=name, exit_code=code))
