"""Preview of HTML: its source, and how to open it in a browser."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from typing_extensions import override

from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.document import Document, Kind, LinesBelow, Source
from sandbox_tui.tui.widgets.preview.kinds.text import open_text

SUFFIXES = (".html", ".htm", ".xhtml", ".svg")


class HtmlDocument(Document):
    """The source of a page, below a line that says how to open it."""

    def __init__(self, source: Source) -> None:
        self._source = open_text(source, "page")
        self.facts = self._source.facts

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        hint = Text("O ", style=palette.accent, no_wrap=True)
        hint.append("opens this page in your browser", style=palette.dim)
        below = self._source.lines(width, palette)
        self.numbers = self._source.numbers
        return LinesBelow([hint], below)


KIND = Kind("page", lambda source: source.suffix in SUFFIXES, HtmlDocument)
