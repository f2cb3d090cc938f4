"""The whole state of a screen as bytes, so that replay can seek to a keyframe.

The format is compressed msgpack. It is data only and untrusted: a keyframe may come from an
imported file. An invalid one raises ValueError and changes nothing.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

import msgspec

from sandbox_tui.core.terminal.emulator.grid import Saved
from sandbox_tui.core.terminal.emulator.modes import ALTERNATE, KNOWN_MODES
from sandbox_tui.core.terminal.emulator.parser import (
    MAX_KEPT_STRING_CHARS,
    MAX_STRING_CHARS,
    PRINTABLE,
    SGR,
)
from sandbox_tui.core.terminal.emulator.rows import MAX_CELL_CHARS, Row, cells_of, shown, tidied
from sandbox_tui.core.terminal.emulator.scrollback import cells_before_next, marked
from sandbox_tui.core.terminal.emulator.sgr import (
    COLOUR_NAMES,
    PLAIN,
    PROTECTED,
    Attributes,
    CellStyle,
    attributes_of,
    sequence_of,
    style_of,
)

if TYPE_CHECKING:
    from sandbox_tui.core.terminal.emulator.screen import Screen

MAX_KEYFRAME_BYTES = 256 << 20
"""A keyframe that decompresses to more is invalid."""

MAX_CELLS = 4_000_000

_PRINTED = re.compile(rf"{PRINTABLE}*\Z")
_TAIL = re.compile(r"(?:(?:\x1b\[|\x9b)[ -?]{0,8192}|\x1b[ -/]{0,8})?\Z")
_STRING = re.compile(r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x9c]*\Z")
_HEX = re.compile(r"[0-9a-f]{6}\Z")


class _Row(msgspec.Struct, array_like=True):
    """A row: raw text with its initial style and fill, or cells and their styles (count, style)."""

    cells: str | list[str]
    style: int = -1
    fill: int = -1
    styles: list[tuple[int, int]] | None = None
    continues: int = 0


class _Line(msgspec.Struct, array_like=True):
    """A line of scrollback: raw text and its initial style (-1 is the default), or runs."""

    text: str = ""
    style: int = -1
    runs: list[tuple[str, int]] | None = None


class _Saved(msgspec.Struct, array_like=True):
    x: int
    y: int
    style: int
    origin: bool
    wraps: bool
    charsets: tuple[bool, bool]
    shifted: bool


class _State(msgspec.Struct, array_like=True):
    columns: int
    lines: int
    styles: list[Attributes]
    rows: list[_Row]
    hidden: list[_Row] | None
    history: list[_Line]
    scrolled: int
    place: tuple[int, int, int, int]
    style: int
    flags: tuple[bool, bool, bool, bool, bool]
    charsets: tuple[bool, bool]
    modes: list[int]
    tab_stops: list[int]
    saved: _Saved | None
    saved_hidden: _Saved | None
    title: str
    printed: str
    tail: str
    string: tuple[str | None, int]
    undecoded: tuple[bytes, int]
    history_columns: int = 0


def to_keyframe(screen: Screen, scrollback: int) -> bytes:
    """Encode the screen's state, with up to `scrollback` lines of scrollback."""
    writer = _Writer()
    parser = screen.parser
    state = _State(
        columns=screen.columns,
        lines=screen.lines,
        styles=[],
        rows=[writer.row(row, screen.columns) for row in screen.rows],
        hidden=[writer.row(row, screen.columns) for row in screen.hidden]
        if screen.hidden
        else None,
        history=[
            _Line(marked(tidied(line), cells_before_next(line)))
            for line in screen.history.tail(scrollback)
        ],
        scrolled=screen.scrolled,
        place=(screen.x, screen.y, screen.top, screen.bottom),
        style=writer.number(screen.style),
        flags=(screen.wraps, screen.inserts, screen.origin, screen.returns, screen.shifted),
        charsets=screen.charsets,
        modes=sorted(screen.modes),
        tab_stops=sorted(screen.tab_stops),
        saved=writer.saved(screen.saved),
        saved_hidden=writer.saved(screen.saved_hidden),
        title=screen.title,
        printed=screen.printed[-1:],
        tail=parser.tail,
        string=(parser.string, 0 if parser.string is None else parser.string_length),
        undecoded=parser.undecoded.getstate(),
        history_columns=screen.history_columns,
    )
    state.styles = [attributes_of(style) for style in writer.numbers]
    return zlib.compress(msgspec.msgpack.encode(state), 1)


