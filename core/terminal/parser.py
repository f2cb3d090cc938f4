"""Takes terminal output apart: text, controls and sequences (ECMA-48, xterm ctlseqs).

One compiled expression finds the next token. Any input is a row of tokens: what is malformed,
broken off or too long is a token that does nothing. What is not whole yet waits for the next piece,
so that it makes no difference where the bytes were cut. Time is linear in the input: a sequence
that waits is short, and strings (titles, images) are searched for their end once.
"""

from __future__ import annotations

import codecs
import re
from typing import Protocol

from .graphics import DEFAULT, Attributes, select

LONGEST_STRING = 1 << 20
"""Characters of an unterminated string (OSC, DCS, APC, PM, SOS) that are swallowed, at most."""

KEPT_OF_STRING = 4096
"""Characters of a string that are looked at; titles are shorter, images mean nothing to us."""

PRINTABLE = r"[^\x00-\x1f\x7f-\x9f]"
_PARAMETERS = r"[0-9;:]{0,255}+"
"""Of SGR; longer ones are taken as any other control sequence, so that memos stay small."""
_SGR = rf"\x1b\[{_PARAMETERS}m"
_CSI = r"(?:\x1b\[|\x9b)[ -?]{0,8192}+"

TOKEN = re.compile(
    rf"(?P<text>{PRINTABLE}++)"
    rf"|\x1b\[(?P<sgr>{_PARAMETERS})m(?P<styled>{PRINTABLE}*+)"
    r"|(?P<newline>\r\n)"
    rf"|(?P<csi>{_CSI}[@-~])"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f-\x8f\x91-\x97\x99\x9a\x9c])"
    r"|(?P<string>\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])"
    r"|(?P<escape>\x1b[ -/]{0,8}+[0-OQ-WYZ\\`-~])"
    # what is not whole: its end may come with the next piece, or it was broken off
    rf"|(?P<unfinished>(?:{_CSI}|\x1b[ -/]{{0,8}}+)\Z)"
    rf"|(?P<broken>{_CSI}|\x1b[ -/]{{0,8}}+)"
)

SGR = re.compile(rf"\x1b\[({_PARAMETERS})m")

_LINE = rf"(?:{PRINTABLE}*+(?:{_SGR}{PRINTABLE}*+)*+\r\n)"
SOME_LINES = re.compile(rf"{_LINE}{{3,32}}+")
MANY_LINES = re.compile(rf"{_LINE}{{3,2000}}+")
"""Three or more whole lines of nothing but text and colours."""

_STRING_END = re.compile(r"[\x07\x18\x1a\x1b\x9c]")
_OSC = ("\x1b]", "\x9d")


class Actions(Protocol):
    """What the parser drives."""

    look: Attributes

    def write(self, text: str) -> None:
        """Print text, which holds no control character."""
        ...

    def newline(self) -> None:
        """CR LF."""
        ...

    def control(self, char: str) -> None:
        """A C0 or C1 control."""
        ...

    def escape(self, sequence: str) -> None:
        """A sequence `ESC ... final`, as it was sent."""
        ...

    def control_sequence(self, sequence: str) -> None:
        """A sequence `CSI ... final`, as it was sent; also long SGR."""
        ...

    def operating_system_command(self, text: str) -> None:
        """What stood between OSC and its end."""
        ...

    def whole_lines_welcome(self) -> bool:
        """Whether `take_lines` could do something with the output to come."""
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
        text = self.undecoded.decode(data)
        if self.tail:
            text, self.tail = self.tail + text, ""
        at = 0
        while at < len(text):
            if self.string is not None:
                at = self._string_part(text, at)
                continue
            taken = self._actions.take_lines(text, at)
            at = at + taken if taken else self._tokens(text, at)

    def tokens(self, text: str) -> None:
        """Take text in that is whole in itself (the bulk lane's odd lines)."""
        at = 0
        while at < len(text):
            at = self._tokens(text, at, False)

    def _tokens(self, text: str, at: int, lanes: bool = True) -> int:
        """Take tokens until a string begins or there may be whole lines again; where to go on."""
        actions = self._actions
        write = actions.write
        for match in TOKEN.finditer(text, at):
            kind = match.lastgroup
            if kind == "styled":
                parameters, styled = match.group(2, 3)
                if not parameters or parameters == "0":
                    actions.look = DEFAULT
                else:
                    actions.look = select(actions.look, parameters)
                if styled:
                    write(styled)
            elif kind == "text":
                write(match[0])
            elif kind == "csi":
                actions.control_sequence(match[0])
            elif kind == "newline":
                actions.newline()
                if lanes and actions.whole_lines_welcome():
                    return match.end()
            elif kind == "control":
                actions.control(match[0])
            elif kind == "escape":
                actions.escape(match[0])
            elif kind == "string":
                self.string, self.string_length = match[0], 0
                return match.end()
            elif kind == "unfinished":
                self.tail = match[0]
        return len(text)

    def _string_part(self, text: str, at: int) -> int:
        """Look for the end of a string; where to go on."""
        string = self.string or ""
        room = LONGEST_STRING - self.string_length
        end = _STRING_END.search(text, at, at + room)
        stop = end.start() if end else min(len(text), at + room)
        kept = KEPT_OF_STRING + 2 - len(string)
        if kept > 0:
            self.string = string = string + text[at : min(stop, at + kept)]
        self.string_length += stop - at
        if end is None:
            if self.string_length >= LONGEST_STRING:
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
        if whole and string.startswith(_OSC):
            self._actions.operating_system_command(string.removeprefix("\x1b]").lstrip("\x9d"))
        return after
