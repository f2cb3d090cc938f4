"""The emulator: a `pyte.Screen` with a parser and rows of its own, safe on any input and fast.

pyte's face is kept (`buffer`, `display`, `cursor`, `dirty`); what it lacks is here: the alternate
screen, SU/SD, REP, sub-parameters, strings, background colour erase, wide characters at the edge.
Whole lines of text and colours take a lane of their own into scrollback and are parsed when they
are looked at (`_take_lines`); everything else goes token by token.
"""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterator

import pyte
from pyte.screens import Char, Cursor

from .attributes import DEFAULT, Attributes, select
from .commands import Commands
from .keyframe import from_keyframe, to_keyframe
from .rows import Kept, Row, Run, kept_runs, kept_text, width_of
from .tokens import LINES, MAYBE_NOT_ONE_WIDE, SGR, TOKEN

SCROLLBACK = 100_000


class Screen(Commands, pyte.Screen):
    """See `base.Terminal`.

    Args:
        columns, lines: size in cells.
        scrollback: lines kept of what scrolled off the top.

    Attributes:
        decoder, tail: what was fed and could not be taken in yet: bytes of a character, a sequence.
        use_lanes: whether whole lines may take their own lane (off: for comparison in tests).
    """

    def __init__(self, columns: int, lines: int, scrollback: int = SCROLLBACK) -> None:
        self.columns, self.lines = max(1, columns), max(1, lines)
        self.history: deque[Kept] = deque(maxlen=scrollback)
        self.scrolled = 0
        self.dirty: set[int] = set()
        self.answers: list[str] = []
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.tail = ""
        self.use_lanes = True
        self.reset()

    # --- input

    def feed(self, data: bytes) -> None:
        """See `Terminal.feed`."""
        text = self.tail + self.decoder.decode(data)
        self.tail = ""
        if text.endswith("\r"):  # it may be the first half of a CR LF
            text, self.tail = text[:-1], "\r"
        at = 0
        while at < len(text):
            taken = self._take_lines(text, at) if self.x == 0 and self.y == self.bottom else 0
            at = at + taken if taken else self._take_tokens(text, at)

    def _take_tokens(self, text: str, at: int) -> int:
        """Take tokens until there may be whole lines again; where to go on."""
        newlines = 0
        for match in TOKEN.finditer(text, at):
            kind = match.lastgroup
            if kind == "text":
                self.write(match[0])
            elif kind == "sgr":
                parameters = match["sgr"]
                self.look = select(self.look, parameters) if parameters else DEFAULT
            elif kind == "newline":
                self.x = 0
                self.line_feed()
                newlines += 1
                if newlines > 2 and self.y == self.bottom:
                    newlines = -8  # look again after a while, not at every line
                    if self.use_lanes and LINES.match(text, match.end()):
                        return match.end()
            elif kind == "final":
                self.control_sequence(
                    match["private"], match["parameters"], match["intermediate"], match["final"]
                )
            elif kind == "control":
                self.control(match[0])
            elif kind == "escape":
                self.escape(match["between"], match["escape"])
            elif kind == "osc":
                self.operating_system_command(match["osc"])
            elif kind == "unfinished":
                self.tail = match[0] + self.tail
                return len(text)
        return len(text)

    def _take_lines(self, text: str, at: int) -> int:
        """Take whole lines straight into scrollback and screen; how many characters that were.

        Lossless: only where each line would begin on the blank bottom row and fit in it.
        """
        if not self.use_lanes or not self._can_take_lines():
            return 0
        match = LINES.match(text, at)
        if match is None:
            return 0
        lines = match[0].split("\r\n")
        lines.pop()
        taken, look = self._fitting(lines)
        if not taken:
            return 0
        count = len(taken)
        self._push(taken)
        self.look = look
        return sum(len(line) for line in lines[:count]) + 2 * count

    def _can_take_lines(self) -> bool:
        if not (self.x == 0 and self.y == self.bottom == self.lines - 1 and self.top == 0):
            return False
        if not self.wraps or self.inserts or self.draws_lines or self.lines < 2:
            return False
        if self.look.bg != "default":
            return False
        last = self.rows[-1]
        if last.raw is not None:
            return False
        blank = last.cells.count(" ") == self.columns
        return blank and last.looks.count(DEFAULT) == self.columns

    def _fitting(self, lines: list[str]) -> tuple[list[tuple[str, Attributes]], Attributes]:
        """The lines up to the first that does not fit a row, each with the look it begins in."""
        look = self.look
        taken: list[tuple[str, Attributes]] = []
        for line in lines:
            plain = SGR.sub("", line) if "\x1b" in line else line
            odd = not plain.isascii() and MAYBE_NOT_ONE_WIDE(plain)
            width = sum(map(width_of, plain)) if odd else len(plain)
            if width > self.columns or (odd and width_of(plain[0]) < 1):
                break
            after = self._after(line, look)
            if after.bg != "default":
                break
            taken.append((line, look))
            look = after
        return taken, look

    @staticmethod
    def _after(line: str, look: Attributes) -> Attributes:
        """The look after a line's SGR sequences."""
        if "\x1b" in line:
            for parameters in SGR.findall(line):
                look = select(look, parameters) if parameters else DEFAULT
        return look

    def _push(self, taken: list[tuple[str, Attributes]]) -> None:
        """Scroll by whole lines that begin at the blank bottom row."""
        count, height, old = len(taken), self.lines, self.rows
        leaving = min(count, height - 1)
        if self.alternate is None:
            self.history.extend(row.kept() for row in old[:leaving])
            if count > height - 1:
                self.history.extend(
                    line if look is DEFAULT else (line, look) for line, look in taken[: 1 - height]
                )
            self.scrolled += count
        staying = [Row.unread(line, look) for line, look in taken[1 - height :]]
        self.rows = [*old[leaving : height - 1], *staying, Row.blank(self.columns)]
        printed = (SGR.sub("", line) for line, _ in reversed(taken))
        self.last = next((plain for plain in printed if plain), self.last)[-1]
        self.dirty.update(range(height))

    # --- output

    @property
    def in_alternate(self) -> bool:
        """See `Terminal`."""
        return self.alternate is not None

    @property
    def history_size(self) -> int:
        """See `Terminal`."""
        return len(self.history)

    def row(self, index: int) -> list[Run]:
        """See `Terminal.row`."""
        above = len(self.history)
        if index < above:
            return kept_runs(self.history[index], self.columns)
        return self.rows[index - above].runs(self.columns)

    def text(self, index: int) -> str:
        """See `Terminal.text`."""
        above = len(self.history)
        if index < above:
            return kept_text(self.history[index])
        return "".join(self.rows[index - above].read(self.columns).cells).rstrip()

    def find(self, needle: str) -> Iterator[int]:
        """Indexes of the lines that hold `needle`, whatever the case."""
        wanted = needle.lower()
        for index, kept in enumerate(self.history):
            if wanted in kept_text(kept).lower():
                yield index
        for number in range(self.lines):
            index = len(self.history) + number
            if wanted in self.text(index).lower():
                yield index

    def replies(self) -> bytes:
        """See `Terminal.replies`."""
        data = "".join(self.answers).encode()
        self.answers.clear()
        return data

    # --- pyte's face

    @property
    def display(self) -> list[str]:
        """The screen as lines of text."""
        return ["".join(row.read(self.columns).cells) for row in self.rows]

    @property
    def buffer(self) -> list[list[Char]]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The screen as pyte's characters."""
        return [
            [Char(cell, *look[:8]) for cell, look in zip(row.cells, row.looks, strict=True)]
            for row in (row.read(self.columns) for row in self.rows)
        ]

    @property
    def cursor(self) -> Cursor:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The cursor as pyte has it."""
        cursor = Cursor(self.x, self.y)
        cursor.hidden = 25 not in self.modes
        return cursor

    # --- the whole state

    def keyframe(self) -> bytes:
        """See `Terminal.keyframe`."""
        return to_keyframe(self)

    def restore(self, keyframe: bytes) -> None:
        """See `Terminal.restore`."""
        from_keyframe(self, keyframe)

    # --- size

    def resize(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, columns: int, lines: int
    ) -> None:
        """See `Terminal.resize`."""
        columns, lines = max(1, columns), max(1, lines)
        if (columns, lines) == (self.columns, self.lines):
            return
        for rows in (self.rows, *([self.alternate] if self.alternate is not None else [])):
            for row in rows:
                row.read(self.columns).fit(columns)
        self.columns = columns
        self._resize_height(lines)
        self.lines, self.top, self.bottom = lines, 0, lines - 1
        self.x, self.y = min(self.x, columns - 1), min(max(self.y, 0), lines - 1)
        self.tab_stops = {stop for stop in self.tab_stops if stop < columns} | set(
            range(8, columns, 8)
        )
        self.dirty = set(range(lines))

    def _resize_height(self, lines: int) -> None:
        for rows in (self.rows, *([self.alternate] if self.alternate is not None else [])):
            while len(rows) < lines:
                rows.append(Row.blank(self.columns))
        excess = len(self.rows) - lines
        if excess <= 0:
            return
        below = self.lines - 1 - self.y  # empty rows under the cursor go first
        gone = max(0, excess - below)
        if self.alternate is None:
            self.history.extend(row.kept() for row in self.rows[:gone])
            self.scrolled += gone
        else:
            del self.alternate[lines:]
        self.rows = self.rows[gone : gone + lines]
        self.y -= gone
