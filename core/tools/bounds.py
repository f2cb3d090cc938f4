"""What a model sees of output: decoded, without escapes, and no longer than it should be."""

from __future__ import annotations

import re
from typing import NamedTuple

# A string that is never ended takes the rest of its line with it, not the rest of the output.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor moves
    r"|\x1b\](?:[^\x07\x1b]*(?:\x07|\x1b\\)|[^\x07\x1b\n]*)"  # OSC: titles, links
    r"|\x1b[PX^_](?:[^\x1b]*\x1b\\|[^\x1b\n]*)"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class Bounded(NamedTuple):
    """Text within bounds, and whether anything was left out."""

    text: str
    truncated: bool


def to_text(data: bytes) -> str:
    """Output as text: UTF-8 with U+FFFD for what is not, no escapes or NULs, and of a line that
    was drawn over itself (a progress bar) the last state."""
    text = data.decode("utf-8", "replace")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in text.replace("\r\n", "\n").split("\n"))
    return _CONTROLS.sub("", text)


def bound(text: str, *, max_lines: int, max_chars: int) -> Bounded:
    """Head and tail of a text, with a line in between that says what was left out.

    The result has at most `max_lines` lines and `max_chars` characters, that line not counted.
    """
    lines = text.split("\n")
    if len(lines) > max_lines:
        head, tail = (max_lines + 1) // 2, max_lines // 2
        left_out = len(lines) - head - tail
        first = "\n".join(lines[:head])
        last = "\n".join(lines[len(lines) - tail :]) if tail else ""
        first, last, chars = _fit(first, last, max_chars)
        return Bounded(_joined(first, _what(left_out, chars), last), True)
    if len(text) <= max_chars:
        return Bounded(text, False)
    head = (max_chars + 1) // 2
    tail = max_chars - head
    left_out = len(text) - max_chars
    last = text[len(text) - tail :] if tail else ""
    return Bounded(_joined(text[:head], _what(0, left_out), last), True)


def _fit(first: str, last: str, max_chars: int) -> tuple[str, str, int]:
    """Head and tail cut to `max_chars` together, and how many characters that cost."""
    excess = len(first) + len(last) - max_chars
    if excess <= 0:
        return first, last, 0
    head = max(0, min(len(first), max_chars - min(len(last), max_chars // 2)))
    tail = max_chars - head
    return first[:head], last[len(last) - tail :] if tail else "", excess


def _what(lines: int, chars: int) -> str:
    parts = [f"{lines} lines"] if lines else []
    if chars:
        parts.append(f"{chars} characters")
    advice = "write output to a file and look at parts of it with grep, sed or head"
    return f"[... {' and '.join(parts)} left out to save context; {advice} ...]"


def _joined(first: str, note: str, last: str) -> str:
    return "\n".join(part for part in (first, note, last) if part)


def _last_state(line: str) -> str:
    pieces = [piece for piece in line.split("\r") if piece]
    return pieces[-1] if pieces else ""
