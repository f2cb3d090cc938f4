"""HTML: its source, and where to see it as a page."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ..palette import Palette
from .preview_document import Document, Kind, Source
from .preview_text import open_text

SUFFIXES = (".html", ".htm", ".xhtml", ".svg")


class PageDocument(Document):
    """The source of a page below a line that says how to open it."""

    def __init__(self, source: Source) -> None:
        self._source = open_text(source, "page")
        self.facts = self._source.facts

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """See `Document`."""
        hint = Text("O ", style=palette.accent, no_wrap=True)
        hint.append("opens this page in your browser", style=palette.dim)
        below = self._source.lines(width, palette)
        self.numbers = self._source.numbers
        return [hint, *below]


KIND = Kind("page", lambda source: source.suffix in SUFFIXES, PageDocument)
