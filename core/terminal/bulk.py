"""The bulk lane: whole lines of text and colours go to scrollback as they came.

Most output is lines that are printed at the bottom and scroll away. Where a line begins on the
blank bottom row and fits in it, nothing of what it does to the screen depends on cells: it is kept
as raw text and read when somebody looks at it. All else goes token by token; the result is the same
to the last cell (tests compare the two).
"""

from __future__ import annotations

from .cells import (
    JOINS_BADLY,
    LONGEST_CELL,
    MAY_JOIN,
    NOT_ONE_WIDE,
    look_after,
    shown,
    width_of,
)
from .graphics import BACKGROUND, sequence_of
from .parser import MANY_LINES, SGR, SOME_LINES, STRETCH, Parser
from .redraws import without_redraws
from .sequences import Commands

PATIENCE = 2
"""Stretches after which the lane is tried again where it was of little use."""


class Bulk(Commands):
    """Takes lines by the thousand.

    Attributes:
        parser: takes the lines that do not fit, token by token.
        expects_lines: whether all lines of the last block could be taken.
        use_lanes: off in tests that compare.
    """

    parser: Parser
    use_lanes: bool = True
    _patience: int = 0
    expects_lines: bool = False

    def condensed(self, text: str) -> str:
        """Shorter output after which the screen is the same."""
        return without_redraws(text, self.columns) if self.use_lanes else text

    def take_lines(self, text: str, at: int) -> int:
        """Take whole lines; how many characters that were, 0 when it cannot be done.

        How many are looked for depends on whether the last ones could all be taken, so that no
        line is looked at many times (time stays linear whatever the lines).
        """
        if self.y != self.bottom:
            return 0
        if self._patience:
            self._patience -= 1
            return 0
        if not self._can_take_lines():
            return 0
        match = (MANY_LINES if self.expects_lines else SOME_LINES).match(text, at)
        if match is None:
            self.expects_lines &= len(text) - at < STRETCH  # the rest may be in the next piece
            return 0
        block = match[0]
        lines = block.split("\r\n")
        lines.pop()
        done = self._take(block, lines)
        self.expects_lines = done == len(lines)
        if self.expects_lines:
            return len(block)
        self._patience = PATIENCE
        return sum(map(len, lines[:done])) + 2 * done

    def _can_take_lines(self) -> bool:
        return (
            not self.x
            and self.use_lanes
            and self.plain
            and self.wraps
            and self.top == 0
            and self.bottom == self.lines - 1 > 0
            and not self.look & BACKGROUND
            and self.rows[-1].is_blank(self.columns)
        )

    def _take(self, block: str, lines: list[str]) -> int:
        """Take lines, those that do not fit token by token; how many before it had to stop."""
        odd = not block.isascii() and NOT_ONE_WIDE(block) is not None
        joins = False
        if odd and MAY_JOIN(block):
            lines = shown(block).split("\r\n")[:-1]
            joins = JOINS_BADLY(block) is not None
        elif not odd and "\x1b" not in block and not self.look:
            return self._take_plain(lines)
        done = 0
        while done < len(lines):
            done += self._take_fitting(lines[done:] if done else lines, odd, joins)
            if done < len(lines):
                line = f"{lines[done]}\r\n"
                self.parser.pairs(line, 0, len(line))
                done += 1
                if self.y != self.bottom or not self._can_take_lines():
                    break
        return done

    def _take_plain(self, lines: list[str]) -> int:
        """Lines of one-wide characters in the default look; long ones are folded."""
        columns, count = self.columns, len(lines)
        if len(max(lines, key=len)) > columns:
            lines = [
                line[at : at + columns]
                for line in lines
                for at in range(0, len(line) or 1, columns)
            ]
        self.scroll_in(lines)
        self.printed = next(filter(None, reversed(lines)), self.printed)
        return count

    def _take_fitting(self, lines: list[str], odd: bool, joins: bool) -> int:
        """Take the lines up to the first that does not fit; how many."""
        columns, look = self.columns, self.look
        taken: list[str] = []
        for line in lines:
            styled = "\x1b" in line
            if joins or len(line) << odd > columns:  # it may not fit: measure
                plain = SGR.sub("", line) if styled else line
                if not (self._fits(plain) if odd else len(plain) <= columns):
                    break
            after = look_after(line, look) if styled else look
            if after & BACKGROUND:
                break
            taken.append(sequence_of(look) + line if look and line else line)
            look = after
        if taken:
            self.look = look
            self.scroll_in(taken)
            printed = (SGR.sub("", line) for line in reversed(lines[: len(taken)]))
            self.printed = next(filter(None, printed), self.printed)
        return len(taken)

    def _fits(self, plain: str) -> bool:
        """Whether a line fits and cells would hold all of it."""
        widths = list(map(width_of, plain))
        joined = widths.count(0)
        fits = sum(widths) <= self.columns
        return fits and (not joined or (joined < LONGEST_CELL - 1 and widths[0] > 0))
