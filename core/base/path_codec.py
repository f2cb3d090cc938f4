r"""File names as text, for any file name.

A path inside a sandbox is bytes. In events, on screens and in exports it is text: UTF-8 where the
bytes are UTF-8, `\xNN` for a byte that is not, and `\\` for a backslash. The two functions are
inverses of each other, so every name survives and stays distinct.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|\\)")


def path_to_text(path: bytes) -> str:
    """Encode a path as text; never raises, and the text never contains a surrogate."""
    return path.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def text_to_path(text: str) -> bytes:
    """Decode a path from text. Other escapes stay unchanged."""

    def back(match: re.Match[bytes]) -> bytes:
        return bytes.fromhex(match[1].decode()) if match[1] else b"\\"

    return _ESCAPE.sub(back, text.encode("utf-8", "surrogateescape"))
