"""The lines that a running command has printed last, without an emulated terminal.

Reading the end of the output takes a fraction of the time that drawing it on a screen takes, so
that many runs can be shown at once. Lines that a program draws anywhere on the screen come in the
order in which it drew them.
"""

from __future__ import annotations

import re

from sandbox_tui.core.terminal.mirror import SEQUENCES, is_prompt_line

MAX_LINE_BYTES = 2_000
"""Bytes of a line that are read."""

_PLACES = re.compile(rb"\x1b\[[0-9;]*[Hf]")
"""Cursor positions: what follows stands on another line."""

_CLEARED = b"\x1b[2J"


def latest_lines(data: bytes, most: int) -> list[str]:
    """Return the last lines that are not blank, at most so many, without control sequences.

    Of a line that was drawn repeatedly, such as a progress bar, this is the last version; the line
    that is still being written counts too.

    Args:
        data: the end of what the mirror printed.
        most: maximum number of lines.
    """
    shown = _PLACES.sub(b"\n", data.rpartition(_CLEARED)[2])
    found: list[str] = []
    for line in reversed(shown.split(b"\n")):
        if len(found) >= most:
            break
        if not is_prompt_line(line) and (words := _words(line)).strip():
            found.append(words)
    return found[::-1]


def _words(line: bytes) -> str:
    plain = SEQUENCES.sub(b"", line[-MAX_LINE_BYTES:]).rstrip(b"\r")
    versions = [version for version in plain.split(b"\r") if version.strip()]
    return _erased(versions[-1].decode(errors="replace")) if versions else ""


def _erased(words: str) -> str:
    """Apply backspaces, with which spinners redraw themselves."""
    if "\b" not in words:
        return words
    kept: list[str] = []
    for letter in words:
        if letter != "\b":
            kept.append(letter)
        elif kept:
            kept.pop()
    return "".join(kept)
