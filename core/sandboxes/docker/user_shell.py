"""A user's shell in a container: `docker exec` with its own terminal."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.sandboxes.base import Shell
from sandbox_tui.core.sandboxes.blocking_calls import in_thread, run_shielded
from sandbox_tui.core.sandboxes.docker.pending_execs import PendingExecs
from sandbox_tui.core.sandboxes.docker.socket_stream import SocketStream
from sandbox_tui.core.sandboxes.protocol.stdin_probe import hides_input
from sandbox_tui.core.sandboxes.scripts.loader import Control, end_shell_command, shell_command

MAX_RESIZE_ATTEMPTS = 20
"""Maximum attempts: an exec's terminal cannot be resized right at its start (moby issue 35407)."""


class DockerShell(Shell):
    """A shell on one of the engine's terminals.

    Args:
        api: docker-py's low-level client.
        exec_id: id of the shell's exec.
        stream: the connection to its terminal.
        control: runs a command in the container.
        name: name of the files to which the shell writes its process id and terminal.
    """

    def __init__(
        self, api: Any, exec_id: str, stream: SocketStream, control: Control, name: str
    ) -> None:
        self._api = api
        self._exec_id = exec_id
        self._stream = stream
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
        pending: PendingExecs,
    ) -> DockerShell:
        """Start a shell of this name on a terminal of `size`."""

        def start() -> DockerShell:
            command = shell_command(name, *size)
            created = api.exec_create(container, command, stdin=True, tty=True, workdir="/")
            pending.add(created["Id"])
            stream = SocketStream(api.exec_start(created["Id"], socket=True, tty=True))
            return cls(api, created["Id"], stream, control, name)

        async def start_and_resize() -> DockerShell:
            shell = await in_thread(start)
            await shell.resize(*size)
            return shell

        return await run_shielded(start_and_resize(), lambda shell: shell.close())

    @override
    async def output(self) -> AsyncIterator[bytes]:
        with contextlib.suppress(OSError):
            while data := await self._stream.read():
                yield data

    @override
    async def write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            await self._stream.write(data)

    @override
    async def resize(self, cols: int, rows: int) -> None:
        for _ in range(MAX_RESIZE_ATTEMPTS):
            try:
                await in_thread(self._api.exec_resize, self._exec_id, height=rows, width=cols)
            except Exception:  # noqa: BLE001 - too early, or the shell has ended
                if self._ended:
                    return
                await asyncio.sleep(0.02)
            else:
                return

    @override
    async def hides_input(self) -> bool:
        return await hides_input(self._control, self._name)

    @override
    async def close(self) -> int | None:
        # closing the connection alone would leave the shell running
        if not self._ended:
            self._ended = True
            with contextlib.suppress(SandboxTuiError):
                await self._control(end_shell_command(self._name))
        code = None
        with contextlib.suppress(Exception):
            code = (await in_thread(self._api.exec_inspect, self._exec_id))["ExitCode"]
        self._stream.close()
        return code
