"""Progress bars: a line that is redrawn repeatedly is drawn only once.

`CR, EL` restarts a line. If text and colours that fit the line follow, and then another `CR, EL`,
the first version leaves no trace: neither on the screen nor, if its colours end in a reset, in the
current style.
"""

from __future__ import annotations

import re

from sandbox_tui.core.terminal.emulator.parser import PRINTABLE, SGR
from sandbox_tui.core.terminal.emulator.rows import NOT_ONE_WIDE

_RESTART = r"\r\x1b\[[02]?K"
_STYLE = SGR.pattern.replace("(", "(?:", 1)

_REDRAWN = re.compile(
    rf"{_RESTART}((?>(?:{PRINTABLE}++|{_STYLE})*))(?={_RESTART}(?>(?:{_STYLE})*){PRINTABLE})"
)
"""A line that is redrawn with new text, so that REP cannot repeat anything of the old line."""


def without_redraws(text: str, columns: int) -> str:
    """Return the output without lines that are overwritten before they are drawn.

    Args:
        text: output, possibly split anywhere.
        columns: width of the terminal; lines that would wrap are kept.
    """
    if "\r\x1b[2K" not in text and "\r\x1b[K" not in text:
        return text

    def left(line: re.Match[str]) -> str:
        drawn = line[1]
        styled = "\x1b" in drawn
        plain = SGR.sub("", drawn) if styled else drawn
        if len(plain) > columns or NOT_ONE_WIDE(plain):
            return line[0]
        if not styled:
            return ""
        reset = max(drawn.rfind("\x1b[0m"), drawn.rfind("\x1b[m"))
        return "\x1b[m" if reset >= 0 and drawn.find("\x1b", reset + 1) < 0 else line[0]

    return _REDRAWN.sub(left, text)
