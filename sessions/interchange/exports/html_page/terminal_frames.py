"""The frames of each terminal as changed lines, for players without an emulator.

Lines are numbered from the terminal's first line, so that a line keeps its number when it scrolls
away; a frame contains only the lines that changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sandbox_tui.core.events import types as e
from sandbox_tui.core.terminal.emulator.rows import Run
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.emulator.sgr import DEFAULT, Attributes

KEPT_LINES = 400
"""Maximum number of lines recorded of those that scroll by within one event. `terminals.js` shows
as many (`SHOWN_LINES`), so earlier ones would never be visible."""

MAX_LOOKS = 1 << 16
"""Maximum number of styles in one page, since output can style every cell differently."""


class Frame(NamedTuple):
    """A terminal after an event.

    Attributes:
        seq: number of the event.
        top: number of the line at the top of the screen.
        rows: height of the screen in lines.
        lines: for every changed line: its number, then text and style number in turn.
        full: 1 while a full-screen program shows, whose lines are not wrapped; otherwise 0.
    """

    seq: int
    top: int
    rows: int
    lines: list[list[Any]]
    full: int = 0


class StyleTable:
    """Numbers styles in order of appearance, starting with the default style.

    After `MAX_LOOKS` styles, new ones are treated as the default.
    """

    def __init__(self) -> None:
        self.numbers: dict[Attributes, int] = {DEFAULT: 0}

    def number(self, look: Attributes) -> int:
        """Return the number of a style."""
        if len(self.numbers) >= MAX_LOOKS:
            return self.numbers.get(look, 0)
        return self.numbers.setdefault(look, len(self.numbers))


def compact_json(value: Any) -> bytes:
    """Return a value as compact JSON in ASCII."""
    return json.dumps(value, separators=(",", ":")).encode()


def frames(events: Iterable[e.AnyEvent], styles: StyleTable) -> dict[str, list[bytes]]:
    """Return the frames of every terminal by name, each as JSON, which takes a tenth of the
    memory."""
    films: dict[str, _Film] = {}
    for event in events:
        match event:
            case e.TerminalOpened(terminal=name, cols=cols, rows=rows):
                if name in films:
                    films[name].screen.resize(cols, rows)
                else:
                    films[name] = _Film(cols, rows, styles)
            case e.TerminalOutput(terminal=name, data=data):
                film = films.setdefault(name, _Film(80, 24, styles))
                film.screen.feed(data)
                film.take(event.seq)
            case e.TerminalResized(terminal=name, cols=cols, rows=rows):
                film = films.setdefault(name, _Film(cols, rows, styles))
                film.screen.resize(cols, rows)
                film.take(event.seq)
            case _:
                pass
    return {name: film.frames for name, film in films.items() if film.frames}


class _Film:
    def __init__(self, cols: int, rows: int, styles: StyleTable) -> None:
        self.screen = Screen(min(cols, 1000), min(rows, 1000), KEPT_LINES)
        self.frames: list[bytes] = []
        self._last = (-1, -1, 0)
        self._styles = styles
        self._shown: dict[int, list[Any]] = {}
        self._seen = 0  # lines below this number have scrolled off the screen and are recorded

    def take(self, seq: int) -> None:
        """Record what has changed since the last frame."""
        screen = self.screen
        top = screen.scrolled
        lines = [line for line in self._lines() if self._shown.get(line[0]) != line[1:]]
        screen.dirty.clear()
        self._seen = top
        self._shown = {n: kept for n, kept in self._shown.items() if n >= top}
        self._shown |= {line[0]: line[1:] for line in lines if line[0] >= top}
        full = int(screen.in_alternate)
        if lines or self._last != (top, screen.lines, full):
            self._last = (top, screen.lines, full)
            self.frames.append(compact_json(Frame(seq, top, screen.lines, lines, full)))

    def _lines(self) -> Iterator[list[Any]]:
        """Yield lines that may have changed: those that scrolled away, then those on the screen."""
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
            packed += (text, self._styles.number(look))
        return packed
