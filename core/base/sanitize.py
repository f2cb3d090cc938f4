"""The sanitizer, which makes hostile text visible before a screen shows it.

Text from the model, the sandbox, file names, saved sessions and imported files may contain control
sequences, invisible characters and lone surrogates. `sanitize` makes all of them visible, so that
none of their bytes is a command to the terminal (docs: ECMA-48 for C0 and C1, Unicode TR 9 and 36
for bidi and invisible characters).
"""

from __future__ import annotations

import re

INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    + "".join(
        f"{chr((plane << 16) | 0xFFFE)}{chr((plane << 16) | 0xFFFF)}" for plane in range(1, 17)
    )
    + "\U000e0000-\U000e0fff"
)
"""Bidi controls, zero-width characters (except the joiner U+200D, which is shown as part of an
emoji), tags, the variation selectors supplement and noncharacters, as the content of a character
class."""

_ODD = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff{INVISIBLE}]")
_PLAIN = re.compile(r"[ -~\n]*\Z")


def sanitize(text: str, *, newlines: bool = True, tabs: bool = True) -> str:
    """Make every unusual character in the text visible.

    Args:
        text: untrusted text.
        newlines: whether newlines are kept; otherwise they are shown as ␊.
        tabs: whether tabs are kept; otherwise each becomes a space.
    """
    if not (newlines and _PLAIN.match(text)):
        text = _ODD.sub(_picture, text)
        if not newlines:
            text = text.replace("\n", "␊")
    return text if tabs else text.replace("\t", " ")


def sanitize_line(text: str) -> str:
    """Sanitize a single line: newlines are shown as ␊, tabs become spaces."""
    return sanitize(text, newlines=False, tabs=False)


def sanitize_json(text: str) -> str:
    """JSON for the same value, with every unusual character in it written as an escape."""
    return _ODD.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char == "\n":
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _picture(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in "\n\t":
        return char
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"
