"""Writes the mirror: what the model and the person run, and what comes of it, as terminal bytes."""

from __future__ import annotations

import re
from typing import Literal

from ..sandboxes.base import Stream
from ..text import clean_line

Who = Literal["model", "you"]

SHOWN_LINES = 12
"""Lines of a command that are shown; here-documents can be long."""

_COLOURS: dict[Who, str] = {"model": "35", "you": "33"}
LONGEST_LINE = 500
"""Characters of a command's line that are shown."""

_RESET = b"\x1b7\x1b[?1049l\x1b[!p\x1b[?1;1000;1002;1003;1006;2004;2026l"
"""Undoes what a program may have left behind: the other screen; colours, charset, margins, insert
and origin mode, a hidden cursor (DECSTR, which leaves the cursor where it is); keys, mouse, frames.
Its first byte also breaks off a string that never ended. Leaving the other screen takes the cursor
to where it was saved, even if one was not there: so it is saved first, which each screen does for
itself."""

_SEQUENCES = re.compile(rb"\x1b(?:\[[ -?]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\-~])")
"""What prints nothing; enough to tell whether anything was printed after the last newline."""


class Console:
    """Turns commands and their output into bytes for one terminal.

    It remembers only whether the cursor is at the beginning of a line, and whether a CR came last.
    Output keeps its own colours: standard output and error are not told apart, as on a terminal.
    """

    def __init__(self) -> None:
        self._at_start = True
        self._after_cr = False

    def prompt(self, who: Who, command: str) -> bytes:
        """The line that says who runs what."""
        lines = command.rstrip("\n").split("\n")
        shown = [_shown(line) for line in lines[:SHOWN_LINES]]
        text = f"\x1b[1;{_COLOURS[who]}m{who:<5}\x1b[0;2m ❯\x1b[0m {shown[0]}\r\n"
        text += "".join(f"      \x1b[2m│\x1b[0m {line}\r\n" for line in shown[1:])
        if len(lines) > SHOWN_LINES:
            text += f"      \x1b[2m… +{len(lines) - SHOWN_LINES} lines\x1b[0m\r\n"
        return self._fresh_line() + text.encode()

    def output(self, stream: Stream, data: bytes) -> bytes:
        """Output as a terminal wants it: a bare newline also returns to the first column."""
        if not data:
            return b""
        first_is_bare = data.startswith(b"\n") and not self._after_cr
        text = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        if data.startswith(b"\n") and not first_is_bare:
            text = text[1:]  # the CR before this newline has been written already
        self._after_cr = data.endswith(b"\r")
        printed = _SEQUENCES.sub(b"", data[-4096:])
        if printed:
            self._at_start = printed.endswith(b"\n")
        return text

    def finished(
        self,
        *,
        exit_code: int | None,
        duration: float,
        timed_out: bool = False,
        interrupted: bool = False,
    ) -> bytes:
        """What stands below a command that did not end well; nothing below one that did."""
        if timed_out:
            words = f"timed out after {duration:.1f} s"
        elif interrupted:
            words = "interrupted"
        elif exit_code:
            words = f"exit {exit_code} · {duration:.1f} s"
        else:
            return b""
        start = self._fresh_line()
        self._at_start = True
        return start + f"\x1b[31m✗\x1b[0;2m {words}\x1b[0m\r\n".encode()

    def remark(self, words: str) -> bytes:
        """A line of the program's own; whatever was on the line before stays above it."""
        self._at_start = False  # nothing is known of the program that wrote before
        return self._fresh_line() + f"\x1b[2m· {words}\x1b[0m\r\n".encode()

    def _fresh_line(self) -> bytes:
        start = b"" if self._at_start else b"\r\n"
        self._at_start, self._after_cr = True, False
        return _RESET + start


def _shown(line: str) -> str:
    line = clean_line(line.expandtabs(4))
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"
