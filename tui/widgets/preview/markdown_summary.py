"""A Markdown text as one line of plain words."""

from __future__ import annotations

from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.growing_markdown import markdown_lines

COLUMNS = 400
"""Width at which the text is laid out; its lines are joined again."""


def markdown_summary(text: str, palette: Palette) -> str:
    """Return a text, or a piece of it, without its Markdown syntax."""
    lines = markdown_lines(text, COLUMNS, palette)
    return " ".join(line.plain.strip() for line in lines if line.plain.strip())
