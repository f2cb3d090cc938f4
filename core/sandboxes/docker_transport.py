"""A connection to a dispatcher over one `docker exec`."""

from __future__ import annotations

from collections import deque
from mmap import mmap
from typing import Any

from .base import Stream
from .beginning import Beginning
from .wire import Wire


class FrameParser:
    """Takes apart the engine's framing of stdout and stderr (Docker Engine API, attach: an
    8-byte header, stream and big-endian length, before each piece), whatever the chunks."""

    def __init__(self) -> None:
        self._header = b""
        self._stream: Stream = "stdout"
        self._left = 0

    def feed(self, data: bytes) -> list[tuple[Stream, bytes]]:
        """What can be taken out now, in order; pieces of one stream that follow each other as one.

        The engine sends pieces of a few KiB, and whoever takes them in pays for each.
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


class DockerTransport:
    """See `channel.Transport`."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._frames = FrameParser()
        self._pieces: deque[tuple[Stream, bytes]] = deque()

    @classmethod
    def open(
        cls, api: Any, container: str, command: list[str], beginning: Beginning
    ) -> DockerTransport:
        """Start `command` in the container (blocking)."""
        made = api.exec_create(container, command, stdin=True, tty=False, workdir="/")
        beginning.add(made["Id"])
        return cls(Wire(api.exec_start(made["Id"], socket=True, tty=False)))

    async def write(self, data: bytes | mmap) -> None:
        """See `channel.Transport`."""
        await self._wire.write(data)

    async def read(self) -> tuple[Stream, bytes] | None:
        """See `channel.Transport`."""
        while not self._pieces:
            data = await self._wire.read()
            if not data:
                return None
            self._pieces.extend(self._frames.feed(data))
        return self._pieces.popleft()

    def close(self) -> None:
        """See `channel.Transport`."""
        self._wire.close()
