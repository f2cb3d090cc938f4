"""A person's shell in a container: `docker exec` with a terminal of its own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

from .docker_transport import close_connection
from .scripts import shell_command

RESIZE_TRIES = 20
"""The engine knows an exec's terminal a moment after it was started (moby issue 35407)."""


class DockerShell:
    """See `base.Shell`."""

    def __init__(self, api: Any, exec_id: str, owner: Any) -> None:
        self._api = api
        self._exec_id = exec_id
        self._owner = owner
        self._socket: socket.socket = getattr(owner, "_sock", owner)
        self._socket.setblocking(False)
        self._ended = False

    @classmethod
    async def open(cls, api: Any, container: str, cwd: str, cols: int, rows: int) -> DockerShell:
        """Start a shell."""

        def begin() -> DockerShell:
            command = shell_command(cols, rows)
            made = api.exec_create(container, command, stdin=True, tty=True, workdir=cwd)
            owner = api.exec_start(made["Id"], socket=True, tty=True)
            return cls(api, made["Id"], owner)

        shell = await asyncio.to_thread(begin)
        await shell.resize(cols, rows)
        return shell

    async def output(self) -> AsyncIterator[bytes]:
        """See `base.Shell`."""
        loop = asyncio.get_running_loop()
        while not self._ended:
            try:
                data = await loop.sock_recv(self._socket, 64 * 1024)
            except OSError:
                return
            if not data:
                return
            yield data

    async def write(self, data: bytes) -> None:
        """See `base.Shell`."""
        with contextlib.suppress(OSError):
            await asyncio.get_running_loop().sock_sendall(self._socket, data)

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

    async def close(self) -> int | None:
        """See `base.Shell`."""
        self._ended = True
        code = None
        with contextlib.suppress(Exception):
            code = (await asyncio.to_thread(self._api.exec_inspect, self._exec_id))["ExitCode"]
        close_connection(self._owner, self._socket)
        return code
