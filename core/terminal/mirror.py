"""The mirror: commands of the model and the user, with their output, as terminal bytes."""

from __future__ import annotations

import re
from typing import Literal

from sandbox_tui.core.base.cut_text import cut_text
from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.io_types import Stream
from sandbox_tui.core.base.sanitize import sanitize_line

Who = Literal["model", "you"]

MAX_COMMAND_LINES = 12
"""Maximum number of lines shown of a command; here-documents can be long."""

_COLOURS: dict[Who, str] = {"model": "35", "you": "33"}
MAX_LINE_CHARS = 500
"""Maximum number of characters shown per line of a command."""

_RESET = b"\x1b7\x1b[?1049l\x1b[!p\x1b[?1;1000;1002;1003;1006;2004;2026l"
"""Resets what a program may have left behind: the alternate screen; colours, charset, margins,
insert and origin mode, a hidden cursor (DECSTR, which does not move the cursor); keys, mouse,
frames. Its first byte also cancels an unterminated string. Leaving the alternate screen restores
the saved cursor, even if the main screen is already shown: so the cursor is saved first, which each
screen does separately."""

SEQUENCES = re.compile(rb"\x1b(?:\[[ -?]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\-~])")
"""Sequences that print nothing; sufficient to tell whether the last line is empty."""

_PROMPT_LINE = re.compile(
    rb"\x1b\[1;3[35]m(?:model|you  )\x1b\[0;2m | {6}\x1b\[2m(?:\xe2\x94\x82|\xe2\x80\xa6)"
)
"""What `MirrorWriter.prompt` begins its lines with: who runs the command, `│` or `…`."""


def is_prompt_line(line: bytes) -> bool:
    """Return whether a line of the mirror names the command, and is not its output."""
    return _PROMPT_LINE.search(line) is not None


class MirrorWriter:
    """Converts commands and their output into bytes for one terminal.

    Its only state is whether the cursor is at the start of a line, and whether a CR came last.
    Standard output and error look the same, as on a terminal; output keeps its own colours.
    """

    def __init__(self) -> None:
        self._at_start = True
        self._after_cr = False

    def prompt(self, who: Who, command: str) -> bytes:
        """Return the prompt line: who runs which command."""
        lines = command.rstrip("\n").split("\n")
        shown = [_shown(line) for line in lines[:MAX_COMMAND_LINES]]
        text = f"\x1b[1;{_COLOURS[who]}m{who:<5}\x1b[0;2m ❯\x1b[0m {shown[0]}\r\n"
        text += "".join(f"      \x1b[2m│\x1b[0m {line}\r\n" for line in shown[1:])
        if len(lines) > MAX_COMMAND_LINES:
            text += f"      \x1b[2m… +{len(lines) - MAX_COMMAND_LINES} lines\x1b[0m\r\n"
        return self._fresh_line() + text.encode()

    def output(self, stream: Stream, data: bytes) -> bytes:
        """Convert each bare newline in the output to CR LF, as terminals require."""
        if not data:
            return b""
        first_is_bare = data.startswith(b"\n") and not self._after_cr
        text = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        if data.startswith(b"\n") and not first_is_bare:
            text = text[1:]  # the CR before this newline has already been written
        self._after_cr = data.endswith(b"\r")
        printed = SEQUENCES.sub(b"", data[-4096:])
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
        """Return the line after a failed command; empty after a successful one."""
        if timed_out:
            words = f"timed out after {short_duration(duration)}"
        elif interrupted:
            words = "interrupted"
        elif exit_code:
            words = f"exit {exit_code} · {short_duration(duration)}"
        else:
            return b""
        start = self._fresh_line()
        self._at_start = True
        return start + f"\x1b[31m✗\x1b[0;2m {words}\x1b[0m\r\n".encode()

    def remark(self, words: str) -> bytes:
        """Return a message from this program, on its own line."""
        self._at_start = False  # unknown: another program has written
        return self._fresh_line() + f"\x1b[2m· {words}\x1b[0m\r\n".encode()

    def _fresh_line(self) -> bytes:
        start = b"" if self._at_start else b"\r\n"
        self._at_start, self._after_cr = True, False
        return _RESET + start


def _shown(line: str) -> str:
    return cut_text(sanitize_line(line.expandtabs(4)), MAX_LINE_CHARS)
