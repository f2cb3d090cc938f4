"""Compresses values for the database if that makes them smaller."""

from __future__ import annotations

import zlib

MIN_COMPRESS_BYTES = 256
"""Shorter values are never compressed; longer ones with zlib, level 1, if that is smaller."""

_SMALL_BYTES = 8_192
_SMALL_WINDOW_BITS = 13
_SMALL_MEMORY_LEVEL = 6
"""A smaller window is enough for values up to `_SMALL_BYTES`. zlib then allocates 64 KB instead of
268 KB, which can take longer than the compression itself."""


def compress(data: bytes) -> tuple[int, bytes]:
    """Compress a value if that makes it smaller.

    Returns:
        Whether the result is compressed (0 or 1), and the result.
    """
    if len(data) < MIN_COMPRESS_BYTES:
        return 0, data
    packed = _compress_small(data) if len(data) <= _SMALL_BYTES else zlib.compress(data, 1)
    return (1, packed) if len(packed) < len(data) else (0, data)


def _compress_small(data: bytes) -> bytes:
    compressor = zlib.compressobj(1, zlib.DEFLATED, _SMALL_WINDOW_BITS, _SMALL_MEMORY_LEVEL)
    return compressor.compress(data) + compressor.flush()


def decompress(packed: int, data: bytes) -> bytes:
    """Undo `compress`.

    Raises:
        zlib.error: the bytes are corrupt.
    """
    return zlib.decompress(data) if packed else data
