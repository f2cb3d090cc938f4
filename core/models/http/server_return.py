"""Notices when a server that was away accepts connections again."""

from __future__ import annotations

import asyncio
import contextlib
from urllib.parse import urlsplit

PROBE_SECONDS = 2.0
"""Seconds between two attempts to connect, and the longest that one may take."""

_PORTS = {"http": 80, "https": 443}


def host_and_port(base_url: str) -> tuple[str, int] | None:
    """Return where a server's address leads; None if it names no host."""
    try:
        parts = urlsplit(base_url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return None if not parts.hostname or port is None else (parts.hostname, port)


async def until_it_accepts(server: tuple[str, int]) -> None:
    """Return once a server that refuses connections accepts one; nothing is sent to it.

    Never returns for one that accepts the first: it failed for another reason, such as TLS or a
    proxy, and asking it sooner would only use up the attempts.
    """
    if await accepts(server):
        await asyncio.Event().wait()
    while True:
        await asyncio.sleep(PROBE_SECONDS)
        if await accepts(server):
            return


async def accepts(server: tuple[str, int]) -> bool:
    """Return whether a server accepts a connection; nothing is sent to it."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            _, writer = await asyncio.open_connection(*server)
    except (OSError, ValueError):  # TimeoutError is an OSError; UnicodeError is a ValueError
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True
