"""Markdown laid out as lines of text, in the colours of a theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from sandbox_tui.tui.theming.palette import Palette

if TYPE_CHECKING:
    from rich.theme import Theme


def lay_out(text: str, width: int, palette: Palette) -> list[Text]:
    """Markdown as lines of at most `width` columns; plain text if the renderer fails on it.

    Args:
        text: the source, free of control characters.
        width: in columns; the layout needs at least 10.
        palette: the palette to draw with.
    """
    from rich.console import Console  # slow to import and seldom needed

    from sandbox_tui.tui.theming.syntax import syntax_theme
    from sandbox_tui.tui.widgets.preview.timed_markdown import TimedMarkdown

    console = Console(
        width=max(10, width), color_system="truecolor", force_terminal=True, theme=_theme(palette)
    )
    shown = TimedMarkdown(text, syntax_theme(palette))
    lines: list[Text] = []
    try:
        rendered = console.render_lines(shown, console.options, pad=False)
    except Exception:  # noqa: BLE001 - a hostile text may break the renderer: it is shown as text
        rendered = []
    for segments in rendered:
        line = Text(no_wrap=True)
        for segment in segments:
            style = segment.style or Style()
            line.append(segment.text.replace("\n", " "), style=_on_our_ground(style))
        line.rstrip()
        lines.append(line)
    return lines or [Text(line, style=palette.text) for line in text.split("\n")]


def _on_our_ground(style: Style) -> Style:
    return Style(
        color=style.color,
        bold=style.bold,
        italic=style.italic,
        underline=style.underline,
        strike=style.strike,
        dim=style.dim,
    )


def _theme(palette: Palette) -> Theme:
    from rich.theme import Theme

    bold = Style(bold=True)
    styles: dict[str, str | Style] = {
        "markdown.h1": palette.accent + bold,
        "markdown.h1.border": palette.faint,
        "markdown.h2": palette.accent + bold,
        "markdown.h3": palette.strong,
        "markdown.h4": palette.strong,
        "markdown.h5": palette.strong,
        "markdown.h6": palette.dim,
        "markdown.code": palette.tool,
        "markdown.code_block": palette.text,
        "markdown.block_quote": palette.model,
        "markdown.item.bullet": palette.accent,
        "markdown.item.number": palette.accent,
        "markdown.hr": palette.faint,
        "markdown.link": palette.tool,
        "markdown.link_url": palette.dim,
        "markdown.table.border": palette.faint,
        "markdown.table.header": palette.strong,
    }
    return Theme(styles)
