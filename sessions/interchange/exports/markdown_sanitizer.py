"""Sanitizes untrusted Markdown: no HTML, links, images or headings.

Code is left unchanged, since CommonMark shows entities and backslashes in code literally. A
CommonMark parser determines which lines are code.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line

MAX_CHARS = 20_000
"""Maximum length of one block; longer ones are cut in the middle, with a note."""

_BACKTICKS = re.compile(r"`+")
_SPANS = re.compile(r"\\.|(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.DOTALL)
_PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
_HARMFUL = frozenset(("html_block", "html_inline", "link_open", "image", "heading_open"))
_END = "nothing opened before may be open here"


def prose(text: str) -> str:
    """Sanitize Markdown as separate blocks; show it as code if it cannot be sanitized."""
    text = sanitize(cut(text.replace("\r\n", "\n").replace("\r", "\n"))).strip("\n")
    if not _is_worth_parsing(text):
        return fence(text)
    made = _escaped(text)
    return made if _is_harmless(made) else fence(text)


def fence(text: str, language: str = "") -> str:
    """Return a code block that the text cannot close."""
    text = sanitize(cut(text.replace("\r\n", "\n"))).rstrip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text}\n{marks}"


def code(text: str) -> str:
    """Format text as inline code."""
    if not text:
        return ""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    marks = "`" * (longest + 1)
    return f"{marks} {text} {marks}" if longest else f"`{text}`"


def code_line(text: str) -> str:
    """Format untrusted text as inline code on one line."""
    return code(sanitize_line(text).strip())


def code_cell(text: str) -> str:
    """Format untrusted text as inline code in a cell of a table."""
    if "\\|" in text:  # parsers disagree on a backslash before an escaped pipe in code
        return inline(text)
    return code_line(text).replace("|", "\\|")


def inline(text: str) -> str:
    """Escape text as plain inline text."""
    text = re.sub(r"([\\`*_{}\[\]()>#+!|~])", r"\\\1", sanitize_line(text)).strip()
    return text.replace("&", "&amp;").replace("<", "&lt;")


def quote(text: str) -> str:
    """Sanitize Markdown as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def cut(text: str) -> str:
    """Return the text, cut in the middle if it is too long."""
    if len(text) <= MAX_CHARS:
        return text
    half = MAX_CHARS // 2
    return f"{text[:half]}\n[… {len(text) - MAX_CHARS} characters …]\n{text[-half:]}"


def _is_worth_parsing(text: str) -> bool:
    """Return whether to parse the text as prose: parsing is slow if most of a text is markup."""
    if len(text) < 2_000:
        return True
    return text.count("\n") < 2_000 and 4 * sum(map(text.count, "[]*_`!<>|\\")) < len(text)


def _escaped(text: str) -> str:
    lines = text.split("\n")
    unparsed = list(lines)
    for token in _PARSER.parse(text):
        if token.map is None:
            continue
        first, last = token.map
        if token.type in ("fence", "code_block"):
            for at in range(first, last):
                unparsed[at] = ""  # code must stay unchanged
        elif token.type == "heading_open":
            at = first if token.markup.startswith("#") else last - 1
            lines[at] = re.sub(r"(#|=|-)", r"\\\1", lines[at], count=1)
        elif token.type == "inline":
            cleaned = _without_links("\n".join(lines[first:last])).split("\n")
            if len(cleaned) == last - first:
                lines[first:last] = cleaned
            for at in range(first, last):
                unparsed[at] = ""
    for at, line in enumerate(unparsed):
        if line:  # HTML, and link definitions
            lines[at] = _plain(lines[at])
    return "\n".join(lines)


def _without_links(text: str) -> str:
    """Return the text with links disabled; code spans stay unchanged."""
    made: list[str] = []
    at = 0
    for span in _SPANS.finditer(text):
        if span[1] is None:
            continue  # an escaped backtick does not open a code span
        made += (_plain(text[at : span.start()]), span[0])
        at = span.end()
    return "".join((*made, _plain(text[at:])))


def _plain(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return text.replace("](", "]\\(").replace("]:", "]\\:").replace("][", "]\\[")


def _is_harmless(text: str) -> bool:
    """Return whether a parser finds no active content in the text, and no block left open that
    would take in the text after it."""
    tokens = _PARSER.parse(f"{text}\n\n{_END}")
    last = tokens[-2] if len(tokens) > 2 else None
    if last is None or last.type != "inline" or last.content != _END or last.level != 1:
        return False
    return not any(token.type in _HARMFUL for token in _flat(tokens))


def _flat(tokens: list[Token]) -> list[Token]:
    return [inner for token in tokens for inner in (token, *(token.children or ()))]
