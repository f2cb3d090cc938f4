"""Edits of a file's bytes that leave the rest of the file unchanged.

Files are edited as bytes, so that tabs, line endings, a missing newline at the end and invalid
UTF-8 stay as they are. The model writes UTF-8 with LF; in a file with CRLF endings, its texts are
converted to CRLF.
"""

from __future__ import annotations

from typing import NamedTuple

HINTED = 1 << 20
"""Maximum size of files that are searched for near matches."""


class EditError(ValueError):
    """An edit that failed.

    Args:
        message: for the model.
        brief: for the user who decides about the call; does not say what to do about it.
    """

    def __init__(self, message: str, brief: str) -> None:
        super().__init__(message)
        self.brief = brief


class Edit(NamedTuple):
    """A file's new bytes, and its changed lines, counted from 1."""

    data: bytes
    first: int
    last: int


def replace(data: bytes, old: str, new: str, name: str) -> Edit:
    """Replace the only occurrence of `old`.

    Raises:
        EditError: there is none, or more than one, or nothing would change.
    """
    if not old:
        raise EditError("old_str must not be empty.", "old_str is empty")
    if old == new:
        same = "old_str and new_str are the same"
        raise EditError(f"{same}; nothing would change.", same)
    before, after = _encoded(data, old, new)
    count = data.count(before)
    if count == 0:
        raise EditError(
            f"No occurrences of old_str found in {name} for replacement.{_hint(data, old)}",
            f"old_str is not in the file{_brief_hint(data, old)}",
        )
    if count > 1:
        places = _places(data, before)
        raise EditError(
            f"Multiple occurrences ({count}) of old_str found in {name}, in lines "
            f"{places}. Include more of the surrounding text to make old_str unique.",
            f"old_str is in the file {count} times, in lines {places}",
        )
    at = data.index(before)
    first = data.count(b"\n", 0, at) + 1
    return Edit(data[:at] + after + data[at + len(before) :], first, first + after.count(b"\n"))


def insert(data: bytes, line: int, text: str) -> Edit:
    """Insert `text` after line `line` (0: before the first).

    Raises:
        EditError: the file has fewer lines.
    """
    total = line_count(data)
    if not 0 <= line <= total:
        raise EditError(
            f"insert_line must be from 0 to {total}, the lines of the file.",
            f"insert_line is {line}, but the file has {total} line{'' if total == 1 else 's'}",
        )
    ending = line_ending(data)
    added = text.encode("utf-8").replace(b"\r\n", b"\n").replace(b"\n", ending)
    at = _end_of(data, line)
    head, tail = data[:at], data[at:]
    if head and not head.endswith(b"\n"):
        head += ending  # the last line has no newline: add one before the inserted text
    elif not added.endswith(b"\n"):
        added += ending
    count = max(1, line_count(added))
    return Edit(head + added + tail, line + 1, line + count)


def line_ending(data: bytes) -> bytes:
    """Return CRLF if every line of the file ends in it, else LF."""
    breaks = data.count(b"\n")
    return b"\r\n" if breaks and data.count(b"\r\n") == breaks else b"\n"


def line_count(data: bytes) -> int:
    """Return the number of lines, which end in LF (or CRLF); an unterminated last line counts."""
    return data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))


def _encoded(data: bytes, old: str, new: str) -> tuple[bytes, bytes]:
    """Encode both texts as bytes, with the file's line endings.

    In a file with mixed endings they stay as written, unless only the CRLF form occurs.
    """
    before, after = old.encode("utf-8"), new.encode("utf-8")
    if line_ending(data) == b"\r\n" or (before not in data and _as_crlf(before) in data):
        return _as_crlf(before), _as_crlf(after)
    return before, after


def _as_crlf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _hint(data: bytes, old: str) -> str:
    """Return a hint about why text that the model saw in the file was not found."""
    if "\ufffd" in old:
        return (
            " old_str contains U+FFFD, which view shows for bytes that are not UTF-8; "
            "leave those out."
        )
    line = _nearly_at(data, old)
    if line:
        return f" From line {line} on, the text differs only in its white space."
    return " Look at the file again with view, and copy the text exactly."


def _brief_hint(data: bytes, old: str) -> str:
    line = _nearly_at(data, old)
    return f" (from line {line} on, only the white space differs)" if line else ""


def _nearly_at(data: bytes, old: str) -> int:
    """Return the line from which a file has this text but for white space; 0 if there is none."""
    lines = [_without_extra_space(line.encode("utf-8")) for line in old.strip().split("\n")]
    if lines[0] and len(data) <= HINTED:
        every = [_without_extra_space(line) for line in data.split(b"\n")]
        for at, line in enumerate(every):
            if line == lines[0] and every[at : at + len(lines)] == lines:
                return at + 1
    return 0


def _without_extra_space(line: bytes) -> bytes:
    return b" ".join(line.split())


def _places(data: bytes, needle: bytes) -> str:
    lines: list[int] = []
    at = data.find(needle)
    while at >= 0 and len(lines) < 10:
        lines.append(data.count(b"\n", 0, at) + 1)
        at = data.find(needle, at + len(needle))
    return ", ".join(map(str, lines)) + (" ..." if at >= 0 else "")


def _end_of(data: bytes, line: int) -> int:
    """Return the offset at which line `line` ends, including its newline; 0 for line 0."""
    at = 0
    for _ in range(line):
        at = data.find(b"\n", at) + 1
        if at == 0:
            return len(data)
    return at
