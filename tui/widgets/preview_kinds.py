"""The kinds of file that have a preview of their own. A new one is a file beside this and a line.

The first kind that matches makes the document. What is not what its name promises is shown as
text, below a sentence that says so; what is no text, as facts.
"""

from __future__ import annotations

from . import (
    preview_facts,
    preview_json,
    preview_markdown,
    preview_page,
    preview_picture,
    preview_table,
)
from .preview_document import Document, Kind, Noted, Source, Unshown
from .preview_facts import FactsDocument
from .preview_text import open_text

KINDS: tuple[Kind, ...] = (
    preview_picture.KIND,
    preview_markdown.KIND,
    preview_table.KIND,
    preview_json.KIND,
    preview_json.LINES,
    preview_page.KIND,
    preview_facts.KIND,
)


def document_for(source: Source, *, as_source: bool = False) -> Document:
    """The document for a content; `as_source` shows it as it stands in the file."""
    kind = None if as_source else next((kind for kind in KINDS if kind.matches(source)), None)
    if kind is None or not source.data:
        return _plain(source)
    try:
        return kind.open(source)
    except Unshown as why:
        return Noted(str(why), _plain(source))


def _plain(source: Source) -> Document:
    try:
        return open_text(source)
    except Unshown:
        return FactsDocument(source)
