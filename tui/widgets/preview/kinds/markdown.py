"""Rendered Markdown, wrapped to the width."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.document import Document, Kind, PreviewError, Source, count_of

if TYPE_CHECKING:
    from rich.theme import Theme

MAX_CHARS, MAX_LINES = 100_000, 2_000
"""Longer ones are shown as text: rendering them would take noticeable time."""

MAX_COLUMNS = 100
"""Longer lines are hard to read."""


class MarkdownDocument(Document):
    """A rendered Markdown text."""

    def __init__(self, text: str) -> None:
        self._text = sanitize(text)
        self.facts = f"markdown · {count_of(text.count(chr(10)) + 1, 'line')}"

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        return _laid_out(self._text, min(width, MAX_COLUMNS), palette)


@functools.lru_cache(8)
def _laid_out(text: str, width: int, palette: Palette) -> list[Text]:
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


def _open(source: Source) -> Document:
    if source.text is None:
        raise PreviewError("This is named as Markdown, and is not text.")
    if len(source.text) > MAX_CHARS or source.text.count("\n") > MAX_LINES:
        raise PreviewError("Too long to be laid out; it is shown as text.")
    return MarkdownDocument(source.text)


KIND = Kind("markdown", lambda source: source.suffix in (".md", ".markdown", ".mdown"), _open)
