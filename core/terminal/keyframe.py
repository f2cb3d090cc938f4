"""The whole state of a screen as bytes, so that any moment of a recording is one step away.

The format is msgpack, compressed; it is data only, and what is not a keyframe raises ValueError.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import msgspec

from .attributes import Attributes
from .commands import Saved
from .rows import Kept, Row

if TYPE_CHECKING:
    from .screen import Screen

MOST_BYTES = 256 << 20
"""A keyframe that unpacks to more is not one."""


class _Row(msgspec.Struct, array_like=True):
    """A row as runs of (cells, number of the look)."""

    cells: list[str]
    looks: list[tuple[int, int]]


class _Line(msgspec.Struct, array_like=True):
    """A line of scrollback: raw text with the look it begins in, or runs."""

    text: str
    look: int = -1
    runs: list[tuple[str, int]] | None = None


class _Saved(msgspec.Struct, array_like=True):
    x: int
    y: int
    look: int
    origin: bool
    wraps: bool
    charsets: tuple[bool, bool]
    shifted: bool


class _State(msgspec.Struct, array_like=True):
    columns: int
    lines: int
    looks: list[Attributes]
    rows: list[_Row]
    alternate: list[_Row] | None
    history: list[_Line]
    scrolled: int
    place: tuple[int, int, int, int]
    look: int
    flags: tuple[bool, bool, bool, bool]
    charsets: tuple[bool, bool]
    modes: list[int]
    tab_stops: list[int]
    saved: _Saved | None
    title: str
    last: str
    tail: str
    undecoded: tuple[bytes, int]


class _Looks:
    """Numbers looks in the order in which they are met."""

    def __init__(self) -> None:
        self.numbers: dict[Attributes, int] = {}

    def number(self, look: Attributes) -> int:
        return self.numbers.setdefault(look, len(self.numbers))


def to_keyframe(screen: Screen) -> bytes:
    """The screen's state."""
    looks = _Looks()
    state = _State(
        columns=screen.columns,
        lines=screen.lines,
        looks=[],
        rows=[_row(row, screen.columns, looks) for row in screen.rows],
        alternate=None
        if screen.alternate is None
        else [_row(row, screen.columns, looks) for row in screen.alternate],
        history=[_line(kept, looks) for kept in screen.history],
        scrolled=screen.scrolled,
        place=(screen.x, screen.y, screen.top, screen.bottom),
        look=looks.number(screen.look),
        flags=(screen.wraps, screen.inserts, screen.origin, screen.shifted),
        charsets=screen.charsets,
        modes=sorted(screen.modes),
        tab_stops=sorted(screen.tab_stops),
        saved=None if screen.saved is None else _saved(screen.saved, looks),
        title=screen.title,
        last=screen.last,
        tail=screen.tail,
        undecoded=screen.decoder.getstate(),
    )
    state.looks = list(looks.numbers)
    return zlib.compress(msgspec.msgpack.encode(state), 1)


def from_keyframe(screen: Screen, keyframe: bytes) -> None:
    """Make the screen what it was.

    Raises:
        ValueError: this is no keyframe; the screen is as it was before.
    """
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(keyframe, MOST_BYTES)
        if not unpacker.eof:
            raise ValueError("too large")
        state = msgspec.msgpack.decode(data, type=_State)
        _apply(screen, state)
    except (zlib.error, ValueError, msgspec.MsgspecError, IndexError, TypeError) as error:
        raise ValueError(f"This is not a keyframe of a terminal: {error}") from error


def _apply(screen: Screen, state: _State) -> None:
    looks = state.looks
    rows = [_to_row(row, looks) for row in state.rows]
    alternate = None if state.alternate is None else [_to_row(r, looks) for r in state.alternate]
    history = [_to_kept(line, looks) for line in state.history]
    wrong = any(len(row.cells) != state.columns for row in (*rows, *(alternate or ())))
    if wrong or len(rows) != state.lines or not 1 <= state.lines <= 10_000:
        raise ValueError("rows do not fit")
    look, saved = looks[state.look], state.saved
    screen.columns, screen.lines = state.columns, state.lines
    screen.reset()
    screen.rows, screen.alternate = rows, alternate
    screen.history.clear()
    screen.history.extend(history)
    screen.scrolled = state.scrolled
    screen.x, screen.y, screen.top, screen.bottom = state.place
    screen.look = look
    screen.wraps, screen.inserts, screen.origin, screen.shifted = state.flags
    screen.charsets = state.charsets
    screen.modes, screen.tab_stops = set(state.modes), set(state.tab_stops)
    screen.title, screen.last, screen.tail = state.title, state.last, state.tail
    screen.decoder.setstate(state.undecoded)
    if saved is not None:
        screen.saved = Saved(
            saved.x,
            saved.y,
            looks[saved.look],
            saved.origin,
            saved.wraps,
            saved.charsets,
            saved.shifted,
        )
    screen.dirty = set(range(state.lines))


def _row(row: Row, columns: int, looks: _Looks) -> _Row:
    row.read(columns)
    runs: list[tuple[int, int]] = []
    for look in row.looks:
        number = looks.number(look)
        if runs and runs[-1][1] == number:
            runs[-1] = (runs[-1][0] + 1, number)
        else:
            runs.append((1, number))
    return _Row(list(row.cells), runs)


def _to_row(row: _Row, looks: list[Attributes]) -> Row:
    own: list[Attributes] = []
    for count, number in row.looks:
        own += [looks[number]] * min(count, len(row.cells))
    if len(own) != len(row.cells):
        raise ValueError("looks do not fit")
    return Row(row.cells, own)


def _line(kept: Kept, looks: _Looks) -> _Line:
    if isinstance(kept, str):
        return _Line(kept)
    text, rest = kept
    if isinstance(rest, Attributes):
        return _Line(text, looks.number(rest))
    return _Line(text, -1, [(run, looks.number(look)) for run, look in rest])


def _to_kept(line: _Line, looks: list[Attributes]) -> Kept:
    if line.runs is not None:
        return line.text, tuple((text, looks[number]) for text, number in line.runs)
    return line.text if line.look < 0 else (line.text, looks[line.look])


def _saved(saved: Saved, looks: _Looks) -> _Saved:
    return _Saved(
        saved.x,
        saved.y,
        looks.number(saved.look),
        saved.origin,
        saved.wraps,
        saved.charsets,
        saved.shifted,
    )
