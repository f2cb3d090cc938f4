"""The kinds of file with their own preview. A new kind is a file in this folder and a line here.

The first matching kind creates the document. A file that is not what its name promises is shown as
text below a sentence that says so; a file that is not text is shown as facts.
"""

from __future__ import annotations

from sandbox_tui.tui.widgets.preview.document import (
    Document,
    Kind,
    PreviewError,
    Source,
    WithNotice,
)
from sandbox_tui.tui.widgets.preview.kinds import binary, html, json_tree, markdown, picture, table
from sandbox_tui.tui.widgets.preview.kinds.binary import BinaryDocument
from sandbox_tui.tui.widgets.preview.kinds.text import open_text

KINDS: tuple[Kind, ...] = (
    picture.KIND,
    markdown.KIND,
    table.KIND,
    json_tree.KIND,
    json_tree.LINES,
    html.KIND,
    binary.KIND,
)


def document_for(source: Source, *, as_source: bool = False) -> Document:
    """Return the document for some content; `as_source` shows the source of a text."""
    kind = None if as_source else next((kind for kind in KINDS if kind.matches(source)), None)
    if kind is None or not source.data:
        return _plain(source)
    try:
        return kind.open(source)
    except PreviewError as why:
        return WithNotice(str(why), _plain(source))


def _plain(source: Source) -> Document:
    try:
        return open_text(source)
    except PreviewError:
        return BinaryDocument(source)
