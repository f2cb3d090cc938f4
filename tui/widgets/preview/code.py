"""Code and prose as styled lines."""

from __future__ import annotations

import functools

from rich.cells import chop_cells
from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.theming.palette import Palette

HIGHLIGHT_CHARS = 60_000
"""Longer texts are not highlighted, because that would take a noticeable time."""


CONTINUED = "↳ "
"""Begins a row that continues the line above it, where it could be taken for another line."""


def highlighted(code: str, lexer: str, palette: Palette) -> list[Text]:
    """Highlight code, one `Text` per line; control characters are made visible."""
    text = sanitize(code.expandtabs(4))
    if len(text) > HIGHLIGHT_CHARS or not lexer:
        return [Text(line) for line in text.split("\n")]
    return [line.copy() for line in _highlight(text, lexer, palette)]


@functools.lru_cache(64)
def _highlight(text: str, lexer: str, palette: Palette) -> tuple[Text, ...]:
    from rich.syntax import Syntax  # lexers are slow to import and not needed at startup

    from sandbox_tui.tui.theming.syntax import syntax_theme
    from sandbox_tui.tui.widgets.preview.timed_lexer import TimeBudget, timed_lexer

    in_time = timed_lexer(lexer, TimeBudget())
    coloured = Syntax(text, in_time, theme=syntax_theme(palette)).highlight(text)
    coloured.no_wrap = True
    return tuple(coloured.split("\n", allow_blank=True))[: text.count("\n") + 1]


@functools.lru_cache(256)
def lexer_for(path: str, start: str = "") -> str:
    """Return the name of the lexer for a file, from its name and first characters; empty for
    none."""
    from rich.syntax import Syntax

    name = Syntax.guess_lexer(path, start or None)
    return "" if name in ("default", "text") else name


def wrapped(text: str, width: int, style: Style) -> list[Text]:
    """Sanitize prose and wrap it to a width."""
    lines: list[Text] = []
    for line in sanitize(text.expandtabs(4)).split("\n"):
        lines += _wrap(line, max(1, width), style)
    return lines


def _wrap(line: str, width: int, style: Style) -> list[Text]:
    if len(line) <= width and line.isascii():
        return [Text(line, style=style, no_wrap=True)]
    from rich.console import Console

    pieces = Text(line, style=style).wrap(Console(width=width), width)
    return list(pieces) or [Text("")]


def rows_of(line: Text, width: int) -> list[Text]:
    """Split a line into rows of at most `width` columns without dropping anything.

    A row ends after a space in its second half, if there is one, otherwise after a slash there.
    """
    if line.cell_len <= width:
        return [line]
    plain, starts = line.plain, [0]
    while True:
        start = starts[-1]
        end = start + max(1, len(chop_cells(plain[start : start + width], width)[0]))
        if end >= len(plain):
            return list(line.divide(starts[1:]))
        half = start + (end - start) // 2
        ways = (plain.rfind(sign, half, end) + 1 for sign in (" ", "/"))
        starts.append(next(filter(None, ways), end))


def indented(lines: list[Text], by: int, style: Style | None = None) -> list[Text]:
    """Return the lines, indented; `style` is applied beneath their own."""
    result: list[Text] = []
    for line in lines:
        moved = Text(" " * by, no_wrap=True)
        moved.append_text(line)
        if style:
            moved.stylize_before(style)
        result.append(moved)
    return result
