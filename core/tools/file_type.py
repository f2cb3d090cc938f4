"""Recognizes binary files by their first bytes."""

from __future__ import annotations

_MAGIC = {
    b"\x89PNG\r\n": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF-": "a PDF document",
    b"PK\x03\x04": "a ZIP archive, as office documents are",
    b"\x1f\x8b": "gzip data",
    b"BZh": "bzip2 data",
    b"\xfd7zXZ": "xz data",
    b"\x28\xb5\x2f\xfd": "zstd data",
    b"\x7fELF": "an ELF program or library",
    b"SQLite format 3\0": "an SQLite database",
    b"\xff\xfe": "perhaps UTF-16 text; iconv converts it to UTF-8",
    b"\xfe\xff": "perhaps UTF-16 text; iconv converts it to UTF-8",
}

SNIFFED_BYTES = 8192
"""Bytes at the start of a file that are examined."""


def binary_kind(data: bytes) -> str | None:
    """Return the kind of binary content, or None for text.

    Text in any encoding has no NUL among its first bytes. Content that starts like a known format
    and is not UTF-8 is binary too.
    """
    head = data[:SNIFFED_BYTES]
    kind = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
    if b"\0" in head:
        return kind or "of an unknown kind"
    return kind if kind and not _is_utf8(data) else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
