"""The HTML page for reports: one file without scripts that loads nothing."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.sessions.interchange.exports.html_page.standalone import (
    fill,
    palette,
    policy,
    resource,
)

MAX_TEXT_CHARS = 400


def page(title: str, summary: str, sections: Iterable[str]) -> str:
    """Return the complete page.

    Args:
        title, summary: text.
        sections: HTML.
    """
    folder = __package__ or ""
    style = palette() + resource(folder, "report.css")
    fields = {
        "@policy@": policy(style),
        "@title@": text(title),
        "@summary@": text(summary),
        "@style@": style,
        "@body@": "\n".join(sections),
    }
    return fill(resource(folder, "report.html"), fields)


def text(words: str) -> str:
    """Escape untrusted text as one line, cut to `MAX_TEXT_CHARS`."""
    return html.escape(sanitize_line(cut(words)))


def lines(words: str) -> str:
    """Escape untrusted text with its line breaks, cut to `MAX_TEXT_CHARS`."""
    return html.escape(sanitize(cut(words).replace("\r\n", "\n")))


def cut(words: str) -> str:
    """Cut text in the middle if it is too long."""
    if len(words) <= MAX_TEXT_CHARS:
        return words
    half = MAX_TEXT_CHARS // 2
    return f"{words[:half]} … {words[-half:]}"


def section(title: str, *content: str, anchor: str = "") -> str:
    """Return a section under a heading; `content` is HTML."""
    name = f' id="{anchor}"' if anchor else ""
    return f"<section><h2{name}>{text(title)}</h2>{''.join(content)}</section>"


def definitions(found: Sequence[tuple[str, str]]) -> str:
    """Format names and values as a definition list."""
    items = (f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in found)
    return f"<dl>{''.join(items)}</dl>"


def items(found: Iterable[str]) -> str:
    """Format texts as a list."""
    return f"<ul>{''.join(f'<li>{text(each)}</li>' for each in found)}</ul>"


def link(words: str, target: str | None) -> str:
    """Return a link if there is a target, otherwise just the words; `words` is HTML."""
    return f'<a href="{html.escape(target)}">{words}</a>' if target else words
