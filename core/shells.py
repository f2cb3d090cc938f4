"""A person's shells in the sandbox: opened, typed into, recorded."""

from __future__ import annotations

import asyncio
import contextlib
import re

from .errors import SandboxError, SandboxTuiError
from .events import TerminalClosed, TerminalInput, TerminalOpened, TerminalResized
from .journal import Journal
from .sandboxes.base import Sandbox, Shell

_SHOWN_KEYS = re.compile(rb"\x1b(?:[\[O][0-9;:<=>?]*[ -/]*[@-~])")
"""Cursor keys, function keys and the mouse: nothing that could be secret."""

_PASTE = (b"\x1b[200~", b"\x1b[201~")

_STARRED = re.compile("[^\r\n\x03\x04\x15\x7f]")


def starred(data: bytes) -> bytes:
    """What stands for hidden input: a star for each character, and the keys that end or erase."""
    for end in _PASTE:
        data = data.replace(end, b"")
    return _STARRED.sub("*", data.decode("utf-8", "replace")).encode()


def may_be_secret(data: bytes) -> bool:
    """Whether there is anything in what was typed that a password could be made of."""
    return bool(_SHOWN_KEYS.sub(b"", data).strip(b"\r\n\x1b"))


class _OpenShell:
    """A shell, and what has been typed and is on its way to it."""

    def __init__(self, shell: Shell, journal: Journal, name: str) -> None:
        self.shell = shell
        self._journal = journal
        self._name = name
        self._typed: asyncio.Queue[bytes] = asyncio.Queue()
        self._writer = asyncio.create_task(self._write())

    def type(self, data: bytes) -> None:
        """Send after all that was typed before; nobody waits for it."""
        self._typed.put_nowait(data)

    def stop(self) -> None:
        """What is still on its way stays out."""
        self._writer.cancel()

    async def _write(self) -> None:
        while True:
            data = await self._typed.get()
            # asked before it is sent: the key that ends a password brings the echo back
            hidden = may_be_secret(data) and await self._hides()
            shown = starred(data) if hidden else data
            self._journal.post(TerminalInput(terminal=self._name, data=shown, hidden=hidden))
            with contextlib.suppress(SandboxError):
                await self.shell.write(data)

    async def _hides(self) -> bool:
        """Whether the terminal hides its input; in doubt it does."""
        try:
            return await self.shell.hides_input()
        except SandboxTuiError:  # it may be frozen
            return True


class Shells:
    """The shells of one run, by terminal name: `shell`, then `shell-2` ..."""

    def __init__(self, sandbox: Sandbox, journal: Journal) -> None:
        self._sandbox = sandbox
        self._journal = journal
        self._open: dict[str, _OpenShell] = {}
        self._readers: set[asyncio.Task[None]] = set()
        self._count = 0
        self._used = False

    def used_since_last_look(self) -> bool:
        """Whether anything was typed since this was last asked."""
        used, self._used = self._used, False
        return used

    def take_up(self, count: int) -> None:
        """Go on counting: so many were opened by a program that is gone."""
        self._count = count

    async def open(self, columns: int, rows: int) -> str:
        """Open a shell; returns its terminal's name."""
        shell = await self._sandbox.open_shell(columns, rows)
        self._count += 1
        name = "shell" if self._count == 1 else f"shell-{self._count}"
        self._open[name] = _OpenShell(shell, self._journal, name)
        self._journal.post(TerminalOpened(terminal=name, cols=columns, rows=rows))
        reader = asyncio.create_task(self._read(name, shell))
        self._readers.add(reader)
        reader.add_done_callback(self._readers.discard)
        return name

    def type(self, name: str, data: bytes) -> None:
        """Type into a shell; nothing happens when it has ended.

        What a terminal does not show (a password) is recorded as stars.
        """
        shell = self._open.get(name)
        if shell is None:
            return
        self._used = True
        shell.type(data)

    async def resize(self, name: str, columns: int, rows: int) -> None:
        """Give a shell another size; nothing happens when it has ended."""
        shell = self._open.get(name)
        if shell is None:
            return
        self._journal.post(TerminalResized(terminal=name, cols=columns, rows=rows))
        await shell.shell.resize(columns, rows)

    async def end(self, name: str) -> None:
        """Hang up one shell; nothing happens when it has ended."""
        shell = self._open.get(name)
        if shell is not None:
            with contextlib.suppress(SandboxError):
                await shell.shell.close()

    async def close(self) -> None:
        """Hang up all shells and wait until what they printed has been written."""
        for name in list(self._open):
            await self.end(name)
        if self._readers:
            await asyncio.wait(self._readers, timeout=2.0)
        for reader in self._readers:
            reader.cancel()

    async def _read(self, name: str, shell: Shell) -> None:
        try:
            async for data in shell.output():
                await self._journal.output(name, data)
        except SandboxError:
            pass
        finally:
            opened = self._open.pop(name, None)
            if opened is not None:
                opened.stop()
            with contextlib.suppress(SandboxError):
                code = await shell.close()
                self._journal.post(TerminalClosed(terminal=name, exit_code=code))
