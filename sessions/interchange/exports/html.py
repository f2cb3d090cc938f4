"""Exports one HTML file that replays a session offline in any browser: calls, terminals and files.

The session is embedded as data: compressed JSON that the page's only script reads and shows as
text. It is never interpreted as HTML, and the page's content security policy forbids other scripts,
requests and forms.
"""

from __future__ import annotations

import base64
import gzip
import html
import io
import re
from collections.abc import Iterable

from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording, shortened
from sandbox_tui.sessions.interchange.exports.html_page.page_data import page_data
from sandbox_tui.sessions.interchange.exports.html_page.script import script
from sandbox_tui.sessions.interchange.exports.html_page.standalone import (
    fill,
    palette,
    policy,
    resource,
)

_FOLDER = f"{__package__}.html_page"
_DATA = re.compile(rb'id="data">([A-Za-z0-9+/=]*)</script>')


def write(recording: Recording) -> Iterable[Part]:
    """Write the run as a page that replays it."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=6, mtime=0) as file:
        for piece in page_data(recording):
            file.write(piece)
    page = _page(recording, base64.b64encode(packed.getbuffer()).decode())
    return [Part(".html", page.encode("utf-8", "replace"))]


def _page(recording: Recording, packed: str) -> str:
    style, player = palette() + resource(_FOLDER, "page.css"), script()
    title = shortened(recording.summary.title or recording.started.task, 100)
    fields = {
        "@policy@": policy(style, player),
        "@title@": html.escape(title or "session"),
        "@style@": style,
        "@data@": packed,
        "@script@": player,
    }
    return fill(resource(_FOLDER, "page.html"), fields)


def unpack(page: bytes) -> Iterable[bytes]:
    """Return the page, and the data that it plays."""
    found = _DATA.search(page)
    return (page,) if found is None else (page, gzip.decompress(base64.b64decode(found[1])))


EXPORTER = Exporter("html", "one file that plays in a browser", ".html", write, unpack)
