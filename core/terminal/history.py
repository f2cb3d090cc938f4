"""Scrollback: lines that left the top, kept as small as they come and read when looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .cells import Row, Run, raw_runs, runs_of
from .graphics import DEFAULT, Attributes
from .parser import SGR

SCROLLBACK = 100_000


class Styled(NamedTuple):
    """A line of raw text (with SGR) that begins in another look than the default one."""

    raw: str
    look: Attributes


Kept = str | Styled | list[Run]
"""A line: raw text in the default look, or in another; or its runs."""

SLACK = 4096
"""Lines beyond the bound that may wait to be dropped together."""


class History:
    """The last `limit` lines, at any of which one can look at once.

    A plain list with a hidden beginning: appending, indexing and dropping old lines are all cheap,
    which a deque is not at (its middle is slow to reach).
    """

    def __init__(self, limit: int = SCROLLBACK) -> None:
        self.limit = max(0, limit)
        self._lines: list[Kept] = []
        self._start = 0

    def __len__(self) -> int:
        return len(self._lines) - self._start

    def __iter__(self) -> Iterator[Kept]:
        return iter(self._lines[self._start :])

    def __getitem__(self, index: int) -> Kept:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._lines[self._start + index]

    def append(self, line: Kept) -> None:
        """Add a line at the end."""
        self._lines.append(line)
        if len(self._lines) > self.limit:
            self._drop()

    def extend(self, lines: Iterable[Kept]) -> None:
        """Add lines at the end."""
        self._lines.extend(lines)
        if len(self._lines) > self.limit:
            self._drop()

    def clear(self) -> None:
        """Forget everything."""
        self._lines.clear()
        self._start = 0

    def tail(self, count: int) -> list[Kept]:
        """The last lines, at most `count` of them."""
        return self._lines[max(self._start, len(self._lines) - count) :]

    def runs(self, index: int) -> list[Run]:
        """A line as text of one look each, trailing default blanks cut."""
        line = self[index]
        if isinstance(line, str):
            return raw_runs(line, DEFAULT)
        return raw_runs(*line) if isinstance(line, Styled) else line.copy()

    def text(self, index: int) -> str:
        """A line as plain text, trailing blanks cut."""
        return plain(self[index])

    def find(self, needle: str) -> Iterator[int]:
        """Where lines hold `needle`, whatever the case."""
        wanted = needle.casefold()
        for index, line in enumerate(self):
            if wanted in plain(line).casefold():
                yield index

    def _drop(self) -> None:
        self._start = len(self._lines) - self.limit
        if self._start > SLACK:
            del self._lines[: self._start]
            self._start = 0


class Continued(History):
    """A history that goes on after lines which are elsewhere, and are fetched when looked at.

    Args:
        past: those lines, oldest first; it is asked for no more than is needed.
    """

    def __init__(self, past: Sequence[Kept], limit: int = SCROLLBACK) -> None:
        super().__init__(limit)
        self._past = past
        self._past_start = 0
        self._forget()

    @property
    def _past_left(self) -> int:
        return len(self._past) - self._past_start

    def __len__(self) -> int:
        return self._past_left + super().__len__()

    def __iter__(self) -> Iterator[Kept]:
        yield from self._past[self._past_start :]
        yield from super().__iter__()

    def __getitem__(self, index: int) -> Kept:
        above = self._past_left
        if 0 <= index < above:
            return self._past[self._past_start + index]
        return super().__getitem__(index - above)

    def append(self, line: Kept) -> None:
        """Add a line at the end."""
        super().append(line)
        self._forget()

    def extend(self, lines: Iterable[Kept]) -> None:
        """Add lines at the end."""
        super().extend(lines)
        self._forget()

    def clear(self) -> None:
        """Forget everything."""
        super().clear()
        self._past, self._past_start = (), 0

    def tail(self, count: int) -> list[Kept]:
        """The last lines, at most `count` of them."""
        missing = min(count - super().__len__(), self._past_left)
        if missing <= 0:
            return super().tail(count)
        return [*self._past[len(self._past) - missing :], *super().tail(count)]

    def _forget(self) -> None:
        """Lines over the limit go, the oldest first."""
        over = len(self) - self.limit
        if over > 0 and self._past_left:
            self._past_start = min(len(self._past), self._past_start + over)


def keep(row: Row, columns: int) -> Kept:
    """A row of the screen as scrollback keeps it."""
    raw = row.raw
    if raw is not None and row.fill is DEFAULT:
        return raw if row.look is DEFAULT else Styled(raw, row.look)
    looks = row.read(columns).looks
    if looks[0] is DEFAULT and looks.count(DEFAULT) == len(looks):
        return "".join(row.cells).rstrip(" ")
    return runs_of(row.cells, looks)


def plain(line: Kept) -> str:
    """The text of a line, trailing blanks cut."""
    if isinstance(line, Styled):
        line = line.raw
    elif isinstance(line, list):
        line = "".join(run[0] for run in line)
    return (SGR.sub("", line) if "\x1b" in line else line).rstrip(" ")
