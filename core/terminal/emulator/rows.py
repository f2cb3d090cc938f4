"""Lines of a screen: two lists of cells and styles, or raw text that has not been parsed yet."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from operator import ne

from wcwidth import wcwidth

from sandbox_tui.core.base.sanitize import INVISIBLE
from sandbox_tui.core.terminal.emulator.parser import SGR
from sandbox_tui.core.terminal.emulator.sgr import (
    PLAIN,
    Attributes,
    CellStyle,
    attributes_of,
    select,
    sequence_of,
)

Run = tuple[str, Attributes]
"""Text with one style."""

MAX_CELL_CHARS = 16
"""Maximum characters of one cell: a base character and its combining characters."""

MAX_RAW_CHARS = 512
"""Maximum length of a raw row, including sequences, for appending text to it."""

UNKNOWN, NEVER = -1, -2
"""Special widths of raw text: not measured yet; contains wide text."""

_NOT_ONE_WIDE = (
    "[\u00ad\u0300-\u036f\u0483-\u0489\u0590-\u07ff\u0816-\u109f\u1100-\u11ff\u135d-\u135f"
    "\u1700-\u18ff\u1920-\u1cff\u1dc0-\u1dff\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u20d0-\u20f0\u231a-\u231b\u2329-\u232a\u23e9-\u23f3"
    "\u25fd-\u25fe\u2614-\u2615\u2630-\u2637\u2648-\u2653\u267f\u268a-\u268f\u2693\u26a1"
    "\u26aa-\u26ab\u26bd-\u26be\u26c4-\u26c5\u26ce\u26d4\u26ea\u26f2-\u26f5\u26fa\u26fd"
    "\u2705-\u270b\u2728\u274c-\u2757\u2795-\u2797\u27b0\u27bf\u2b1b-\u2b55\u2cef-\u2cf1"
    "\u2d7f\u2de0-\u2dff\u2e80-\ua4cf\ua66f-\uabff\uac00-\ud7ff\uf900-\uffff\U00010000-\U0010ffff]"
)
_NEVER_JOINS = (
    "[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\ua48c\uac00-\ud7a3\uff01-\uff60"
    "\U0001f000-\U0001f3fa\U0001f400-\U0001faff\U00020000-\U0002fffd]"
)
NOT_ONE_WIDE = re.compile(_NOT_ONE_WIDE).search
"""Finds characters that may be wider or narrower than one cell; all others are one cell wide."""

MAY_JOIN = re.compile(f"(?!{_NEVER_JOINS}){_NOT_ONE_WIDE}").search
"""Finds characters that may have zero width or be hidden; all others fill cells."""

JOINS_BADLY = re.compile(
    rf"(?:\A|\n)(?>(?:{SGR.pattern})*)(?!{_NEVER_JOINS}){_NOT_ONE_WIDE}"
    rf"|(?:(?!{_NEVER_JOINS}){_NOT_ONE_WIDE}){{{MAX_CELL_CHARS - 1}}}"
).search
"""Finds lines that may start with a zero-width character, or overfill a cell."""

_HIDDEN = re.compile(f"[{INVISIBLE}]")
_TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
width_of = lru_cache(65_536)(wcwidth)


def shown(text: str) -> str:
    """Return the text without invisible characters; those that change its direction become �.

    They can hide or reorder text, here or on the terminal this program runs in (Unicode TR 9 and
    36).
    """
    if _HIDDEN.search(text):
        text = _HIDDEN.sub("", _TURNS.sub("�", text))
    return text


class Row:
    """A line of the screen.

    A wide character fills two cells, the second of which is the empty string. Text printed from
    left to right stays raw until the row changes in another way.

    Attributes:
        cells, styles: valid while `raw` is None.
        raw: text and SGR sequences no wider than the screen; the rest of the line is blank.
        style: the style at the start of `raw`.
        fill: the style of the blanks after `raw`.
        continues: number of its cells if its line continues in the next row; otherwise 0.
    """

    __slots__ = ("_end", "_last", "cells", "continues", "fill", "raw", "style", "styles")

    cells: list[str]
    styles: list[CellStyle]

    def __init__(
        self, raw: str | None = "", style: CellStyle = PLAIN, fill: CellStyle = PLAIN
    ) -> None:
        self.raw = raw
        self.style = style
        self.fill = fill
        self.continues = 0
        self._end = 0 if raw == "" else UNKNOWN
        self._last = style

    @classmethod
    def of(cls, cells: list[str], styles: list[CellStyle]) -> Row:
        """Return a line consisting of these cells."""
        row = cls(None)
        row.cells, row.styles = cells, styles
        return row

    def clear(self, fill: CellStyle) -> None:
        """Blank the whole line."""
        self.raw, self.style, self.fill, self.continues = "", PLAIN, fill, 0
        self._end, self._last = 0, PLAIN

    def print_after(self, x: int, text: str, style: CellStyle) -> bool:
        """Append narrow text at `x` if the row is blank from there; returns whether it was.

        Declines for rows with cells, and for long ones with many sequences: appending to those
        costs more than it saves.
        """
        raw = self.raw
        if raw is None or len(raw) > MAX_RAW_CHARS:
            return False
        end = self._end if self._end >= 0 else self._measured(raw)
        if end > x or end == NEVER:
            return False
        if end < x:
            if self._last != self.fill:
                if raw:
                    raw += sequence_of(self.fill)
                else:
                    self.style = self.fill
                self._last = self.fill
            raw += " " * (x - end)
        if self._last != style:
            if raw:
                raw += sequence_of(style)
            else:
                self.style = style
            self._last = style
        self.raw = raw + text
        self._end = x + len(text)
        return True

    def is_blank_from(self, x: int, fill: CellStyle) -> bool:
        """Return whether the line is known to contain nothing but `fill` from `x` on."""
        raw = self.raw
        if raw is None or fill != self.fill:
            return False
        end = self._end if self._end >= 0 else self._measured(raw)
        return 0 <= end <= x

    def _measured(self, raw: str) -> int:
        """Return the number of cells that raw text fills; `NEVER` for wide text, which cannot
        grow."""
        if self._end == UNKNOWN:
            styled = "\x1b" in raw
            plain = SGR.sub("", raw) if styled else raw
            odd = not plain.isascii() and NOT_ONE_WIDE(plain)
            self._end = NEVER if odd else len(plain)
            self._last = style_after(raw, self.style) if styled else self.style
        return self._end

    def read(self, columns: int) -> Row:
        """Convert the row to cells, and return it."""
        if self.raw is not None:
            self.cells, self.styles = cells_of(self.raw, self.style)
            missing = columns - len(self.cells)
            self.cells += [" "] * missing
            self.styles += [self.fill] * missing
            self.raw = None
        return self

    def fit(self, columns: int, before: int) -> None:
        """Cut or extend a row of `before` columns to another width."""
        cells, styles = self.read(before).cells, self.styles
        self.continues = 0
        if columns >= before:
            cells += [" "] * (columns - before)
            styles += [PLAIN] * (columns - before)
            return
        if cells[columns] == "" and columns:
            cells[columns - 1] = " "
        del cells[columns:]
        del styles[columns:]

    def divided(self, columns: int, before: int, cursor: int = 0) -> tuple[list[int], list[Row]]:
        """Divide a row of `before` columns into rows of `columns`, which hold all its text.

        Args:
            columns, before: widths.
            cursor: a cell up to which blanks are kept, too.

        Returns:
            The cell at which each part starts, and the parts.
        """
        is_padded = columns > before and bool(self.fill)
        is_raw = self.raw is not None and not is_padded and cursor <= columns
        if is_raw and 0 <= self._measured(self.raw or "") <= columns:
            self.continues = 0
            return [0], [self]
        cells, styles = self.read(before).cells, self.styles
        end = before
        while end > cursor and cells[end - 1] == " ":
            end -= 1
        starts = [0]
        while (start := _next_start(cells, starts[-1], columns)) < end:
            starts.append(start)
        parts = [
            Row.of(cells[start:stop][:columns], styles[start:stop][:columns])
            for start, stop in zip(starts, [*starts[1:], before], strict=True)
        ]
        for part in parts:
            part.fit(columns, len(part.cells))
        for part, start, after in zip(parts, starts, starts[1:], strict=False):
            part.continues = min(after - start, columns)
        return starts, parts

    def is_blank(self, columns: int) -> bool:
        """Return whether the row is empty, in the default style."""
        if self.raw is not None:
            return not self.raw and not self.fill
        return self.cells.count(" ") == columns and self.styles.count(PLAIN) == columns

    def runs(self, columns: int) -> list[Run]:
        """Return the line as runs, without trailing default blanks."""
        if self.raw is not None and not self.fill:
            return raw_runs(self.raw, self.style)
        self.read(columns)
        return _named(runs_of(self.cells, self.styles))

    def as_raw(self, columns: int) -> str:
        """Convert the line to text and SGR sequences, starting in the default style."""
        raw = self.raw
        if raw is not None and not self.fill:
            return sequence_of(self.style) + raw if self.style and raw else raw
        styles = self.read(columns).styles
        if not styles[0] and styles.count(PLAIN) == len(styles):
            return "".join(self.cells).rstrip(" ")
        return raw_of(runs_of(self.cells, styles))


def _next_start(cells: list[str], start: int, columns: int) -> int:
    """Return the cell after the `columns` cells from `start`; wide characters stay whole, except on
    a screen of one column, where they fill one cell."""
    after = start + columns
    if after < len(cells) and cells[after] == "":
        return after - 1 if columns > 1 else after + 1
    return after


def raw_of(runs: list[tuple[str, CellStyle]]) -> str:
    """Convert runs to text and SGR sequences, starting in the default style."""
    parts: list[str] = []
    last = PLAIN
    for text, style in runs:
        if style != last:
            parts.append(sequence_of(style))
            last = style
        parts.append(text)
    return "".join(parts)


def tidied(raw: str) -> str:
    """Return the canonical form of a line, the same for all lines that look alike."""
    if "\x1b" not in raw:
        return raw.rstrip(" ")
    cells, styles = cells_of(raw, PLAIN)
    return raw_of(runs_of(cells, styles)) if cells else ""


def style_after(raw: str, style: CellStyle) -> CellStyle:
    """Return the style after a line's SGR sequences; those before a reset are skipped."""
    at = max(raw.rfind("\x1b[0m"), raw.rfind("\x1b[m"))
    if at >= 0:
        style = PLAIN
        if raw.find("\x1b", at + 1) < 0:
            return style
    for parameters in SGR.findall(raw, max(at, 0)):
        style = select(style, parameters)
    return style


