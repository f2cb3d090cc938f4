"""A socket to the Docker engine, of any kind docker-py uses: plain, TLS, or over ssh."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from mmap import mmap
from typing import Any

from sandbox_tui.core.sandboxes.protocol.descriptor_readiness import Readiness

CHUNK = 256 * 1024
FLOOD_BYTES = 8 * 1024
"""A read of more than this many bytes suggests that more will follow."""

FLOOD_PAUSE_SECONDS = 0.0003
"""Seconds to wait for more output instead of waking up for each small piece, since the engine and
the command need the CPU too. This halves the cost of receiving 10 MB."""

RETRY_SECONDS = 0.01
"""Seconds between attempts on a socket that cannot report when it is ready."""


class SocketStream:
    """Reads and writes without blocking the event loop.

    Args:
        owner: the return value of docker-py's `exec_start(socket=True)`.
    """

    def __init__(self, owner: Any) -> None:
        self._owner = owner
        self._socket: Any = getattr(owner, "_sock", owner)
        self._socket.settimeout(0)
        self._readiness = Readiness()
        self._flooded = False
        self._closed = False

    async def read(self) -> bytes:
        """Read some bytes; empty at the end. Raises OSError if the connection fails."""
        while not self._closed:
            try:
                data: bytes = self._socket.recv(CHUNK)
                self._flooded = len(data) > FLOOD_BYTES
                return data
            except (BlockingIOError, ssl.SSLWantReadError, TimeoutError):
                if self._flooded:
                    self._flooded = False
                    await asyncio.sleep(FLOOD_PAUSE_SECONDS)
                    continue
                await self._readiness.wait([self._socket.fileno()], [])
            except ssl.SSLWantWriteError:
                await self._readiness.wait([], [self._socket.fileno()])
        return b""

    async def write(self, data: bytes | mmap) -> None:
        """Send all of `data`. Raises OSError if the connection fails."""
        with memoryview(data) as view:
            at = 0
            while at < len(view):
                if self._closed:
                    raise OSError("closed")
                try:
                    at += self._socket.send(view[at : at + CHUNK])
                except (BlockingIOError, ssl.SSLWantWriteError):
                    await self._readiness.wait([], [self._socket.fileno()])
                except ssl.SSLWantReadError:
                    await self._readiness.wait([self._socket.fileno()], [])
                except TimeoutError:  # an ssh channel, which reports only when it is readable
                    await asyncio.sleep(RETRY_SECONDS)

    def close(self) -> None:
        """Close the socket, after a shutdown.

        docker-py's response object still holds the connection, so closing alone would leak the
        exec.
        """
        if self._closed:
            return
        self._closed = True
        descriptor = self._socket.fileno()
        self._readiness.close([descriptor] if descriptor >= 0 else [])
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        for end in (self._owner, self._socket):
            with contextlib.suppress(OSError):
                end.close()
