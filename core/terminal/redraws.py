"""Progress bars: a line that is drawn again and again is drawn once.

`CR, EL` begins a line anew. Where text and colours follow that stay on the line, and then `CR, EL`
once more, nothing of the first line is left: neither on the screen nor, if its colours end in a
reset, in the look.
"""

from __future__ import annotations

import re

from .cells import NOT_ONE_WIDE
from .parser import PRINTABLE, SGR

_ANEW = r"\r\x1b\[[02]?K"
_STYLE = SGR.pattern.replace("(", "(?:", 1)

_REDRAWN = re.compile(rf"{_ANEW}((?:{PRINTABLE}++|{_STYLE})*+)(?={_ANEW}(?:{_STYLE})*+{PRINTABLE})")
"""A line that is drawn anew with something on it. The last thing printed, which can be repeated, is
then not of this line."""


def without_redraws(text: str, columns: int) -> str:
    """The output without lines that are gone before anybody could see them.

    Args:
        text: output, possibly cut in the middle of anything.
        columns: width of the terminal; what would be broken into lines is left as it is.
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