def cells_of(raw: str, style: CellStyle) -> tuple[list[str], list[CellStyle]]:
    """Convert a line of text and SGR sequences to cells and styles."""
    if "\x1b" not in raw and (raw.isascii() or not NOT_ONE_WIDE(raw)):
        return list(raw), [style] * len(raw)
    cells: list[str] = []
    styles: list[CellStyle] = []
    for number, part in enumerate(SGR.split(raw)):
        if number & 1:
            style = select(style, part)
        elif part.isascii() or not NOT_ONE_WIDE(part):
            cells += part
            styles += [style] * len(part)
        else:
            _add_wide(part, style, cells, styles)
    return cells, styles


def _add_wide(text: str, style: CellStyle, cells: list[str], styles: list[CellStyle]) -> None:
    for char in text:
        width = width_of(char)
        if width == 2:
            cells += (char, "")
            styles += (style, style)
        elif width == 1:
            cells.append(char)
            styles.append(style)
        elif cells:
            combine(cells, len(cells) - 1, char)


def combine(cells: list[str], at: int, char: str) -> None:
    """Add a zero-width character to the preceding cell."""
    if cells[at] == "" and at:
        at -= 1
    if len(cells[at]) < MAX_CELL_CHARS:
        cells[at] += char


def runs_of(cells: list[str], styles: list[CellStyle]) -> list[tuple[str, CellStyle]]:
    """Convert cells to runs, without trailing default blanks."""
    count = len(styles)
    if styles[0] == styles[-1] and styles.count(styles[0]) == count:
        return _trimmed([("".join(cells), styles[0])])
    changes = list(map(ne, styles, islice(styles, 1, None)))
    runs: list[tuple[str, CellStyle]] = []
    start = 0
    for _ in range(changes.count(True)):
        end = changes.index(True, start) + 1
        runs.append(("".join(cells[start:end]), styles[start]))
        start = end
    runs.append(("".join(cells[start:]), styles[start]))
    return _trimmed(runs)


def raw_runs(raw: str, style: CellStyle) -> list[Run]:
    """Return runs of text and SGR sequences that start in `style`."""
    if "\x1b" not in raw and (raw.isascii() or not NOT_ONE_WIDE(raw)):
        return _named(_trimmed([(raw, style)])) if raw else []
    if not raw.isascii() and NOT_ONE_WIDE(raw):
        cells, styles = cells_of(raw, style)
        return _named(runs_of(cells, styles)) if cells else []
    runs: list[tuple[str, CellStyle]] = []
    for number, part in enumerate(SGR.split(raw)):
        if number & 1:
            style = select(style, part)
        elif part:
            if runs and runs[-1][1] == style:
                part = runs.pop()[0] + part
            runs.append((part, style))
    return _named(_trimmed(runs))


def _trimmed(runs: list[tuple[str, CellStyle]]) -> list[tuple[str, CellStyle]]:
    if runs and not runs[-1][1]:
        text = runs.pop()[0].rstrip(" ")
        if text:
            runs.append((text, PLAIN))
    return runs


def _named(runs: list[tuple[str, CellStyle]]) -> list[Run]:
    return [(text, attributes_of(style)) for text, style in runs]
