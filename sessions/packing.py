"""Bytes as they stand in the database: compressed where that helps."""

from __future__ import annotations

import zlib

PACK_FROM = 256
"""Bytes from which on compression (zlib, level 1) is tried."""


def pack(data: bytes) -> tuple[int, bytes]:
    """Whether it is compressed (0 or 1), and what to store."""
    if len(data) < PACK_FROM:
        return 0, data
    packed = zlib.compress(data, 1)
    return (1, packed) if len(packed) < len(data) else (0, data)


def unpack(packed: int, data: bytes) -> bytes:
    """What `pack` was given.

    Raises:
        zlib.error: these are not its bytes.
    """
    return zlib.decompress(data) if packed else data
