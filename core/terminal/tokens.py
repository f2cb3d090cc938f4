"""Takes terminal output apart: text, controls and sequences (ECMA-48, xterm ctlseqs).

One compiled expression finds the next token. Every input is a row of tokens; a sequence that is
malformed, interrupted or longer than `LONGEST` is a token that does nothing, so that the result
does not depend on how the bytes were cut into pieces.
"""

from __future__ import annotations

import re

LONGEST = 256 * 1024
"""Characters of a string sequence (titles, images) after which it is taken for text."""

_PRINT = r"[^\x00-\x1f\x7f-\x9f]"
_STRING = r"[^\x07\x1b\x9c]"

TOKEN = re.compile(
    rf"(?P<text>{_PRINT}+)"
    r"|(?P<newline>\r\n)"
    r"|\x1b\[(?P<sgr>[0-9;:]{0,512})m"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f-\x8f\x91-\x97\x99\x9a\x9c])"
    r"|(?:\x1b\[|\x9b)(?P<private>[<=>?]?)(?P<parameters>[0-9;:]{0,512})"
    r"(?P<intermediate>[ -/]{0,8})(?P<final>[@-~])"
    rf"|(?:\x1b\]|\x9d)(?P<osc>{_STRING}{{0,{LONGEST}}})(?:\x07|\x1b\\|\x9c)"
    rf"|(?P<string>(?:\x1b[PX^_]|[\x90\x98\x9e\x9f]){_STRING}{{0,{LONGEST}}}(?:\x07|\x1b\\|\x9c))"
    r"|\x1b(?P<between>[ -/]{0,8})(?P<escape>[0-OQ-WYZ\\`-~])"
    # what does nothing: a whole sequence of a form we do not know, then one that was broken off
    r"|(?P<unknown>(?:\x1b\[|\x9b)[0-?]{0,512}[ -/]{0,8}[@-~]"
    r"|(?:\x1b\[|\x9b)[0-?]{0,512}[ -/]{0,8}(?=[^ -~])"
    r"|(?:\x1b\[|\x9b)[0-?]{513}|(?:\x1b\[|\x9b)[0-?]{0,512}[ -/]{9}"
    r"|(?:\x1b\[|\x9b)[0-?]{0,512}[ -/]{1,8}(?=[0-?])"
    rf"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]){_STRING}{{0,{LONGEST}}}(?=\x1b[^\\])"
    rf"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]){_STRING}{{{LONGEST + 1}}}"
    r"|\x1b[ -/]{9}|\x1b[ -/]{0,8}(?=[^ -~]))"
    # the beginning of a sequence whose end has not come yet
    r"|(?P<unfinished>[\x1b\x90\x98\x9b\x9d-\x9f][\x00-\U0010ffff]*)",
)

LINES = re.compile(rf"(?:{_PRINT}*+(?:\x1b\[[0-9;:]{{0,512}}m{_PRINT}*+)*+\r\n){{3,2000}}+")
"""Three or more whole lines of nothing but text and colours."""

SGR = re.compile(r"\x1b\[([0-9;:]{0,512})m")

MAYBE_NOT_ONE_WIDE = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u07ff\u0816-\u109f\u1100-\u11ff\u135d-\u135f"
    "\u1712-\u1734\u17b4-\u17dd\u180b-\u180f\u18a9\u1920-\u1cff\u1dc0-\u1dff\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u20d0-\u20f0\u231a-\u231b\u2329-\u232a\u23e9-\u23f3"
    "\u25fd-\u25fe\u2614-\u2615\u2630-\u2637\u2648-\u2653\u267f\u268a-\u268f\u2693\u26a1"
    "\u26aa-\u26ab\u26bd-\u26be\u26c4-\u26c5\u26ce\u26d4\u26ea\u26f2-\u26f5\u26fa\u26fd"
    "\u2705-\u270b\u2728\u274c-\u2757\u2795-\u2797\u27b0\u27bf\u2b1b-\u2b55\u2cef-\u2cf1"
    "\u2d7f\u2de0-\u2dff\u2e80-\ua4cf\ua66f-\uabff\uac00-\ud7ff\uf900-\ufaff\ufe00-\ufe6f"
    "\ufeff-\uffff\U00010000-\U0010ffff]"
).search
"""Finds characters that may be wider or narrower than one cell; the rest are one wide for sure."""
