"""Preview of Markdown, rendered and wrapped to the width."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.document import Document, Kind, PreviewError, Source, count_of
from sandbox_tui.tui.widgets.preview.markdown_layout import lay_out

MAX_CHARS, MAX_LINES = 100_000, 2_000
"""Longer files are shown as text: rendering them would take a noticeable time."""

MAX_COLUMNS = 100
"""Longer lines are hard to read."""


class MarkdownDocument(Document):
    """A rendered Markdown text."""

    def __init__(self, text: str) -> None:
        self._text = sanitize(text)
        lines = text.removesuffix("\n").count("\n") + 1
        self.facts = f"markdown · {count_of(lines, 'line')}"

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        return _laid_out(self._text, min(width, MAX_COLUMNS), palette)


@functools.lru_cache(8)
def _laid_out(text: str, width: int, palette: Palette) -> list[Text]:
    return lay_out(text, width, palette)


def _open(source: Source) -> Document:
    if source.text is None:
        raise PreviewError("The name says Markdown, but this is not text.")
    if len(source.text) > MAX_CHARS or source.text.count("\n") > MAX_LINES:
        raise PreviewError("Too long to render; shown as text.")
    return MarkdownDocument(source.text)


KIND = Kind("markdown", lambda source: source.suffix in (".md", ".markdown", ".mdown"), _open)
