"""Listings of a sandbox's files in the output format of `find -printf`."""

from __future__ import annotations

import re
from typing import Literal

from sandbox_tui.core.sandboxes.base import FileEntry
from sandbox_tui.core.sandboxes.scripts.loader import quote_bytes

FORMAT = rb"%y\0%s\0%m\0%T@\0%p\0"
"""Five fields per entry, each terminated by NUL, which no path can contain."""

_TIME = re.compile(rb"-?[0-9]{1,20}(?:\.[0-9]{0,18})?")

_KINDS: dict[bytes, Literal["file", "dir", "link"]] = {b"f": "file", b"d": "dir", b"l": "link"}


MAX_INT64 = (1 << 63) - 1
"""Largest accepted size or mode: the maximum of a database column."""

_LATEST = 253402300799.0
"""The last second of the year 9999; files may have arbitrary times."""

FIND_FAILED_IN_PARTS = 1
_FIND_ENDED = (0, FIND_FAILED_IN_PARTS, 141)
"""Exit codes of a `find` that worked: it read everything, or could not read some entries (removed
meanwhile, access denied), or its reader stopped early (141: SIGPIPE)."""


def list_command(path: bytes, limit: int) -> bytes:
    """Return a command that prints the sandbox's clock, then at most `limit` entries below `path`.

    Entries near the top come first: a truncated listing must not consist of one deep folder.
    """
    find = b"find -H %b -mindepth %d %b -printf '%b' 2>/dev/null"
    word = quote_bytes(path)
    near = find % (word, 1, b"-maxdepth 2", FORMAT)
    far = find % (word, 3, b"", FORMAT)
    both = b"%b; near=$?; %b; far=$?; exit $((near > far ? near : far))" % (near, far)
    ended = b"exit ${PIPESTATUS[0]}"
    return b"printf '%%(%%s)T\\0' -1; { %b; } | head -z -n %d; %b" % (both, 5 * limit, ended)


def newer_command(path: bytes, since: float) -> bytes:
    """Return a command that prints the clock, all names below `path`, an empty name, and the
    entries changed since `since`."""
    word = quote_bytes(path)
    names = b"find -H %b -mindepth 1 -printf '%%p\\0' 2>/dev/null" % word
    newer = b"find -H %b -mindepth 1 -newerct '@%.3f' -printf '%b' 2>/dev/null" % (
        word,
        since,
        FORMAT,
    )
    ended = b"names=$?; printf '\\0'"
    return (
        b"printf '%%(%%s)T\\0' -1; %b; %b; %b; newer=$?; exit $((names > newer ? names : newer))"
        % (
            names,
            ended,
            newer,
        )
    )


def was_listed(exit_code: int | None) -> bool:
    """Return whether `find` worked; otherwise its output is incomplete."""
    return exit_code in _FIND_ENDED


def parse_listing(data: bytes, below: bytes = b"") -> dict[bytes, FileEntry]:
    """Return the entries by path, from the output of `find -printf`.

    An incomplete last entry and entries outside the folder `below` are left out. The sandbox may
    send anything: an entry with an invalid number gets the kind `other`.
    """
    fields = data.split(b"\0")
    entries: dict[bytes, FileEntry] = {}
    for at in range(0, len(fields) - 5, 5):
        kind, size, mode, mtime, path = fields[at : at + 5]
        if not path.startswith(below):
            continue
        named: Literal["file", "dir", "link", "other"] = _KINDS.get(kind, "other")
        bytes_, rights, when = _bounded_int(size, 10), _bounded_int(mode, 8), _time(mtime)
        if bytes_ is None or rights is None or when is None:
            named, bytes_, rights, when = "other", 0, 0, 0.0
        entries[path] = FileEntry(
            path=path,
            kind=named,
            size=bytes_ if named == "file" else 0,
            mode=rights & 0o7777,
            mtime=when,
        )
    return entries


def _bounded_int(field: bytes, base: int) -> int | None:
    """Parse a number of at most 63 bits, such as a file's size or mode; None if it is invalid."""
    if not field.isdigit() or len(field) > 21:
        return None
    try:
        number = int(field, base)
    except ValueError:
        return None
    return number if number <= MAX_INT64 else None


def _time(field: bytes) -> float | None:
    """Parse a time in seconds since the epoch, clamped to the years that `datetime` can
    represent."""
    if len(field) > 40 or not _TIME.fullmatch(field):
        return None
    return min(max(float(field), -_LATEST), _LATEST)


def parse_clock(field: bytes) -> float:
    """Return the time of the sandbox's clock; 0 if it is invalid."""
    return _time(field) or 0.0
