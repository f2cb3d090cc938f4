"""Pasting into the program inside a terminal (xterm ctlseqs, "Bracketed Paste Mode")."""

from __future__ import annotations

import re
from collections.abc import Set

BRACKETED_PASTE = 2004
"""Mode in which a program is told where a paste starts and ends."""

_BEGIN, _END = "\x1b[200~", "\x1b[201~"
_BRACKETS = re.compile("\x1b\\[20[01]~")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def bytes_of_paste(text: str, modes: Set[int]) -> bytes:
    """Return the bytes of a paste; control characters and paste brackets in the text are removed.

    Args:
        text: the pasted text.
        modes: the modes that the program has set.
    """
    text = _CONTROLS.sub("", _BRACKETS.sub("", text))
    text = text.replace("\r\n", "\r").replace("\n", "\r")
    if BRACKETED_PASTE in modes:
        text = f"{_BEGIN}{text}{_END}"
    return text.encode("utf-8", "replace")
