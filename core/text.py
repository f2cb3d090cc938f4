"""Hostile text made showable: the one door through which text from outside reaches a screen.

Text from the model, the sandbox, file names, saved sessions and imported files may hold control
sequences, invisible characters and lone surrogates. `clean` makes all of them visible, so that no
byte of theirs is ever a command to the terminal (docs: ECMA-48 for C0 and C1, Unicode TR 9 and 36
for bidi and invisible characters).
"""

from __future__ import annotations

import re

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufdd0-\ufdef\ufffe\uffff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Bidi controls, zero-width characters (but not the joiner U+200D of emoji, which is shown as
part of one), tags, variation selectors supplement, noncharacters."""

_ODD = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f\t\n\ud800-\udfff{_INVISIBLE}]"
    "|[\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U0010fffe\U0010ffff]"
)
_PLAIN = re.compile(r"[ -~\n]*\Z")


def clean(text: str) -> str:
    """The text with everything odd made visible; newlines and tabs are kept."""
    if _PLAIN.match(text):
        return text
    return _ODD.sub(_picture, text)


def clean_line(text: str) -> str:
    """The same for a place that has one line: newlines and tabs become visible too."""
    text = clean(text)
    return text.replace("\n", "␊").replace("\t", " ") if "\n" in text or "\t" in text else text


def _picture(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in "\n\t":
        return char
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"
