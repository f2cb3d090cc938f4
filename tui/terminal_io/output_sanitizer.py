"""The last check before the terminal: drops control characters that a widget let through.

Every line of every widget passes it as Textual's own filters are passed (`App.get_line_filters`).
What comes from outside is sanitized where it is drawn (`core.base.sanitize`); this covers places
that forget to, and the widgets of others.
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line


class SanitizingFilter(LineFilter):
    """Takes commands, unseen characters and links out of lines that are to be drawn.

    Attributes:
        stopped: texts it had to change; a test holds it to none.
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
    """As wide as the character was counted, so that nothing behind it moves."""
    return " " * cell_len(char) if char.isprintable() else ""
