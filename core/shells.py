"""A person's shells in the sandbox: opened, typed into, recorded."""

from __future__ import annotations

import asyncio
import contextlib

from .errors import SandboxError
from .events import TerminalClosed, TerminalInput, TerminalOpened, TerminalResized
from .journal import Journal
from .sandboxes.base import Sandbox, Shell


class Shells:
    """The shells of one run, by terminal name: `shell`, then `shell-2` ..."""

    def __init__(self, sandbox: Sandbox, journal: Journal) -> None:
        self._sandbox = sandbox
        self._journal = journal
        self._open: dict[str, Shell] = {}
        self._readers: set[asyncio.Task[None]] = set()
        self._count = 0
        self._used = False

    def used_since_last_look(self) -> bool:
        """Whether anything was typed since this was last asked."""
        used, self._used = self._used, False
        return used

    async def open(self, columns: int, rows: int) -> str:
        """Open a shell; returns its terminal's name."""
        shell = await self._sandbox.open_shell(columns, rows)
        self._count += 1
        name = "shell" if self._count == 1 else f"shell-{self._count}"
        self._open[name] = shell
        self._journal.post(TerminalOpened(terminal=name, cols=columns, rows=rows))
        reader = asyncio.create_task(self._read(name, shell))
        self._readers.add(reader)
        reader.add_done_callback(self._readers.discard)
        return name

    async def type(self, name: str, data: bytes) -> None:
        """Type into a shell; nothing happens when it has ended."""
        shell = self._open.get(name)
        if shell is None:
            return
        self._used = True
        self._journal.post(TerminalInput(terminal=name, data=data))
        with contextlib.suppress(SandboxError):
            await shell.write(data)

    async def resize(self, name: str, columns: int, rows: int) -> None:
        """Give a shell another size; nothing happens when it has ended."""
        shell = self._open.get(name)
        if shell is None:
            return
        self._journal.post(TerminalResized(terminal=name, cols=columns, rows=rows))
        await shell.resize(columns, rows)

    async def close(self) -> None:
        """Hang up all shells and wait until what they printed has been written."""
        for shell in list(self._open.values()):
            with contextlib.suppress(SandboxError):
                await shell.close()
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
            self._open.pop(name, None)
            with contextlib.suppress(SandboxError):
                code = await shell.close()
                self._journal.post(TerminalClosed(terminal=name, exit_code=code))
