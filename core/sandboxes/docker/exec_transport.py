"""A connection to a dispatcher over one `docker exec`."""

from __future__ import annotations

from collections import deque
from mmap import mmap
from typing import Any

from typing_extensions import override

from sandbox_tui.core.base.io_types import Stream
from sandbox_tui.core.sandboxes.docker.pending_execs import PendingExecs
from sandbox_tui.core.sandboxes.docker.socket_stream import SocketStream
from sandbox_tui.core.sandboxes.protocol.dispatcher_channel import Transport


class FrameParser:
    """Parses the engine's framing of stdout and stderr from chunks of any size.

    Each piece has an 8-byte header with its stream and big-endian length (Docker Engine API,
    attach).
    """

    def __init__(self) -> None:
        self._header = b""
        self._stream: Stream = "stdout"
        self._left = 0

    def feed(self, data: bytes) -> list[tuple[Stream, bytes]]:
        """Return the complete pieces, in order, with consecutive pieces of one stream joined.

        The engine sends pieces of a few KiB, and each one has a cost for its receiver.
        """
        pieces: list[tuple[Stream, list[memoryview]]] = []
        view = memoryview(data)
        at, length = 0, len(data)
        while at < length:
            if not self._left:
                header = self._header + data[at : at + 8 - len(self._header)]
                at += len(header) - len(self._header)
                self._header = header if len(header) < 8 else b""
                if len(header) == 8:
                    self._stream = "stderr" if header[0] == 2 else "stdout"
                    self._left = int.from_bytes(header[4:], "big")
                continue
            part = view[at : at + self._left]
            at += len(part)
            self._left -= len(part)
            if not pieces or pieces[-1][0] != self._stream:
                pieces.append((self._stream, []))
            pieces[-1][1].append(part)
        return [(stream, b"".join(parts)) for stream, parts in pieces]


class DockerTransport(Transport):
    """A connection over the engine's framed stream."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._frames = FrameParser()
        self._pieces: deque[tuple[Stream, bytes]] = deque()

    @classmethod
    def open(
        cls, api: Any, container: str, command: list[str], pending: PendingExecs
    ) -> DockerTransport:
        """Start `command` in the container (blocking)."""
        created = api.exec_create(container, command, stdin=True, tty=False, workdir="/")
        pending.add(created["Id"])
        return cls(SocketStream(api.exec_start(created["Id"], socket=True, tty=False)))

    @override
    async def write(self, data: bytes | mmap) -> None:
        await self._stream.write(data)

    @override
    async def read(self) -> tuple[Stream, bytes] | None:
        while not self._pieces:
            data = await self._stream.read()
            if not data:
                return None
            self._pieces.extend(self._frames.feed(data))
        return self._pieces.popleft()

    @override
    def close(self) -> None:
        self._stream.close()
