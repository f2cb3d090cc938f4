"""The last check before the terminal: drops control characters that a widget let through.

It is applied to every line of every widget, like Textual's own filters (`App.get_line_filters`).
Untrusted text is sanitized where it is drawn (`core.base.sanitize`); this covers places that forget
to, and third-party widgets.
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line


class SanitizingFilter(LineFilter):
    """Removes control sequences, invisible characters and links from lines to be drawn.

    Attributes:
        stopped: texts that it had to change; a test asserts that there are none.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stopped: list[str] = []

    @override
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [one if _harmless(one) else self._without(one) for one in segments]

    def _without(self, segment: Segment) -> Segment:
        text, style, control = segment
        if not control and sanitize_line(text) != text:
            self.stopped = [*self.stopped[-9:], text]
            text = "".join(char if sanitize_line(char) == char else _blank(char) for char in text)
        return Segment(text, style.update_link(None) if style else None, control)


def _harmless(segment: Segment) -> bool:
    text, style, _ = segment
    if style is not None and style.link:
        return False
    return (text.isascii() and text.isprintable()) or sanitize_line(text) == text


def _blank(char: str) -> str:
    """Return blanks as wide as the character, so that nothing after it moves."""
    return " " * cell_len(char) if char.isprintable() else ""
