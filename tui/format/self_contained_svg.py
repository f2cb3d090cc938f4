"""Textual's pictures of a screen, made independent of anything outside."""

from __future__ import annotations

import re

_FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}\s*")
_NAMED = "font-family: Fira Code, monospace"
_OWN = 'font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'


def self_contained(drawn: str) -> bytes:
    """An SVG file that loads no font: every cell's place is written in it anyway.

    Args:
        drawn: as `App.export_screenshot` gives it.
    """
    return _FONT_FACE.sub("", drawn).replace(_NAMED, _OWN).encode("utf-8", "replace")
