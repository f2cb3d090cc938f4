"""A native emulator with the same protocol: libghostty-vt, from `sandbox-tui[native]`.

It processes full-screen programs ten times as fast as ours. Otherwise ours is better: the native
scrollback needs ten times the memory, reading a screen takes some milliseconds (cell by cell; ours
takes less than one), and loading takes a third of a second. It is therefore optional
(`ui.terminal_engine`), and used only if its output matches ours (`healthy`).

It draws live terminals only: it has no keyframes, so recordings and replays always use ours. Its
text is sanitized in the same way.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from typing_extensions import override

from sandbox_tui.core.base.sanitize import INVISIBLE
from sandbox_tui.core.terminal.base import Terminal
from sandbox_tui.core.terminal.emulator.modes import KNOWN_MODES
from sandbox_tui.core.terminal.emulator.resizing import limited
from sandbox_tui.core.terminal.emulator.rows import MAX_CELL_CHARS, Row, Run
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.emulator.sgr import (
    PLAIN,
    CellStyle,
    background,
    indexed,
    rgb,
    styled,
)

SCROLLBACK = 20_000
"""Lines of scrollback: about 20 MB."""

PIECE_BYTES = 16 * 1024
MAX_REPLY_BYTES = 4096
"""Maximum bytes of unread replies; further ones are dropped."""

_UNSEEN = dict.fromkeys(
    code for code in range(sys.maxunicode + 1) if re.match(f"[{INVISIBLE}]", chr(code))
)
"""Characters that no line may contain."""

_CLUSTERS = 2027
"""The mode that draws grapheme clusters as one cell; other programs count cells differently."""


class NativeScreen(Terminal):
    """A `Terminal` implemented by libghostty-vt.

    Args:
        columns, lines: size in cells.

    Raises:
        ImportError, OSError: it is not installed, or does not support this machine.
    """

    def __init__(self, columns: int, lines: int) -> None:
        core: Any = import_module("pyghostty.core")
        self._core = core
        self._ffi: Any = core.ffi
        self._lib: Any = core.lib
        self.columns, self.lines = limited(columns), limited(lines)
        self.dirty: set[int] = set()
        self.x = self.y = 0
        self.title = ""
        self.modes: set[int] = set()
        self.scrolled = 0
        self.history_columns = 0  # lines in scrollback are divided, too
        self._answers = bytearray()
        self._terminal: Any = core.Terminal(self.columns, self.lines, SCROLLBACK)
        self._set("SCROLLBACK_MAX_BYTES", "size_t", 1 << 30)  # the limit is on lines
        self._set(
            "KITTY_IMAGE_STORAGE_LIMIT", "uint64_t", 0
        )  # no images: they may refer to files of the host
        self._terminal.on_reply(self._queue_reply)
        self._reference: Any = core.init_sized("GhosttyGridRef")
        self._style: Any = core.init_sized("GhosttyStyle")
        self._parts: dict[str, tuple[int, Any]] = {}
        self._cell: Any = self._ffi.new("GhosttyCell*")
        self._row_number: Any = self._ffi.new("GhosttyRow*")
        self._wraps: Any = self._ffi.new("bool*")
        self._marks: Any = self._ffi.new("uint32_t[]", MAX_CELL_CHARS)
        self._find: Any = core.union_fn(
            "ghostty_terminal_grid_ref",
            "GhosttyResult(*)(GhosttyTerminal, GhosttyPointS, GhosttyGridRef*)",
        )
        self.feed(b"")

    def _set(self, name: str, kind: str, value: int) -> None:
        option = getattr(self._lib, f"GHOSTTY_TERMINAL_OPT_{name}")
        pointer = self._ffi.new(f"{kind}*", value)
        self._core.check(
            self._lib.ghostty_terminal_set(self._terminal._t[0], option, pointer), name
        )

    def _place(self, y: int) -> Any:
        """Return the first cell of a line, counting from the start of scrollback."""
        point = self._ffi.new("GhosttyPointS*")
        point.tag = self._lib.GHOSTTY_POINT_TAG_SCREEN
        point.value.x, point.value.y = 0, y
        return point

    def _queue_reply(self, answer: bytes) -> None:
        if len(self._answers) + len(answer) <= MAX_REPLY_BYTES:
            self._answers += answer

    # --- output

    @override
    def feed(self, data: bytes) -> None:
        for at in range(0, len(data) or 1, PIECE_BYTES):
            mark = self._mark()
            self._terminal.feed(data[at : at + PIECE_BYTES])
            if self._terminal.mode(_CLUSTERS):
                self._terminal.feed(f"\x1b[?{_CLUSTERS}l")
            self._count_scrolled(mark)
        self._look()

    def _mark(self) -> Any:
        """Return a tracked reference to the last line of scrollback, valid however far it
        scrolls."""
        last = self.history_size - 1
        if last < 0 or self.in_alternate:
            return None
        point = self._place(last)
        track = self._core.union_fn(
            "ghostty_terminal_grid_ref_track",
            "GhosttyResult(*)(GhosttyTerminal, GhosttyPointS, GhosttyTrackedGridRef*)",
        )
        mark = self._ffi.new("GhosttyTrackedGridRef*")
        self._core.check(track(self._terminal._t[0], point[0], mark), "track")
        return mark

    def _count_scrolled(self, mark: Any) -> None:
        if mark is None:
            self.scrolled = max(self.scrolled, self.history_size)
            return
        place = self._ffi.new("GhosttyPointCoordinate*")
        found = self._lib.ghostty_tracked_grid_ref_point(
            mark[0], self._lib.GHOSTTY_POINT_TAG_SCREEN, place
        )
        self._lib.ghostty_tracked_grid_ref_free(mark[0])
        if not self.in_alternate:
            above = self.history_size
            self.scrolled += max(0, above - (place.y + 1 if found == 0 else 0))

    def _look(self) -> None:
        """Read the protocol's attributes from the terminal."""
        terminal = self._terminal
        self.x, self.y = terminal.cursor
        if terminal.get("cursor_pending_wrap", "bool"):
            self.x = self.columns
        self.modes = {mode for mode in KNOWN_MODES if self._is_on(mode)}
        title = terminal.get("title", "GhosttyString")
        self.title = self._ffi.buffer(title.ptr, title.len)[:].decode("utf-8", "replace")[:1024]
        self.touch(0, self.lines)

    def _is_on(self, mode: int) -> bool:
        try:
            return self._terminal.mode(mode)
        except RuntimeError:  # unknown mode
            return False

    @override
    def resize(self, columns: int, lines: int) -> None:
        self.columns, self.lines = limited(columns), limited(lines)
        self._terminal.resize(self.columns, self.lines)
        self.scrolled = max(self.scrolled, self.history_size)
        self.dirty.clear()
        self._look()

    @override
    def replies(self) -> bytes:
        answers = bytes(self._answers)
        self._answers.clear()
        return answers

    @override
    def touch(self, start: int, end: int) -> None:
        self.dirty.update(range(start, end))

    # --- reading

    @property
    @override
    def in_alternate(self) -> bool:
        return bool(self._terminal.get("active_screen", "int"))

    @property
    @override
    def history_size(self) -> int:
        return int(self._terminal.get("scrollback_rows", "size_t"))

    @override
    def row(self, index: int) -> list[Run]:
        return self._row(index).runs(self.columns)

    @override
    def text(self, index: int) -> str:
        return "".join(self._row(index).cells).rstrip(" ")

    @override
    def continues(self, index: int) -> int:
        self._refer_to(index)
        self._lib.ghostty_grid_ref_row(self._reference, self._row_number)
        self._lib.ghostty_row_get(self._row_number[0], self._lib.GHOSTTY_ROW_DATA_WRAP, self._wraps)
        if not self._wraps[0]:
            return 0
        self._reference.x = self.columns - 1
        self._lib.ghostty_grid_ref_cell(self._reference, self._cell)
        wide = self._part(self._cell[0], "WIDE", "GhosttyCellWide")
        return self.columns - (wide == self._lib.GHOSTTY_CELL_WIDE_SPACER_HEAD)

    @override
    def find(self, needle: str) -> Iterator[int]:
        folded = needle.casefold()
        for index in range(self.history_size + self.lines):
            if folded in self.text(index).casefold():
                yield index

    # --- cells

    def _row(self, index: int) -> Row:
        """Return a line, cell by cell; cells with the same number are identical."""
        reference, cell, lib = self._reference, self._cell, self._lib
        self._refer_to(index)
        known: dict[int, tuple[str, CellStyle]] = {}
        cells: list[str] = []
        styles: list[CellStyle] = []
        for x in range(self.columns):
            reference.x = x
            lib.ghostty_grid_ref_cell(reference, cell)
            number = cell[0]
            read = known.get(number)
            if read is None:
                read, repeats = self._read(number)
                if repeats:
                    known[number] = read
            cells.append(read[0])
            styles.append(read[1])
        return Row.of(cells, styles)

    def _refer_to(self, index: int) -> None:
        """Let `_reference` be the first cell of a line."""
        done = self._find(self._terminal._t[0], self._place(index)[0], self._reference)
        self._core.check(done, "cell")

    def _read(self, number: int) -> tuple[tuple[str, CellStyle], bool]:
        """Return the cell at `_reference`, and whether every cell with this number is identical."""
        lib = self._lib
        kind = self._part(number, "CONTENT_TAG", "GhosttyCellContentTag")
        if kind == lib.GHOSTTY_CELL_CONTENT_BG_COLOR_PALETTE:
            index = self._part(number, "COLOR_PALETTE", "GhosttyColorPaletteIndex")
            return (" ", background(indexed(index))), True
        if kind == lib.GHOSTTY_CELL_CONTENT_BG_COLOR_RGB:
            colour = self._part(number, "COLOR_RGB", "GhosttyColorRgb")
            return (" ", background(rgb(colour.r, colour.g, colour.b))), True
        style = self._current_style() if self._part(number, "HAS_STYLING", "bool") else PLAIN
        wide = self._part(number, "WIDE", "GhosttyCellWide")
        if wide == lib.GHOSTTY_CELL_WIDE_SPACER_TAIL:
            return ("", style), True
        char = _shown(self._part(number, "CODEPOINT", "uint32_t"))
        if kind == lib.GHOSTTY_CELL_CONTENT_CODEPOINT_GRAPHEME:
            return (char + self._combining_characters(), style), False
        return (char, style), True

    def _part(self, number: int, what: str, kind: str) -> Any:
        place = self._parts.get(what)
        if place is None:
            key = getattr(self._lib, f"GHOSTTY_CELL_DATA_{what}")
            place = self._parts[what] = (key, self._ffi.new(f"{kind}*"))
        self._lib.ghostty_cell_get(number, *place)
        return place[1][0]

    def _combining_characters(self) -> str:
        """Return the combining characters of a cell, as many as our emulator keeps."""
        length = self._ffi.new("size_t*")
        marks = self._marks
        if self._lib.ghostty_grid_ref_graphemes(self._reference, marks, len(marks), length):
            return ""  # too many
        return "".join(map(chr, marks[1 : length[0]])).translate(_UNSEEN)

    def _current_style(self) -> CellStyle:
        style = self._style
        self._lib.ghostty_grid_ref_style(self._reference, style)
        flags = (
            *(style.bold, style.italic, style.underline != 0, style.strikethrough),
            *(style.inverse, style.blink, style.faint, style.invisible),
        )
        return styled(self._colour(style.fg_color), self._colour(style.bg_color), flags)

    def _colour(self, colour: Any) -> int:
        if colour.tag == self._lib.GHOSTTY_STYLE_COLOR_PALETTE:
            return indexed(colour.value.palette)
        if colour.tag == self._lib.GHOSTTY_STYLE_COLOR_RGB:
            return rgb(colour.value.rgb.r, colour.value.rgb.g, colour.value.rgb.b)
        return 0


