"""Makes Textual's screenshots independent of external resources."""

from __future__ import annotations

import re

_FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}\s*")
_NAMED = "font-family: Fira Code, monospace"
_OWN = 'font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'


def self_contained(drawn: str) -> bytes:
    """Return an SVG file that loads no fonts, which works because it gives the position of every
    cell.

    Args:
        drawn: the output of `App.export_screenshot`.
    """
    return _FONT_FACE.sub("", drawn).replace(_NAMED, _OWN).encode("utf-8", "replace")
