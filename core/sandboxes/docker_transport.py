"""A connection to a dispatcher over one `docker exec`."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import deque
from mmap import mmap
from typing import Any

from .base import Stream

CHUNK = 256 * 1024


class FrameParser:
    """Takes apart the engine's framing of stdout and stderr (Docker Engine API, attach: an
    8-byte header, stream and big-endian length, before each piece), whatever the chunks."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> list[tuple[Stream, bytes]]:
        """The whole pieces that can be taken out now."""
        held = self._held
        held += data
        pieces: list[tuple[Stream, bytes]] = []
        at, length = 0, len(held)
        while length - at >= 8:
            size = int.from_bytes(held[at + 4 : at + 8], "big")
            if length - at - 8 < size:
                break
            stream: Stream = "stderr" if held[at] == 2 else "stdout"
            pieces.append((stream, bytes(held[at + 8 : at + 8 + size])))
            at += 8 + size
        del held[:at]
        return pieces


class DockerTransport:
    """See `channel.Transport`."""

    def __init__(self, owner: Any, connection: socket.socket) -> None:
        self._owner = owner
        self._socket = connection
        self._socket.setblocking(False)
        self._frames = FrameParser()
        self._pieces: deque[tuple[Stream, bytes]] = deque()

    @classmethod
    def open(cls, api: Any, container: str, command: list[str]) -> DockerTransport:
        """Start `command` in the container (blocking)."""
        made = api.exec_create(container, command, stdin=True, tty=False, workdir="/")
        owner = api.exec_start(made["Id"], socket=True, tty=False)
        return cls(owner, getattr(owner, "_sock", owner))

    async def write(self, data: bytes | mmap) -> None:
        """See `channel.Transport`."""
        await asyncio.get_running_loop().sock_sendall(self._socket, data)

    async def read(self) -> tuple[Stream, bytes] | None:
        """See `channel.Transport`."""
        while not self._pieces:
            data = await asyncio.get_running_loop().sock_recv(self._socket, CHUNK)
            if not data:
                return None
            self._pieces.extend(self._frames.feed(data))
        return self._pieces.popleft()

    def close(self) -> None:
        """See `channel.Transport`."""
        close_connection(self._owner, self._socket)


def close_connection(owner: Any, connection: socket.socket) -> None:
    """Close a connection that docker-py opened.

    The loop forgets it first: a read that is still waiting would otherwise be undone later, when
    its descriptor may be another's. Then it is shut down, because docker-py's response object holds
    it too, and closing alone would leave the exec running.
    """
    if connection.fileno() >= 0:
        loop = asyncio.get_running_loop()
        loop.remove_reader(connection)
        loop.remove_writer(connection)
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    with contextlib.suppress(OSError):
        owner.close()
    with contextlib.suppress(OSError):
        connection.close()
