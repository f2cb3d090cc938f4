"""The frames of each terminal, as changed lines: for players without an emulator.

Lines are counted from the terminal's first line, so that a line keeps its number when it scrolls
away; a frame names only the lines that it changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sandbox_tui.core.events import types as e
from sandbox_tui.core.terminal.emulator.rows import Run
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.emulator.sgr import Attributes

KEPT_LINES = 5000
"""Lines that may scroll by within one event and are still recorded."""


class Frame(NamedTuple):
    """A terminal after an event.

    Attributes:
        seq: the event.
        top: number of the line at the top of the screen.
        rows: lines of the screen.
        lines: number, text, look, text, look ... of every line that changed.
    """

    seq: int
    top: int
    rows: int
    lines: list[list[Any]]


class Looks:
    """Numbers looks in order of appearance."""

    def __init__(self) -> None:
        self.numbers: dict[Attributes, int] = {}

    def number(self, look: Attributes) -> int:
        """The number of a look."""
        return self.numbers.setdefault(look, len(self.numbers))


def frames(events: Iterable[e.AnyEvent], looks: Looks) -> dict[str, list[Frame]]:
    """The frames of every terminal, by name."""
    films: dict[str, _Film] = {}
    for event in events:
        match event:
            case e.TerminalOpened(terminal=name, cols=cols, rows=rows):
                if name in films:
                    films[name].screen.resize(cols, rows)
                else:
                    films[name] = _Film(cols, rows, looks)
            case e.TerminalOutput(terminal=name, data=data):
                film = films.setdefault(name, _Film(80, 24, looks))
                film.screen.feed(data)
                film.take(event.seq)
            case e.TerminalResized(terminal=name, cols=cols, rows=rows):
                film = films.setdefault(name, _Film(cols, rows, looks))
                film.screen.resize(cols, rows)
                film.take(event.seq)
            case _:
                pass
    return {name: film.frames for name, film in films.items() if film.frames}


class _Film:
    def __init__(self, cols: int, rows: int, looks: Looks) -> None:
        self.screen = Screen(min(cols, 1000), min(rows, 1000), KEPT_LINES)
        self.frames: list[Frame] = []
        self._looks = looks
        self._shown: dict[int, list[Any]] = {}
        self._seen = 0  # lines below this number have left the screen and are recorded

    def take(self, seq: int) -> None:
        """Record what has changed since the last frame."""
        screen = self.screen
        top = screen.scrolled
        lines = [line for line in self._lines() if self._shown.get(line[0]) != line[1:]]
        screen.dirty.clear()
        self._seen = top
        self._shown = {n: kept for n, kept in self._shown.items() if n >= top}
        self._shown |= {line[0]: line[1:] for line in lines if line[0] >= top}
        last = self.frames[-1] if self.frames else None
        if lines or last is None or (last.top, last.rows) != (top, screen.lines):
            self.frames.append(Frame(seq, top, screen.lines, lines))

    def _lines(self) -> Iterator[list[Any]]:
        """Lines that may have changed: those that scrolled away, then those of the screen."""
        screen = self.screen
        top, above = screen.scrolled, screen.history_size
        for number in range(max(self._seen, top - above), top):
            yield [number, *self._packed(screen.row(number - (top - above)))]
        for row in sorted(screen.dirty):
            if row < screen.lines:
                yield [top + row, *self._packed(screen.row(above + row))]

    def _packed(self, runs: list[Run]) -> list[Any]:
        packed: list[Any] = []
        for text, look in runs:
            packed += (text, self._looks.number(look))
        return packed
