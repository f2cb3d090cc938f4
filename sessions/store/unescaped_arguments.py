r"""Decodes the escapes of a call's JSON arguments that keep words from being found.

Some servers send every non-ASCII character as `\uXXXX`, and characters outside the Basic
Multilingual Plane as a pair of surrogates (RFC 8259, section 7).
"""

from __future__ import annotations

import json
import re

_ESCAPE = re.compile(
    r"\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<code>[0-9a-fA-F]{4})|.)",
    re.DOTALL,
)
"""Matches every escape, so that an escaped backslash does not begin another one."""

_KEPT = re.compile(r'["\\\x00-\x1f\x7f-\x9f\ud800-\udfff\ue000\ue001]')
"""Characters that stay escaped: those that JSON requires, control characters, half a pair, and
the marks of search results."""


def unescaped_arguments(arguments: str) -> str:
    r"""Return JSON arguments with characters instead of `\uXXXX`: equal when parsed. Malformed
    ones stay as they are."""
    if "\\u" not in arguments:
        return arguments
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return unescaped(arguments)


def unescaped(text: str) -> str:
    r"""Return a text with characters instead of `\uXXXX`."""
    return _ESCAPE.sub(_character, text) if "\\u" in text else text


def _character(found: re.Match[str]) -> str:
    if found["high"]:
        high, low = int(found["high"], 16), int(found["low"], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    if not found["code"]:
        return found[0]
    character = chr(int(found["code"], 16))
    return found[0] if _KEPT.match(character) else character
