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
        self._held = b""

    def feed(self, data: bytes) -> list[tuple[Stream, bytes]]:
        """What can be taken out now, in order; pieces of one stream that follow each other as one.

        The engine sends pieces of a few KiB, and whoever takes them in pays for each.
        """
        if self._held:
            data = self._held + data
        pieces: list[tuple[Stream, list[bytes]]] = []
        at, length = 0, len(data)
        while length - at >= 8:
            size = int.from_bytes(data[at + 4 : at + 8], "big")
            if length - at - 8 < size:
                break
            stream: Stream = "stderr" if data[at] == 2 else "stdout"
            if not pieces or pieces[-1][0] != stream:
                pieces.append((stream, []))
            pieces[-1][1].append(data[at + 8 : at + 8 + size])
            at += 8 + size
        self._held = data[at:]
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
