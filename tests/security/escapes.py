"""Parses what a terminal was sent; a sequence outside the list of expected ones is a failure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from sandbox_tui.core.base.sanitize import sanitize

SHOWS = {
    "colours": r"\x1b\[(?:(?:0|[1-9][0-9]{0,2})(?:;(?=[0-9])|(?=m)))*m",
    "place": r"\x1b\[[1-9]\d{0,2};[1-9]\d{0,2}H|\x1b\[H|\r|\n|\t",
}
"""Sequences that draw a screen, as we write them; the hostile equivalents have leading zeros."""

SETS_UP = {
    "modes": r"\x1b\[\?(?:7|25|1000|1003|1004|1006|1015|1016|1049|2004|2026|2048)[hl]",
    "asks for modes": r"\x1b\[\?(?:2026|2048)\$p",
    "keyboard": r"\x1b\[(?:>[0-9]{1,3}|<)u",
    "pointer": r"\x1b\]22;[a-z-]*\x07",
    "blank": r"\x1b\[[0-3]?[JK]|\x1b\[A",
}
"""Sequences that Textual writes as it starts and ends."""

TITLE = {"title": r"\x1b\]2;(?P<title>[^\x00-\x1f\x7f-\x9f]*)\x07", "kept title": r"\x1b\[2[23];2t"}
NOTICE = {"notice": r"\x1b\](?:9;|777;notify;)(?P<notice>[^\x00-\x1f\x7f-\x9f]*)\x07"}
CLIPBOARD = {"clipboard": r"\x1b\]52;c;[A-Za-z0-9+/=]*\x07"}
BELL = {"bell": r"\x07"}
PROBES = {
    "asks what terminal it is": r"\x1b\[c|\x1b\[16t|\x1b\[>q|\x1b_Gi=\d+,[a-z0-9=,]*;AAAA\x1b\\"
}


@dataclass
class TerminalOutput:
    """What a terminal was sent.

    Attributes:
        text: all drawn text, in the order in which it was drawn.
        kinds: the number of sequences of each kind.
        titles: the window titles.
        notices: the texts of the notifications.
    """

    text: str = ""
    kinds: dict[str, int] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


class UnexpectedSequence(AssertionError):
    """The terminal was sent something that the program never writes."""


def parse_output(raw: bytes, *more: dict[str, str]) -> TerminalOutput:
    """Parse what was written to a terminal.

    Args:
        raw: the unmodified bytes.
        more: kinds that are expected in addition to those that draw a screen.

    Raises:
        UnexpectedSequence: there is a sequence of another kind, or an invisible character.
    """
    text = raw.decode("utf-8")  # invalid UTF-8 has undefined effects on a terminal
    kinds: dict[str, str] = dict(SHOWS)
    for one in more:
        kinds |= one
    known = re.compile("|".join(f"(?P<k{n}>{pattern})" for n, pattern in enumerate(kinds.values())))
    names = list(kinds)
    output = TerminalOutput()
    pieces: list[str] = []
    at = 0
    for match in known.finditer(text):
        pieces.append(_plain(text, at, match.start()))
        at = match.end()
        name = next(names[n] for n in range(len(names)) if match[f"k{n}"] is not None)
        output.kinds[name] = output.kinds.get(name, 0) + 1
        if name == "place":
            pieces.append("\n")
        if name == "title":
            output.titles.append(_plain(match["title"], 0, len(match["title"])))
        if name == "notice":
            output.notices.append(_plain(match["notice"], 0, len(match["notice"])))
    pieces.append(_plain(text, at, len(text)))
    output.text = "".join(pieces)
    return output


def _plain(text: str, start: int, end: int) -> str:
    piece = text[start:end]
    if sanitize(piece, newlines=False) != piece or any(map(_commands, piece)):
        raise UnexpectedSequence(
            f"{piece[:200]!r} in {text[max(0, start - 60) : end + 60][:400]!r}"
        )
    return piece


def _commands(char: str) -> bool:
    """Whether it may be a control character, even one that `sanitize` does not know."""
    return not char.isprintable() and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
