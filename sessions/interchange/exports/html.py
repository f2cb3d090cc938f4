"""One HTML file that plays a session in any browser, offline: calls, terminals, files, in step.

The session is data: compressed JSON that the page's only script reads and shows as text. None of it
is ever HTML, and the page's content security policy forbids other scripts, requests and forms.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import io
from collections.abc import Iterable
from importlib import resources
from typing import Any

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording
from sandbox_tui.sessions.interchange.exports.html_page.page_data import page_data


def write(recording: Recording) -> Iterable[Part]:
    """Write the run as a page that plays it."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=6, mtime=0) as file:
        for piece in page_data(recording):
            file.write(piece)
    page = _page(recording, base64.b64encode(packed.getbuffer()).decode())
    return [Part(".html", page.encode("utf-8", "replace"))]


def _page(recording: Recording, packed: str) -> str:
    style, script = _resource("page.css"), _resource("page.js")
    title = sanitize_line(recording.summary.title or recording.started.task.strip()[:100])
    fields: dict[str, Any] = {
        "@policy@": f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'"
        "; base-uri 'none'; form-action 'none'",
        "@title@": html.escape(title or "session"),
        "@style@": style,
        "@data@": packed,
        "@script@": script,
    }
    page = _resource("page.html")
    pieces: list[str] = []
    while page:
        at, name = min(
            ((page.find(name), name) for name in fields if name in page), default=(len(page), "")
        )
        pieces += (page[:at], fields.get(name, ""))
        page = page[at + len(name) :]
    return "".join(pieces)


def _resource(name: str) -> str:
    return resources.files(f"{__package__}.html_page").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """A source expression of a content security policy (CSP 3, 2.3.1)."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


EXPORTER = Exporter("html", "one HTML file that plays in a browser, offline", write)
