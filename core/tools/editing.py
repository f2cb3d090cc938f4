"""Edits of a file's bytes: nothing is changed but what was asked for.

Files are edited as bytes, so that tabs, line endings, a missing newline at the end, and text that
is not UTF-8 stay as they are. What a model writes is UTF-8; where it searches with LF and the file
has CRLF, both its texts are taken with the file's line ending.
"""

from __future__ import annotations

from typing import NamedTuple


class EditError(ValueError):
    """An edit that cannot be made; the message is for the model."""


class Edit(NamedTuple):
    """A file's new bytes, and the lines (from 1) that are new in it."""

    data: bytes
    first: int
    last: int


def replace(data: bytes, old: str, new: str, name: str) -> Edit:
    """Replace the one occurrence of `old`.

    Raises:
        EditError: there is none, or more than one.
    """
    if not old:
        raise EditError("old_str must not be empty.")
    before, after = _encoded(data, old, new)
    count = data.count(before)
    if count == 0:
        raise EditError(f"No occurrences of old_str found in {name} for replacement.")
    if count > 1:
        raise EditError(
            f"Multiple occurrences ({count}) of old_str found in {name}, in lines "
            f"{_places(data, before)}. Make old_str unique with more of what stands around it."
        )
    at = data.index(before)
    first = data.count(b"\n", 0, at) + 1
    return Edit(data[:at] + after + data[at + len(before) :], first, first + after.count(b"\n"))


def insert(data: bytes, line: int, text: str) -> Edit:
    """Insert `text` after line `line` (0: before the first).

    Raises:
        EditError: the file has fewer lines.
    """
    lines = _split_keep(data)
    if not 0 <= line <= len(lines):
        raise EditError(f"insert_line must be from 0 to {len(lines)}, the lines of the file.")
    ending = line_ending(data)
    added = text.encode("utf-8").replace(b"\r\n", b"\n").replace(b"\n", ending)
    head, tail = b"".join(lines[:line]), b"".join(lines[line:])
    if head and not head.endswith(b"\n"):
        head += ending  # the last line had no newline: what follows needs one before it
    elif not added.endswith(b"\n"):
        added += ending
    if tail and not added.endswith(b"\n"):
        added += ending
    count = max(1, added.count(b"\n") + (not added.endswith(b"\n")))
    return Edit(head + added + tail, line + 1, line + count)


def line_ending(data: bytes) -> bytes:
    """CRLF where every line of the file ends so, else LF."""
    breaks = data.count(b"\n")
    return b"\r\n" if breaks and data.count(b"\r\n") == breaks else b"\n"


def _encoded(data: bytes, old: str, new: str) -> tuple[bytes, bytes]:
    before, after = old.encode("utf-8"), new.encode("utf-8")
    if before in data or line_ending(data) == b"\n":
        return before, after
    return _as_crlf(before), _as_crlf(after)


def _as_crlf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _places(data: bytes, needle: bytes) -> str:
    lines: list[int] = []
    at = data.find(needle)
    while at >= 0 and len(lines) < 10:
        lines.append(data.count(b"\n", 0, at) + 1)
        at = data.find(needle, at + len(needle))
    return ", ".join(map(str, lines)) + (" ..." if at >= 0 else "")


def _split_keep(data: bytes) -> list[bytes]:
    """Lines with their endings, where only LF (or CRLF) ends a line."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines
