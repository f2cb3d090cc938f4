"""Compresses values in the database if that makes them smaller."""

from __future__ import annotations

import zlib

MIN_COMPRESS_BYTES = 256
"""Shorter values are stored as they are; longer ones with zlib, level 1, if that is smaller."""


def compress(data: bytes) -> tuple[int, bytes]:
    """Compress a value if that makes it smaller.

    Returns:
        Whether the result is compressed (0 or 1), and the result.
    """
    if len(data) < MIN_COMPRESS_BYTES:
        return 0, data
    packed = zlib.compress(data, 1)
    return (1, packed) if len(packed) < len(data) else (0, data)


def decompress(packed: int, data: bytes) -> bytes:
    """Undo `compress`.

    Raises:
        zlib.error: the bytes are corrupt.
    """
    return zlib.decompress(data) if packed else data
