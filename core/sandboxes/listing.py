"""Listings of a sandbox's files, as `find -printf` writes them."""

from __future__ import annotations

from typing import Literal

from .base import FileEntry
from .scripts import quote_bytes

FORMAT = rb"%y\0%s\0%m\0%T@\0%p\0"
"""Five fields for an entry, each ended by NUL, which no path can hold."""

_KINDS: dict[bytes, Literal["file", "dir", "link"]] = {b"f": "file", b"d": "dir", b"l": "link"}


def list_command(path: bytes, limit: int) -> bytes:
    """Lists at most `limit` entries below `path`, after the time of the sandbox's clock.

    What lies near the top comes first: a listing that is cut short must not be one deep folder.
    """
    find = b"find -H %b -mindepth %d %b -printf '%b' 2>/dev/null"
    word = quote_bytes(path)
    near = find % (word, 1, b"-maxdepth 2", FORMAT)
    far = find % (word, 3, b"", FORMAT)
    return b"printf '%%(%%s)T\\0' -1; { %b; %b; } | head -z -n %d; :" % (near, far, 5 * limit)


def newer_command(path: bytes, since: float) -> bytes:
    """All names below `path`, an empty one, then full entries of what changed since then."""
    word = quote_bytes(path)
    names = b"find -H %b -mindepth 1 -printf '%%p\\0' 2>/dev/null" % word
    newer = b"find -H %b -mindepth 1 -newerct '@%.3f' -printf '%b' 2>/dev/null" % (
        word,
        since,
        FORMAT,
    )
    return b"printf '%%(%%s)T\\0' -1; %b; printf '\\0'; %b; :" % (names, newer)


def parse_listing(data: bytes) -> dict[bytes, FileEntry]:
    """Entries by path, from what `find -printf` wrote; an unfinished last entry is left out."""
    fields = data.split(b"\0")
    entries: dict[bytes, FileEntry] = {}
    for at in range(0, len(fields) - 5, 5):
        kind, size, mode, mtime, path = fields[at : at + 5]
        named: Literal["file", "dir", "link", "other"] = _KINDS.get(kind, "other")
        entries[path] = FileEntry(
            path=path,
            kind=named,
            size=int(size) if named == "file" else 0,
            mode=int(mode, 8),
            mtime=float(mtime),
        )
    return entries
