"""The script of the HTML page, in several files that share one scope."""

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
    """Return the parts joined into one script."""
    parts = "\n".join(resource(__name__, part) for part in PARTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'
