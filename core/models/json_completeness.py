"""Detects whether JSON that arrives in pieces is complete, without reading it all again."""

from __future__ import annotations

import re

_MARK = re.compile(r'[\[\]{}"]')
_IN_STRING = re.compile(r'["\\]')


class JsonOutline:
    """Tracks the brackets and strings of one JSON value.

    Attributes:
        closed: whether every bracket has been closed. Text after the value makes it invalid for
            good, so that it need not be parsed again.
    """

    def __init__(self) -> None:
        self.closed = False
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._invalid = False

    def add(self, piece: str) -> None:
        """Process the next piece."""
        if self.closed and piece.strip():
            self.closed, self._invalid = False, True
        if self._invalid:
            return
        at = 0
        if self._escaped and piece:
            at, self._escaped = 1, False
        while (mark := (_IN_STRING if self._in_string else _MARK).search(piece, at)) is not None:
            at = mark.end()
            if mark[0] == "\\":
                self._escaped = at == len(piece)
                at += 1
                continue
            self._take(mark[0])
            if self._depth <= 0 and not self._in_string:
                self.closed, self._invalid = True, bool(piece[at:].strip())
                break
        if self._invalid:
            self.closed = False

    def _take(self, mark: str) -> None:
        if mark == '"':
            self._in_string = not self._in_string
        elif mark in "{[":
            self._depth += 1
        elif mark in "}]":
            self._depth -= 1
