"""Output as the model reads it: decoded, without escape sequences, limited in length."""

from __future__ import annotations

import re
from typing import NamedTuple

# An unterminated string consumes the rest of its line, not the rest of the output.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor moves
    r"|\x1b\](?:[^\x07\x1b]*(?:\x07|\x1b\\)|[^\x07\x1b\n]*)"  # OSC: titles, links
    r"|\x1b[PX^_](?:[^\x1b]*\x1b\\|[^\x1b\n]*)"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"
)
MAX_DECODED_END_BYTES = 256 << 10
"""Bytes decoded at each end of a longer output."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class TruncatedText(NamedTuple):
    """Text within the limits, and whether anything was omitted."""

    text: str
    truncated: bool


def decode_output(data: bytes) -> str:
    """Decode output as text, without escape sequences and NULs.

    Invalid UTF-8 becomes U+FFFD. A line that is redrawn (a progress bar) keeps its last state.
    """
    text = data.decode("utf-8", "replace")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in text.replace("\r\n", "\n").split("\n"))
    return _CONTROLS.sub("", text)


class HeadAndTail(NamedTuple):
    """A text, or the start and the end of a long one.

    Attributes:
        head: the start, or the whole text.
        tail: the end, if something is omitted.
        lines: number of omitted whole lines.
        chars: approximate number of omitted characters.
    """

    head: str
    tail: str = ""
    lines: int = 0
    chars: int = 0


def decode_ends(data: bytes, max_chars: int) -> HeadAndTail:
    """Decode both ends of an output (see `decode_output`), each long enough for `max_chars`.

    Output may be megabytes, and decoding it blocks the event loop.
    """
    end = max(MAX_DECODED_END_BYTES, 8 * max_chars)
    if len(data) <= 2 * end:
        return HeadAndTail(decode_output(data).rstrip("\n"))
    data = data.rstrip(b"\n")
    if len(data) <= 2 * end:
        return HeadAndTail(decode_output(data).rstrip("\n"))
    cut = data.rfind(b"\n", 0, end)
    cut = cut if cut > 0 else end
    start = data.find(b"\n", len(data) - end) + 1 or len(data) - end
    breaks = data.count(b"\n", cut, start)
    head, tail = decode_output(data[:cut]), decode_output(data[start:]).rstrip("\n")
    return HeadAndTail(head, tail, breaks - 1, start - cut)


def truncate_middle(text: str, *, max_lines: int, max_chars: int) -> TruncatedText:
    """Truncate a text in the middle, where a line describes the omitted part.

    The result has at most `max_lines` lines and `max_chars` characters, not counting that line.
    """
    return truncate_ends(HeadAndTail(text), max_lines=max_lines, max_chars=max_chars)


def truncate_ends(ends: HeadAndTail, *, max_lines: int, max_chars: int) -> TruncatedText:
    """Truncate a text of which only the ends are known, like `truncate_middle`."""
    whole = not ends.tail
    above, below = ends.head.count("\n") + 1, ends.tail.count("\n") + 1
    every = above if whole else above + ends.lines + below
    if every > max_lines:
        head, tail = (max_lines + 1) // 2, max_lines // 2
        first = _first_lines(ends.head, head)
        last = _last_lines(ends.head if whole else ends.tail, tail)
        shown = head + tail if whole else min(head, above) + min(tail, below)
        first, last, chars = _fit(first, last, max_chars)
        return TruncatedText(_joined(first, _omission(every - shown, chars), last), True)
    size = len(ends.head) + ends.chars + len(ends.tail)
    if whole and size <= max_chars:
        return TruncatedText(ends.head, False)
    head = (max_chars + 1) // 2
    tail = max_chars - head
    text = ends.head if whole else ends.tail
    last = text[max(0, len(text) - tail) :] if tail else ""
    return TruncatedText(_joined(ends.head[:head], _omission(0, size - max_chars), last), True)


def _first_lines(text: str, count: int) -> str:
    at = -1
    for _ in range(count):
        at = text.find("\n", at + 1)
        if at < 0:
            return text
    return text[: max(0, at)]


def _last_lines(text: str, count: int) -> str:
    at = len(text)
    for _ in range(count):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return text
    return text[at + 1 :]


def _fit(first: str, last: str, max_chars: int) -> tuple[str, str, int]:
    """Cut head and tail to `max_chars` in total; also returns the number of characters cut."""
    excess = len(first) + len(last) - max_chars
    if excess <= 0:
        return first, last, 0
    head = max(0, min(len(first), max_chars - min(len(last), max_chars // 2)))
    tail = max_chars - head
    return first[:head], last[len(last) - tail :] if tail else "", excess


def _omission(lines: int, chars: int) -> str:
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
