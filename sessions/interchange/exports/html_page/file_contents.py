"""Selects the file contents that the HTML page embeds: text, and images that browsers can show."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.sessions.interchange.exports.base import Recording

MAX_TEXT_BYTES = 200_000
MAX_PICTURE_BYTES = 4 << 20
MAX_TOTAL_BYTES = 30 << 20
"""Maximum size of all embedded files together."""

_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}
"""Signatures of image files. The page shows no other images, whatever their names."""

Contents = dict[str, str | list[str]]
"""By digest: the text of a file, or the media type and base64 data of an image."""


def contents_of(recording: Recording, changes: Sequence[Sequence[Any]]) -> Contents:
    """Return the contents to embed for these changes (see `page_data`), changed files first."""
    contents: Contents = {}
    room = MAX_TOTAL_BYTES
    for digest, size in _kept(changes):
        if digest in contents or size > min(room, MAX_PICTURE_BYTES):
            continue
        data = recording.blob(digest)
        shown = None if data is None else _shown(data)
        if data is None or shown is None:
            continue
        contents[digest] = shown
        room -= len(data)
    return contents


def _kept(changes: Sequence[Sequence[Any]]) -> Iterator[tuple[str, int]]:
    for _, _, _, _, size, digest in sorted(changes, key=lambda change: not change[2]):
        if digest is not None:
            yield digest, size


def _shown(data: bytes) -> str | list[str] | None:
    """Return a file's text or image; None for other files and for text that is too long."""
    if picture := _media_type(data):
        return [picture, base64.b64encode(data).decode()]
    if b"\0" in data or len(data) > MAX_TEXT_BYTES:
        return None
    try:
        return sanitize(data.decode())
    except UnicodeDecodeError:
        return None


def _media_type(data: bytes) -> str:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            return kind if b"\0" in data else ""  # text may also start with "BM"
    return ""
