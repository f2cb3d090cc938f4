"""Markdown that grows: each part is laid out once, and only the last one again.

A reply arrives in hundreds of fragments, and laying out the whole text for each of them would take
quadratic time. Like Textual's `MarkdownStream`, this module processes only the part that can still
change. A part ends where later text cannot change its layout: at a blank line before a line that
starts neither a list item nor an indented block, and at both ends of a code block. A longer list or
table is split between items or rows, and the head of the table is repeated.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.code import highlighted, indented, rows_of, wrapped
from sandbox_tui.tui.widgets.preview.markdown_layout import lay_out

MAX_PART_CHARS = 4_000
"""Longer prose is split where a line begins at the margin. What is longer still, such as a line, is
shown as plain text: laying it out for each fragment would be slow."""

MAX_PARTS = 4_096
"""Parts kept as drawn, some megabytes at most: with fewer than a reply has, each of its fragments
would draw all of it again."""

MAX_CODE_LINES = 40
"""Number of code lines that are highlighted together."""

_BLANK = Text()
_FENCE = re.compile(r"(`{3,}|~{3,})([^`]*)$")
_CONTINUES = re.compile(r"[ \t]|[-+*]([ \t]|$)|\d{1,9}[.)]([ \t]|$)")
"""The start of a line after a blank one that may continue the list above it."""

_TABLE_RULE = re.compile(r"[ ]{0,3}\|?[ ]*:?-+:?[ ]*(\|[ ]*:?-+:?[ ]*)*\|?[ ]*$")
"""The line between the head and the rows of a table."""


@dataclass(frozen=True, slots=True)
class Part:
    """Prose, or code with the name of its language.

    Attributes:
        text: the source; for code, the text between the fences.
        language: None for prose; empty for code without a language.
        follows: whether it continues the code block or the list before it.
    """

    text: str
    language: str | None = None
    follows: bool = False


def markdown_lines(text: str, width: int, palette: Palette, indent: int = 0) -> list[Text]:
    """Markdown as lines. They are cached: copy a line before you change it.

    Args:
        text: the source received so far.
        width: width of the text, in columns.
        palette: the palette to draw with.
        indent: columns to the left of the text.
    """
    lines: list[Text] = []
    for part in parts_of(sanitize(text.strip("\n").expandtabs(4))):
        if lines and not part.follows:
            lines.append(_BLANK)
        lines += _drawn(part, max(10, width), indent, palette)
    return lines


def parts_of(text: str) -> Iterator[Part]:
    """Yield the parts of a text, in order."""
    prose: list[str] = []
    lines = iter(text.split("\n"))
    for line in lines:
        fence = _FENCE.match(line)
        blank = bool(prose) and not prose[-1].strip()
        if fence is not None or (blank and line.strip() and not _CONTINUES.match(line)):
            yield from _prose(prose)
            prose = []
        if fence is None:
            prose.append(line)
        else:
            yield from _code(lines, fence[1], fence[2].strip().partition(" ")[0])
    yield from _prose(prose)


def _prose(lines: list[str]) -> Iterator[Part]:
    text = "\n".join(lines).strip("\n")
    if len(text) > MAX_PART_CHARS:
        yield from _pieces(text.split("\n"))
    elif text.strip():
        yield Part(text)


def _pieces(lines: list[str]) -> Iterator[Part]:
    """Split long prose between lines at the margin; each piece of a table has its head."""
    piece: list[str] = []
    head: list[str] = []
    size, follows = 0, False
    for line in lines:
        is_rule = bool(piece) and "|" in piece[-1] and _TABLE_RULE.match(line) is not None
        if size + len(line) > MAX_PART_CHARS and piece and line[:1].strip() and not is_rule:
            yield Part("\n".join(piece).strip("\n"), follows=follows)
            head = head if "|" in line else []
            piece, follows = [*head], not head
            size = sum(len(one) + 1 for one in piece)
        if is_rule:
            head = [piece[-1], line]
        elif "|" not in line:
            head = []
        piece.append(line)
        size += len(line) + 1
    yield Part("\n".join(piece).strip("\n"), follows=follows)


def _code(lines: Iterator[str], fence: str, language: str) -> Iterator[Part]:
    """Yield the lines up to the closing fence, which is consumed from the iterator."""
    body: list[str] = []
    follows = False
    for line in lines:
        bare = line.strip()
        if bare.startswith(fence) and not bare.strip(fence[0]):
            break
        body.append(line)
        if len(body) == MAX_CODE_LINES:
            yield Part("\n".join(body), language, follows)
            body, follows = [], True
    if body or not follows:
        yield Part("\n".join(body), language, follows)


@functools.lru_cache(MAX_PARTS)
def _drawn(part: Part, width: int, indent: int, palette: Palette) -> tuple[Text, ...]:
    return tuple(indented(_laid_out(part, width, palette), indent))


def _laid_out(part: Part, width: int, palette: Palette) -> list[Text]:
    if part.language is not None:
        return list(_inset(part.text, part.language, width, palette))
    if len(part.text) > MAX_PART_CHARS:
        return wrapped(part.text, width, palette.text)
    return _without_blank_ends(lay_out(part.text, width, palette))


def _without_blank_ends(lines: list[Text]) -> list[Text]:
    """Drop the blank lines that tables and quotes have around them."""
    full = [place for place, line in enumerate(lines) if line.plain.strip()]
    return lines[full[0] : full[-1] + 1] if full else []


def _inset(code: str, language: str, width: int, palette: Palette) -> Iterator[Text]:
    """Yield code on its own background, with long lines split into rows."""
    for line in highlighted(code, language, palette):
        for row in rows_of(line, width - 2):
            shown = Text(" ", no_wrap=True).append_text(row)
            shown.pad_right(max(0, width - shown.cell_len))
            shown.stylize_before(palette.code)
            yield shown