class _Writer:
    """Numbers styles in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[CellStyle, int] = {}

    def number(self, style: CellStyle) -> int:
        return self.numbers.setdefault(style, len(self.numbers))

    def row(self, row: Row, columns: int) -> _Row:
        """Encode a row in canonical form, independent of how it was written."""
        raw = tidied(row.as_raw(columns))
        if row.raw is not None or _has_raw_form(row, raw):
            plain = self.number(PLAIN)
            return _Row(raw, plain, plain, continues=row.continues)
        styles: list[tuple[int, int]] = []
        for style in row.styles:
            number = self.number(style)
            if styles and styles[-1][1] == number:
                styles[-1] = (styles[-1][0] + 1, number)
            else:
                styles.append((1, number))
        simple = all(len(cell) == 1 for cell in row.cells)
        cells = "".join(row.cells) if simple else list(row.cells)
        return _Row(cells, styles=styles, continues=row.continues)

    def saved(self, saved: Saved | None) -> _Saved | None:
        return saved and _Saved(saved.x, saved.y, self.number(saved.style), *saved[3:])


def _has_raw_form(row: Row, raw: str) -> bool:
    """Return whether the row has a raw form.

    Rows with protected cells have none, nor do wide characters from a screen of one column.
    """
    cells = cells_of(raw, PLAIN)[0]
    return cells == row.cells[: len(cells)] and not any(style & PROTECTED for style in row.styles)


def from_keyframe(screen: Screen, keyframe: bytes) -> None:
    """Restore the screen's state.

    Raises:
        ValueError: this is not a keyframe; the screen is unchanged.
    """
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(keyframe, MAX_KEYFRAME_BYTES)
        if not unpacker.eof:
            raise ValueError("it is cut short, or too large")
        _apply(screen, _Reader(msgspec.msgpack.decode(data, type=_State)))
    except (zlib.error, ValueError, msgspec.MsgspecError, IndexError, RecursionError) as error:
        raise ValueError(f"This is not a keyframe of a terminal: {error}") from error


def _require(good: bool, what: str) -> None:
    if not good:
        raise ValueError(f"{what} is not valid")


class _Reader:
    """Reads and validates a state."""

    def __init__(self, state: _State) -> None:
        self.state = state
        columns, lines = state.columns, state.lines
        _require(1 <= columns <= 5000 and 1 <= lines <= 5000, "the size")
        _require(columns * lines <= MAX_CELLS, "the size")
        for fg, bg, *_ in state.styles:
            good = all(name in COLOUR_NAMES or _HEX.match(name) for name in (fg, bg))
            _require(good, "a colour")
        self.styles = [style_of(style) for style in state.styles]

    def style(self, number: int) -> CellStyle:
        _require(0 <= number < len(self.styles), "a look")
        return self.styles[number]

    def rows(self, rows: list[_Row]) -> list[Row]:
        _require(len(rows) == self.state.lines, "the number of rows")
        return [self.row(row) for row in rows]

    def row(self, row: _Row) -> Row:
        _require(0 <= row.continues <= self.state.columns, "a wrapped line")
        read = self._row(row)
        read.continues = row.continues
        return read

    def _row(self, row: _Row) -> Row:
        if row.styles is None:
            raw = Row(self.raw(row.cells), self.style(row.style), self.style(row.fill))
            copy = Row(raw.raw, raw.style, raw.fill).read(self.state.columns)
            _require(len(copy.cells) == self.state.columns, "a row")
            return raw
        styles = [style for count, number in row.styles for style in self.many(number, count)]
        cells = list(row.cells)
        _require(len(cells) == len(styles) == self.state.columns and cells[0] != "", "a row")
        text = "".join(cells)
        _require(_PRINTED.match(text) is not None and shown(text) == text, "a row's text")
        _require(max(map(len, cells)) <= MAX_CELL_CHARS, "a cell")
        return Row.of(cells, styles)

    def many(self, number: int, count: int) -> list[CellStyle]:
        _require(0 < count <= self.state.columns, "a run")
        return [self.style(number)] * count

    def raw(self, text: str | list[str]) -> str:
        if not isinstance(text, str):
            raise ValueError("a row is not valid")
        plain = SGR.sub("", text) if "\x1b" in text else text
        _require(_PRINTED.match(plain) is not None and shown(plain) == plain, "a line's text")
        return text

    def line(self, line: _Line) -> str:
        if line.runs is not None:
            _require(len(line.runs) > 0, "a line")
            _require(not any("\x1b" in text for text, _ in line.runs), "a line's text")
            parts = [sequence_of(self.style(number)) + self.raw(text) for text, number in line.runs]
            return "".join(parts)
        raw = self.raw(line.text)
        return raw if line.style < 0 else sequence_of(self.style(line.style)) + raw

    def saved(self, saved: _Saved | None) -> Saved | None:
        if saved is None:
            return None
        _require(0 <= saved.x <= 5000 and 0 <= saved.y < 5000, "the saved cursor")
        return Saved(
            saved.x,
            saved.y,
            self.style(saved.style),
            saved.origin,
            saved.wraps,
            saved.charsets,
            saved.shifted,
        )


def _apply(screen: Screen, reader: _Reader) -> None:
    state = reader.state
    rows = reader.rows(state.rows)
    hidden = None if state.hidden is None else reader.rows(state.hidden)
    history = [reader.line(line) for line in state.history]
    style, saved = reader.style(state.style), reader.saved(state.saved)
    saved_hidden = reader.saved(state.saved_hidden)
    x, y, top, bottom = state.place
    _require(0 <= x <= state.columns and 0 <= y < state.lines, "the cursor")
    _require(0 <= top <= bottom < state.lines, "the margins")
    _require(set(state.modes) <= KNOWN_MODES | ALTERNATE, "a mode")
    _require(all(0 <= stop <= 5000 for stop in state.tab_stops), "a tab stop")
    _require(0 <= state.history_columns <= 5000, "the scrollback")
    _require(len(state.title) <= 1024 and state.scrolled >= 0, "the title")
    printed = state.printed
    _require(len(printed) < 2 and _PRINTED.match(printed) is not None, "what was printed")
    _check_parser(state)

    screen.columns, screen.lines = state.columns, state.lines
    screen.reset()
    screen.rows, screen.hidden = rows, hidden
    screen.history.clear()
    screen.history.extend(history)
    screen.scrolled = state.scrolled
    screen.history_columns = state.history_columns
    screen.x, screen.y, screen.top, screen.bottom = x, y, top, bottom
    screen.style = style
    screen.wraps, screen.inserts, screen.origin, screen.returns, screen.shifted = state.flags
    screen.charsets = state.charsets
    screen.refresh_plain()
    screen.modes, screen.tab_stops = set(state.modes), set(state.tab_stops)
    screen.title, screen.printed = state.title, printed
    screen.saved, screen.saved_hidden = saved, saved_hidden
    screen.parser.tail = state.tail
    screen.parser.string, screen.parser.string_length = state.string
    screen.parser.undecoded.setstate(state.undecoded)
    screen.answers.clear()
    screen.dirty.clear()
    screen.touch(0, screen.lines)


def _check_parser(state: _State) -> None:
    string, length = state.string
    undecoded, flag = state.undecoded
    _require(_TAIL.match(state.tail) is not None, "a sequence")
    _require(0 <= length < MAX_STRING_CHARS, "a string")
    if string is not None:
        _require(len(string) <= MAX_KEPT_STRING_CHARS + 2, "a string")
        _require(_STRING.match(string) is not None, "a string")
    _require(len(undecoded) <= 3 and flag == 0, "a part of a character")
