"""The fast path: whole lines of text and colours go to scrollback in their raw form.

Most output is lines that are printed at the bottom and scroll away. A line that starts on the blank
bottom row and fits in it does not depend on any cell: it is stored as raw text and parsed when it
is read. All other output is processed token by token; the result is identical (tests compare the
two).
"""

from __future__ import annotations

from sandbox_tui.core.terminal.emulator.parser import (
    MANY_LINES,
    SGR,
    SOME_LINES,
    STRETCH_CHARS,
    Parser,
)
from sandbox_tui.core.terminal.emulator.progress_bars import without_redraws
from sandbox_tui.core.terminal.emulator.rows import (
    JOINS_BADLY,
    MAX_CELL_CHARS,
    MAY_JOIN,
    NOT_ONE_WIDE,
    shown,
    style_after,
    width_of,
)
from sandbox_tui.core.terminal.emulator.sequences import Commands
from sandbox_tui.core.terminal.emulator.sgr import BACKGROUND, sequence_of

STRETCHES_BEFORE_RETRY = 2
"""Number of stretches that skip the fast path after it did not apply."""


class FastPath(Commands):
    """Processes thousands of lines at once.

    Attributes:
        parser: processes the lines that do not fit, token by token.
        expects_lines: whether all lines of the last block fitted.
        is_fast: False in tests that compare with the slow path.
    """

    parser: Parser
    is_fast: bool = True
    _stretches_to_skip: int = 0
    expects_lines: bool = False

    def without_redraws(self, text: str) -> str:
        """Return shorter output with the same effect on the screen."""
        return without_redraws(text, self.columns) if self.is_fast else text

    def take_lines(self, text: str, at: int) -> int:
        """Process whole lines; returns the number of characters, 0 if they do not fit.

        How many lines it looks for depends on whether all previous ones fitted, so that no line is
        searched many times: time stays linear in the input.
        """
        if self.y != self.bottom:
            return 0
        if self._stretches_to_skip:
            self._stretches_to_skip -= 1
            return 0
        if not self._can_take_lines():
            return 0
        match = (MANY_LINES if self.expects_lines else SOME_LINES).match(text, at)
        if match is None:
            self.expects_lines &= (
                len(text) - at < STRETCH_CHARS
            )  # the rest may be in the next piece
            return 0
        block = match[0]
        lines = block.split("\r\n")
        lines.pop()
        done = self._take(block, lines)
        self.expects_lines = done == len(lines)
        if self.expects_lines:
            return len(block)
        self._stretches_to_skip = STRETCHES_BEFORE_RETRY
        return sum(map(len, lines[:done])) + 2 * done

    def _can_take_lines(self) -> bool:
        return (
            not self.x
            and self.is_fast
            and self.plain
            and self.wraps
            and self.top == 0
            and self.bottom == self.lines - 1 > 0
            and not self.style & BACKGROUND
            and self.rows[-1].is_blank(self.columns)
        )

    def _take(self, block: str, lines: list[str]) -> int:
        """Process lines, token by token if they do not fit; returns how many before it stopped."""
        irregular = not block.isascii() and NOT_ONE_WIDE(block) is not None
        joins = False
        if irregular and MAY_JOIN(block):
            lines = shown(block).split("\r\n")[:-1]
            joins = JOINS_BADLY(block) is not None
        elif not irregular and "\x1b" not in block and not self.style:
            return self._take_plain(lines)
        done = 0
        while done < len(lines):
            done += self._take_fitting(lines[done:] if done else lines, irregular, joins)
            if done < len(lines):
                line = f"{lines[done]}\r\n"
                self.parser.pairs(line, 0, len(line))
                done += 1
                if self.y != self.bottom or not self._can_take_lines():
                    break
        return done

    def _take_plain(self, lines: list[str]) -> int:
        """Process lines of one-wide characters in the default style, wrapping long ones."""
        columns, count = self.columns, len(lines)
        if len(max(lines, key=len)) > columns:
            parts = [(line, at) for line in lines for at in range(0, len(line) or 1, columns)]
            lines = [line[at : at + columns] for line, at in parts]
            self.scroll_in(lines, [at + columns < len(line) for line, at in parts])
        else:
            self.scroll_in(lines)
        self.printed = next(filter(None, reversed(lines)), self.printed)
        return count

    def _take_fitting(self, lines: list[str], irregular: bool, joins: bool) -> int:
        """Process the lines up to the first that does not fit; returns their number."""
        columns, style = self.columns, self.style
        taken: list[str] = []
        for line in lines:
            styled = "\x1b" in line
            if joins or len(line) << irregular > columns:  # may not fit: measure it
                plain = SGR.sub("", line) if styled else line
                if not (self._fits(plain) if irregular else len(plain) <= columns):
                    break
            after = style_after(line, style) if styled else style
            if after & BACKGROUND:
                break
            taken.append(sequence_of(style) + line if style and line else line)
            style = after
        if taken:
            self.style = style
            self.scroll_in(taken)
            printed = (SGR.sub("", line) for line in reversed(lines[: len(taken)]))
            self.printed = next(filter(None, printed), self.printed)
        return len(taken)

    def _fits(self, plain: str) -> bool:
        """Return whether a line fits the screen, and its characters fit the cells."""
        widths = list(map(width_of, plain))
        joined = widths.count(0)
        fits = sum(widths) <= self.columns
        return fits and (not joined or (joined < MAX_CELL_CHARS - 1 and widths[0] > 0))
