"""The script of the HTML page: one part a file, which share the names that they define."""

from __future__ import annotations

from sandbox_tui.sessions.interchange.exports.html_page.standalone import resource

PARTS = (
    "dom.js",
    "code.js",
    "markdown.js",
    "items.js",
    "terminals.js",
    "files.js",
    "search.js",
    "player.js",
)
"""In the order in which they run."""


def script() -> str:
    """The one script of the page."""
    parts = "\n".join(resource(__name__, part) for part in PARTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'
