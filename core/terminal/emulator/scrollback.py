"""Scrollback: lines that left the top, stored in their raw form and parsed when read.

A line is stored as text and SGR sequences, starting in the default style. All but the last few
hundred lines are joined into blocks, and large blocks are compressed.
"""

from __future__ import annotations

import re
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence

from sandbox_tui.core.terminal.emulator.parser import SGR
from sandbox_tui.core.terminal.emulator.rows import Run, raw_runs
from sandbox_tui.core.terminal.emulator.sgr import PLAIN

SCROLLBACK = 100_000

RawLine = str
"""A line: text and SGR sequences, starting in the default style."""

BLOCK_LINES = 512
"""Number of lines per block."""

MIN_COMPRESSED_BYTES = 160 * BLOCK_LINES
"""Minimum size of a block that is compressed."""

MAX_OPEN_BLOCKS = 4
"""Maximum number of blocks kept uncompressed after a read."""

_MARK = re.compile(r"\x1b\[1([0-9]{4})m\Z")
"""Ends a line that continues in the next one: an SGR sequence without a meaning, so that whatever
reads lines ignores it. It holds the number of cells of the line."""


def marked(line: RawLine, cells: int) -> RawLine:
    """Return a line that continues in the next one after so many cells; 0 if it does not."""
    return f"{line}\x1b[{10_000 + cells}m" if cells else line


def cells_before_next(line: RawLine) -> int:
    """Return the number of cells of a line that continues in the next one; otherwise 0."""
    found = _MARK.search(line) if line.endswith("m") else None
    return int(found[1]) if found else 0


class History:
    """The last `limit` lines, with random access."""

    def __init__(self, limit: int = SCROLLBACK) -> None:
        self.limit = max(0, limit)
        self._blocks: list[bytes] = []
        self._lines: list[str] = []
        self._open: OrderedDict[bytes, list[str]] = OrderedDict()

    @property
    def _all(self) -> int:
        """Number of lines stored, including those beyond the limit that are not dropped yet."""
        return len(self._blocks) * BLOCK_LINES + len(self._lines)

    @property
    def _start(self) -> int:
        return max(0, self._all - self.limit)

    def __len__(self) -> int:
        return min(self._all, self.limit)

    def __iter__(self) -> Iterator[str]:
        start = self._start
        for block in self._blocks:
            if start < BLOCK_LINES:
                yield from _unpacked(block)[start:]
            start = max(0, start - BLOCK_LINES)
        yield from self._lines[start:]

    def __getitem__(self, index: int) -> str:
        index += self._start
        if not self._start <= index < self._all:
            raise IndexError(index)
        number, place = divmod(index, BLOCK_LINES)
        if number >= len(self._blocks):
            return self._lines[index - len(self._blocks) * BLOCK_LINES]
        return self._opened(self._blocks[number])[place]

    def append(self, line: str) -> None:
        """Add a line at the end."""
        self._lines.append(line)
        if len(self._lines) > 2 * BLOCK_LINES:
            self._settle()

    def extend(self, lines: Iterable[str]) -> None:
        """Add lines at the end."""
        self._lines.extend(lines)
        if len(self._lines) > 2 * BLOCK_LINES:
            self._settle()

    def clear(self) -> None:
        """Drop all lines."""
        self._blocks.clear()
        self._lines.clear()
        self._open.clear()

    def tail(self, count: int) -> list[str]:
        """Return the last lines, at most `count` of them."""
        count = min(max(count, 0), self._all - self._start)
        lines = self._lines
        for block in reversed(self._blocks):
            if len(lines) >= count:
                break
            lines = _unpacked(block) + lines
        return lines[len(lines) - count :]

    def runs(self, index: int) -> list[Run]:
        """Return a line as runs, without trailing default blanks."""
        return raw_runs(self[index], PLAIN)

    def text(self, index: int) -> str:
        """Return a line as plain text, without trailing blanks."""
        return plain(self[index])

    def continues(self, index: int) -> int:
        """Return the number of cells of a line that continues in the next one; otherwise 0."""
        return cells_before_next(self[index])

    def find(self, needle: str) -> Iterator[int]:
        """Yield the indexes of the lines that contain `needle`, ignoring case."""
        folded = needle.casefold()
        for index, line in enumerate(self):
            if folded in plain(line).casefold():
                yield index

    def _settle(self) -> None:
        """Join old lines into blocks, and drop those beyond the limit."""
        lines, at = self._lines, 0
        while len(lines) - at > 2 * BLOCK_LINES:
            self._blocks.append(_packed(lines[at : at + BLOCK_LINES]))
            at += BLOCK_LINES
        del lines[:at]
        del self._blocks[: self._start // BLOCK_LINES]

    def _opened(self, block: bytes) -> list[str]:
        lines = self._open.get(block)
        if lines is None:
            lines = self._open[block] = _unpacked(block)
            if len(self._open) > MAX_OPEN_BLOCKS:
                self._open.popitem(last=False)
        return lines


def _packed(lines: list[str]) -> bytes:
    data = "\n".join(lines).encode()
    return b"\xff" + zlib.compress(data, 1) if len(data) > MIN_COMPRESSED_BYTES else data


def _unpacked(block: bytes) -> list[str]:
    """Return a block's lines; no UTF-8 text starts with the byte that marks compression."""
    data = zlib.decompress(block[1:]) if block[:1] == b"\xff" else block
    return data.decode().split("\n")


class ContinuedHistory(History):
    """A history that continues lines stored elsewhere, which are fetched when read.

    Args:
        past: those lines, oldest first, fetched lazily.
    """

    def __init__(self, past: Sequence[str], limit: int = SCROLLBACK) -> None:
        super().__init__(limit)
        self._past = past
        self._past_start = 0
        self._forget()

    @property
    def _past_left(self) -> int:
        return len(self._past) - self._past_start

    def __len__(self) -> int:
        return self._past_left + super().__len__()

    def __iter__(self) -> Iterator[str]:
        yield from self._past[self._past_start :]
        yield from super().__iter__()

    def __getitem__(self, index: int) -> str:
        above = self._past_left
        if 0 <= index < above:
            return self._past[self._past_start + index]
        return super().__getitem__(index - above)

    def append(self, line: str) -> None:
        """Add a line at the end."""
        super().append(line)
        self._forget()

    def extend(self, lines: Iterable[str]) -> None:
        """Add lines at the end."""
        super().extend(lines)
        self._forget()

    def clear(self) -> None:
        """Drop all lines."""
        super().clear()
        self._past, self._past_start = (), 0

    def tail(self, count: int) -> list[str]:
        """Return the last lines, at most `count` of them."""
        missing = min(count - super().__len__(), self._past_left)
        if missing <= 0:
            return super().tail(count)
        return [*self._past[len(self._past) - missing :], *super().tail(count)]

    def _forget(self) -> None:
        """Drop lines beyond the limit, the oldest first."""
        over = len(self) - self.limit
        if over > 0 and self._past_left:
            self._past_start = min(len(self._past), self._past_start + over)


def plain(line: str) -> str:
    """Return the text of a line, without trailing blanks."""
    return (SGR.sub("", line) if "\x1b" in line else line).rstrip(" ")
