"""Finds the dispatcher's marks in a command's output (see dispatcher.sh)."""

from __future__ import annotations

from typing import NamedTuple

MAX_MARK_BYTES = 96
"""Maximum length of a mark; output without an end of the mark by then only looks like one."""


class Mark(NamedTuple):
    """A mark; `fields` follow the nonce: `B pid`, `E code survivors saved`, `E` or `N`."""

    fields: tuple[bytes, ...]


class MarkScanner:
    """Splits one stream of one command into output and marks, for chunks of any size.

    Args:
        nonce: the command's nonce.
    """

    def __init__(self, nonce: bytes) -> None:
        self._start = b"\0\x1e" + nonce + b" "
        self._held: bytes = b""

    def feed(self, data: bytes) -> list[bytes | Mark]:
        """Return the parts of `data` in order; a possible start of a mark is held back."""
        if self._held:
            data = self._held + data
            self._held = b""
        parts: list[bytes | Mark] = []
        while data:
            at = self._find(data)
            if at < 0:
                keep = self._possible_start(data)
                self._held = data[len(data) - keep :]
                data = data[: len(data) - keep]
                if data:
                    parts.append(data)
                return parts
            end = data.find(b"\0", at + len(self._start))
            if end < 0 and len(data) - at < MAX_MARK_BYTES:
                self._held = data[at:]
                if at:
                    parts.append(data[:at])
                return parts
            if at:
                parts.append(data[:at])
            if end < 0:  # only looks like a mark
                parts.append(data[at : at + 1])
                data = data[at + 1 :]
                continue
            parts.append(Mark(tuple(data[at + len(self._start) : end].split(b" "))))
            data = data[end + 1 :]
        return parts

    def _find(self, data: bytes) -> int:
        """Return the position of a mark, or -1.

        Its leading NUL is checked last: programs write many NULs, which slow down a search for a
        string that starts with one. A search for a single byte comes first, since it is fastest if
        there is no mark.
        """
        if 0x1E not in data:
            return -1
        inner = self._start[1:]
        at = data.find(inner)
        while at >= 0 and data[at - 1 : at] != b"\0":
            at = data.find(inner, at + 1)
        return at - 1 if at > 0 else -1

    def _possible_start(self, data: bytes) -> int:
        """Return the number of bytes at the end of `data` that could be the start of a mark."""
        if data.rfind(b"\0", -len(self._start)) < 0:
            return 0
        for length in range(min(len(data), len(self._start) - 1), 0, -1):
            if data.endswith(self._start[:length]):
                return length
        return 0