def _shown(code: int) -> str:
    """Return the text to show for a cell; a hidden character still takes up its space."""
    if not code:
        return " "
    return "�" if code < 32 or 0x7F <= code < 0xA0 or code in _UNSEEN else chr(code)


# --- health check

_CHECKED = (
    "plain\r\n\x1b[1;31mred\x1b[0m \x1b[38;5;200mpink\x1b[48;2;1;2;3m on dark\x1b[m\r\n"
    "漢字 e\u0301\x1b[7mX\x1b[m\x1b[3CY\x1b[44m\x1b[K\x1b[m\r\n\x1b[42m\x1b[K\x1b[m"
    "\x1b[3;20Hthere\x1b[2D\x1b[K\x1b[6n\x1b[?2004h"
) + "".join(f"\r\n\x1b[{30 + number % 8}mline {number}\x1b[m" for number in range(40))


@cache
def healthy() -> bool:
    """Return whether the native emulator is installed and its output matches ours."""
    try:
        native, ours = NativeScreen(30, 6), Screen(30, 6)
        for screen in (native, ours):
            screen.feed(_CHECKED.encode())
        return _contents(native) == _contents(ours)
    except Exception:  # noqa: BLE001 - ours is used after any failure
        return False


def _contents(screen: Terminal) -> object:
    rows = [screen.row(index) for index in range(screen.history_size + screen.lines)]
    place = (screen.x, screen.y, screen.scrolled, 2004 in screen.modes)
    return rows, place, screen.replies()
