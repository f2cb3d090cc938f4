"""Parses terminal output: text, controls and sequences (ECMA-48, xterm ctlseqs).

One regular expression splits output into pairs of a sequence and the text after it; the meaning of
a sequence is looked up. Any input is a series of such pairs: a malformed, interrupted or overlong
sequence does nothing. An incomplete one waits for the next chunk, so chunking makes no difference.
Time is linear in the input: a waiting sequence is short, and the end of a string (title, image) is
searched for once.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from sandbox_tui.core.terminal.emulator.sgr import CellStyle

PIECE_BYTES = 64 * 1024
"""Bytes parsed at once, so that a large input needs no more memory than a small one."""

STRETCH_CHARS = 1024
"""Characters after which the fast path is tried again, at the next start of a line."""

MAX_STRING_CHARS = 1 << 20
"""Maximum characters consumed of an unterminated string (OSC, DCS, APC, PM, SOS)."""

MAX_KEPT_STRING_CHARS = 4096
"""Maximum characters kept of a string; titles are shorter, images are ignored."""

# Groups are repeated in `(?>...)` throughout: until Python 3.11.4, `(?:...)*+` matches wrongly.
PRINTABLE = r"[ -~\xa0-\U0010ffff]"
_PARAMETERS = r"[0-9;:]{0,255}+"
"""Parameters of SGR; longer ones are parsed as other control sequences, to keep caches small."""
_SGR = rf"\x1b\[{_PARAMETERS}m"
_CSI = r"(?:\x1b\[|\x9b)[ -?]{0,8192}+"
_ESCAPE = r"\x1b[ -/]{0,8}+"
STRING_BEGINS = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])"
IN_STRING = r"[^\x07\x18\x1a\x1b\x9c]"

PAIR = re.compile(
    rf"(?>(\x1b\[{_PARAMETERS}m(?>(?:\x1b\(B|{_SGR}){{0,7}})"
    rf"|\x1b\(B(?>(?:{_SGR}){{0,7}})"  # how ncurses resets the style
    r"|\x1b\[[ -?]{0,8192}+[@-~]"
    r"|\r\n"
    r"|[\x00-\x1a\x1c-\x1f\x7f-\x8f\x91-\x97\x99\x9a\x9c]"
    rf"|{_ESCAPE}[0-OQ-WYZ\\`-~]"
    rf"|{STRING_BEGINS}{IN_STRING}{{0,{MAX_STRING_CHARS}}}+(?>(?:[\x07\x18\x1a\x9c]|\x1b\\|\x1b\Z)?)"
    r"|\x9b[ -?]{0,8192}+[@-~]"
    rf"|{_CSI}|{_ESCAPE}"  # interrupted, or continued in the next chunk
    rf")?)({PRINTABLE}*+)"
)
"""An optional sequence or control, and the text after it, which may be empty."""

SGR = re.compile(rf"\x1b\[({_PARAMETERS})m")

_LINE = rf"(?:{PRINTABLE}*+(?>(?:{_SGR}{PRINTABLE}*+)*)\r\n)"
SOME_LINES = re.compile(rf"(?>{_LINE}{{3,32}})")
MANY_LINES = re.compile(rf"(?>{_LINE}{{3,2000}})")
"""Three or more whole lines of nothing but text and colours."""

_WAITS = re.compile(rf"(?:{_CSI}|{_ESCAPE})\Z")
_OPEN_STRING = re.compile(rf"({STRING_BEGINS}{IN_STRING}*+)(\x1b?)\Z")
_STRING_END = re.compile(r"[\x07\x18\x1a\x1b\x9c]")

Meaning = tuple[Callable[[Any, Any], None] | None, Any, int]
"""The function of a sequence, and its argument besides the screen. SGR, the most frequent sequence,
has no function, but the bits of the style it keeps and the bits it adds."""


class Actions(Protocol):
    """The screen as seen by the parser.

    Attributes:
        style: style of the text printed next.
        expects_lines: whether `take_lines` is likely to succeed at the next line.
    """

    style: CellStyle
    expects_lines: bool

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """Meanings by sequence or control, including unknown ones."""
        ...

    def write(self, text: str) -> None:
        """Print text without control characters."""
        ...

    def without_redraws(self, text: str) -> str:
        """Return shorter output with the same effect on the screen."""
        ...

    def take_lines(self, text: str, at: int) -> int:
        """Process whole lines at once; returns the number of characters, 0 to decline."""
        ...


class Parser:
    """Parses bytes into actions.

    Attributes:
        undecoded: the UTF-8 decoder, which may hold part of a character.
        tail: an incomplete sequence.
        string: the kept part of an unfinished string, with its introducer; None outside strings.
        string_length: its number of characters so far, including those not kept.
    """

    def __init__(self, actions: Actions) -> None:
        self._actions = actions
        self.undecoded = codecs.getincrementaldecoder("utf-8")("replace")
        self.tail = ""
        self.string: str | None = None
        self.string_length = 0

    def feed(self, data: bytes) -> None:
        """Parse output."""
        if len(data) <= PIECE_BYTES:
            self._feed(data)
            return
        for at in range(0, len(data), PIECE_BYTES):
            self._feed(data[at : at + PIECE_BYTES])

    def _feed(self, data: bytes) -> None:
        text = self.undecoded.decode(data)
        if self.tail:
            text, self.tail = self.tail + text, ""
        text = self._actions.without_redraws(text)
        at = 0
        while at < len(text):
            if self.string is not None:
                at = self._string_part(text, at)
                continue
            taken = self._actions.take_lines(text, at)
            if taken:
                at += taken
                continue
            end = self._end_of_stretch(text, at)
            self.pairs(text, at, end)
            at = end

    def _end_of_stretch(self, text: str, at: int) -> int:
        """Return the position at which to try the fast path again: after a newline, if possible."""
        end = -1
        if not self._actions.expects_lines:
            end = text.rfind("\r\n", at, at + STRETCH_CHARS)
        if end < 0:
            end = text.find("\r\n", at)
        return end + 2 if end >= 0 else len(text)

    def pairs(self, text: str, at: int, end: int) -> None:
        """Parse part of the text, pair by pair.

        Only the end of the whole text may split a sequence; any end may split a string.
        """
        actions = self._actions
        write, meanings = actions.write, actions.meanings
        pairs = PAIR.findall(text, at, end)
        for sequence, printed in pairs:
            if sequence:
                function, argument, added = meanings[sequence]
                if function is None:
                    actions.style = actions.style & argument | added
                else:
                    function(actions, argument)
            if printed:
                write(printed)
        last, printed = pairs[-2]  # the last pair is empty
        if last and not printed:
            self._leave_open(last)

    def _leave_open(self, sequence: str) -> None:
        """Keep the last sequence until more text comes, if it is incomplete."""
        if _WAITS.match(sequence):
            self.tail = sequence
            return
        string = _OPEN_STRING.match(sequence)
        if string:
            unterminated, self.tail = string.groups()
            self.string_length = len(unterminated) - (2 if unterminated[0] == "\x1b" else 1)
            self.string = unterminated[: MAX_KEPT_STRING_CHARS + 2]

    def _string_part(self, text: str, at: int) -> int:
        """Search for the end of a string; returns where to continue."""
        string = self.string or ""
        room = MAX_STRING_CHARS - self.string_length
        end = _STRING_END.search(text, at, at + room + 1)
        stop = end.start() if end else min(len(text), at + room)
        kept = MAX_KEPT_STRING_CHARS + 2 - len(string)
        if kept > 0:
            self.string = string = string + text[at : min(stop, at + kept)]
        self.string_length += stop - at
        if end is None:
            if stop < len(text):
                self.string = None
            return stop
        return self._end_of_string(string, text, stop)

    def _end_of_string(self, string: str, text: str, stop: int) -> int:
        """End a string at BEL or ST; CAN, SUB and any other sequence cancel it."""
        whole = text[stop] in "\x07\x9c"
        after = stop + 1
        if text[stop] == "\x1b":
            if after == len(text):
                self.tail = "\x1b"
                return after
            whole = text[after] == "\\"
            after = after + 1 if whole else stop
        self.string = None
        if whole:
            function, argument, _ = self._actions.meanings[f"{string}\x07"]
            if function is not None:
                function(self._actions, argument)
        return after
