"""A person's shell in a container: `docker exec` with a terminal of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from ..errors import SandboxTuiError
from .beginning import Beginning
from .scripts import Control, end_shell_command, shell_command
from .terminal_reader import hides_input
from .wire import Wire

RESIZE_TRIES = 20
"""The engine knows an exec's terminal a moment after it was started (moby issue 35407)."""


class DockerShell:
    """See `base.Shell`."""

    def __init__(self, api: Any, exec_id: str, wire: Wire, control: Control, name: str) -> None:
        self._api = api
        self._exec_id = exec_id
        self._wire = wire
        self._control = control
        self._name = name
        self._ended = False

    @classmethod
    async def open(
        cls,
        api: Any,
        container: str,
        control: Control,
        name: str,
        size: tuple[int, int],
        beginning: Beginning,
    ) -> DockerShell:
        """Start a shell of this name, with so many columns and rows."""

        def begin() -> DockerShell:
            command = shell_command(name, *size)
            made = api.exec_create(container, command, stdin=True, tty=True, workdir="/")
            beginning.add(made["Id"])
            wire = Wire(api.exec_start(made["Id"], socket=True, tty=True))
            return cls(api, made["Id"], wire, control, name)

        shell = await asyncio.to_thread(begin)
        await shell.resize(*size)
        return shell

    async def output(self) -> AsyncIterator[bytes]:
        """See `base.Shell`."""
        with contextlib.suppress(OSError):
            while data := await self._wire.read():
                yield data

    async def write(self, data: bytes) -> None:
        """See `base.Shell`."""
        with contextlib.suppress(OSError):
            await self._wire.write(data)

    async def resize(self, cols: int, rows: int) -> None:
        """See `base.Shell`."""
        for _ in range(RESIZE_TRIES):
            try:
                await asyncio.to_thread(
                    self._api.exec_resize, self._exec_id, height=rows, width=cols
                )
            except Exception:  # noqa: BLE001 - too early, or the shell has ended
                if self._ended:
                    return
                await asyncio.sleep(0.02)
            else:
                return

    async def hides_input(self) -> bool:
        """See `base.Shell`."""
        return await hides_input(self._control, self._name)

    async def close(self) -> int | None:
        """See `base.Shell`. The engine would let a shell go on when its connection is closed."""
        if not self._ended:
            self._ended = True
            with contextlib.suppress(SandboxTuiError):
                await self._control(end_shell_command(self._name))
        code = None
        with contextlib.suppress(Exception):
            code = (await asyncio.to_thread(self._api.exec_inspect, self._exec_id))["ExitCode"]
        self._wire.close()
        return code
