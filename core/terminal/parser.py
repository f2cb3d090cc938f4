"""Takes terminal output apart: text, controls and sequences (ECMA-48, xterm ctlseqs).

One compiled expression splits output into pairs of a sequence and the text after it; what a
sequence means is looked up. Any input is a row of such pairs: what is malformed, broken off or too
long is a sequence that does nothing. What is not whole yet waits for the next piece, so that it
makes no difference where the bytes were cut. Time is linear in the input: a sequence that waits is
short, and strings (titles, images) are searched for their end once.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from .graphics import Look

PIECE = 64 * 1024
"""Bytes taken apart at once, so that a large input needs no more memory than a small one."""

STRETCH = 1024
"""Characters after which whole lines are looked for again, at the next beginning of a line."""

LONGEST_STRING = 1 << 20
"""Characters of an unterminated string (OSC, DCS, APC, PM, SOS) that are swallowed, at most."""

KEPT_OF_STRING = 4096
"""Characters of a string that are looked at; titles are shorter, images mean nothing to us."""

PRINTABLE = r"[ -~\xa0-\U0010ffff]"
_PARAMETERS = r"[0-9;:]{0,255}+"
"""Of SGR; longer ones are taken as any other control sequence, so that memos stay small."""
_SGR = rf"\x1b\[{_PARAMETERS}m"
_CSI = r"(?:\x1b\[|\x9b)[ -?]{0,8192}+"
_ESCAPE = r"\x1b[ -/]{0,8}+"
STRING_BEGINS = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])"
IN_STRING = r"[^\x07\x18\x1a\x1b\x9c]"

PAIR = re.compile(
    rf"(\x1b\[{_PARAMETERS}m(?:\x1b\(B|{_SGR}){{0,7}}+"
    rf"|\x1b\(B(?:{_SGR}){{0,7}}+"  # how ncurses resets the look
    r"|\x1b\[[ -?]{0,8192}+[@-~]"
    r"|\r\n"
    r"|[\x00-\x1a\x1c-\x1f\x7f-\x8f\x91-\x97\x99\x9a\x9c]"
    rf"|{_ESCAPE}[0-OQ-WYZ\\`-~]"
    rf"|{STRING_BEGINS}{IN_STRING}{{0,{LONGEST_STRING}}}+(?:[\x07\x18\x1a\x9c]|\x1b\\|\x1b\Z)?+"
    r"|\x9b[ -?]{0,8192}+[@-~]"
    rf"|{_CSI}|{_ESCAPE}"  # broken off, or its end will come with the next piece
    rf")?+({PRINTABLE}*+)"
)
"""A sequence or control, which may be missing, and the text after it, which may be empty."""

SGR = re.compile(rf"\x1b\[({_PARAMETERS})m")

_LINE = rf"(?:{PRINTABLE}*+(?:{_SGR}{PRINTABLE}*+)*+\r\n)"
SOME_LINES = re.compile(rf"{_LINE}{{3,32}}+")
MANY_LINES = re.compile(rf"{_LINE}{{3,2000}}+")
"""Three or more whole lines of nothing but text and colours."""

_WAITS = re.compile(rf"(?:{_CSI}|{_ESCAPE})\Z")
_OPEN_STRING = re.compile(rf"({STRING_BEGINS}{IN_STRING}*+)(\x1b?)\Z")
_STRING_END = re.compile(r"[\x07\x18\x1a\x1b\x9c]")

Meaning = tuple[Callable[[Any, Any], None] | None, Any, int]
"""The function a sequence stands for, and what it is called with besides the screen; of SGR, which
is by far the most frequent, no function but the bits of the look that stay and those that come."""


class Actions(Protocol):
    """What the parser drives.

    Attributes:
        look: in which text is written.
        expects_lines: whether `take_lines` is likely to take something at the next line.
    """

    look: Look
    expects_lines: bool

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """Every sequence and control, and those that mean nothing."""
        ...

    def write(self, text: str) -> None:
        """Print text, which holds no control character."""
        ...

    def condensed(self, text: str) -> str:
        """Shorter output after which the screen is the same."""
        ...

    def take_lines(self, text: str, at: int) -> int:
        """Take whole lines at once; how many characters that were, 0 to decline."""
        ...


class Parser:
    """Bytes in, actions out.

    Attributes:
        undecoded: the decoder, which may hold a part of a character.
        tail: a sequence whose end has not come.
        string: what came of a string (its introducer first), None outside of one.
        string_length: characters of it so far, also those not kept.
    """

    def __init__(self, actions: Actions) -> None:
        self._actions = actions
        self.undecoded = codecs.getincrementaldecoder("utf-8")("replace")
        self.tail = ""
        self.string: str | None = None
        self.string_length = 0

    def feed(self, data: bytes) -> None:
        """Take output in."""
        if len(data) <= PIECE:
            self._feed(data)
            return
        for at in range(0, len(data), PIECE):
            self._feed(data[at : at + PIECE])

    def _feed(self, data: bytes) -> None:
        text = self.undecoded.decode(data)
        if self.tail:
            text, self.tail = self.tail + text, ""
        text = self._actions.condensed(text)
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
        """Where to look for whole lines again: after a newline, if there is one."""
        end = -1
        if not self._actions.expects_lines:
            end = text.rfind("\r\n", at, at + STRETCH)
        if end < 0:
            end = text.find("\r\n", at)
        return end + 2 if end >= 0 else len(text)

    def pairs(self, text: str, at: int, end: int) -> None:
        """Take a part of the text in, sequence by sequence.

        Only at the end of all text may a sequence wait for more; a string may at any end.
        """
        actions = self._actions
        write, meanings = actions.write, actions.meanings
        pairs = PAIR.findall(text, at, end)
        for sequence, printed in pairs:
            if sequence:
                function, argument, added = meanings[sequence]
                if function is None:
                    actions.look = actions.look & argument | added
                else:
                    function(actions, argument)
            if printed:
                write(printed)
        last, printed = pairs[-2]  # the very last one is empty
        if last and not printed:
            self._leave_open(last)

    def _leave_open(self, sequence: str) -> None:
        """The last sequence may not be whole: keep it until more comes."""
        if _WAITS.match(sequence):
            self.tail = sequence
            return
        string = _OPEN_STRING.match(sequence)
        if string:
            begun, self.tail = string.groups()
            self.string_length = len(begun) - (2 if begun[0] == "\x1b" else 1)
            self.string = begun[: KEPT_OF_STRING + 2]

    def _string_part(self, text: str, at: int) -> int:
        """Look for the end of a string; where to go on."""
        string = self.string or ""
        room = LONGEST_STRING - self.string_length
        end = _STRING_END.search(text, at, at + room + 1)
        stop = end.start() if end else min(len(text), at + room)
        kept = KEPT_OF_STRING + 2 - len(string)
        if kept > 0:
            self.string = string = string + text[at : min(stop, at + kept)]
        self.string_length += stop - at
        if end is None:
            if stop < len(text):
                self.string = None
            return stop
        return self._end_of_string(string, text, stop)

    def _end_of_string(self, string: str, text: str, stop: int) -> int:
        """BEL or ST end a string; CAN, SUB and any other sequence break it off."""
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
