"""A diff of two texts in which no line is cut: side by side if there is room."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.code import CONTINUED, rows_of
from sandbox_tui.tui.widgets.preview.diff import (
    CHANGED_WORDS,
    CONTEXT_LINES,
    MAX_LINES,
    SPLIT_WIDTH,
    Pair,
    paired_lines,
)
from sandbox_tui.tui.widgets.preview.word_diff import Span

_NUMBER = 5
"""Columns of a line number and the space after it."""


def diff_rows(
    before: str, after: str, width: int, palette: Palette, *, is_whole: bool = False
) -> list[Text]:
    """Return the diff of two texts.

    Args:
        before, after: the texts, left and right.
        width: columns.
        palette: the palette to draw with.
        is_whole: whether all lines are shown, not only those around a change.
    """
    old, new = _lines(before), _lines(after)
    if max(len(old), len(new)) > MAX_LINES:
        return [Text(f"More than {MAX_LINES:,} lines: too many to compare.", style=palette.dim)]
    pairs = list(paired_lines(old, new, None if is_whole else CONTEXT_LINES))
    if width < SPLIT_WIDTH:
        return list(_unified(pairs, width, palette))
    return [row for pair in pairs for row in _split(pair, width, palette)]


def changed_lines(before: str, after: str) -> str:
    """Return how many lines were added and removed: +2 -1; empty for texts too long to compare."""
    old, new = _lines(before), _lines(after)
    if max(len(old), len(new)) > MAX_LINES:
        return ""
    changed = [pair for pair in paired_lines(old, new) if pair.kind == "changed"]
    added = sum(bool(pair.new_number) for pair in changed)
    return f"+{added} -{sum(bool(pair.old_number) for pair in changed)}"


def _lines(text: str) -> list[str]:
    return sanitize(text.expandtabs(4)).removesuffix("\n").split("\n") if text else []


def _unified(pairs: list[Pair], width: int, palette: Palette) -> Iterator[Text]:
    added: list[Text] = []
    for pair in pairs:
        if pair.kind != "changed":
            yield from added
            added.clear()
        if pair.kind == "gap":
            yield Text(f"⋯ line {pair.new_number}", style=palette.faint, no_wrap=True)
        elif pair.kind == "same":
            yield from _signed(" ", pair.new, (), palette.dim, width)
        else:
            old_words, new_words = pair.words
            if pair.old_number:
                yield from _signed("-", pair.old, old_words, palette.bad, width)
            if pair.new_number:
                added += _signed("+", pair.new, new_words, palette.good, width)
    yield from added


def _signed(
    sign: str, text: str, words: tuple[Span, ...], style: Style, width: int
) -> Iterator[Text]:
    line = _marked(text, words, style)
    for place, row in enumerate(rows_of(line, max(1, width - 2))):
        margin = Text(CONTINUED if place else f"{sign} ", style=style, no_wrap=True)
        yield margin.append_text(row)


def _marked(text: str, words: tuple[Span, ...], style: Style) -> Text:
    line = Text(text, style=style, no_wrap=True)
    for start, end in words:
        line.stylize(CHANGED_WORDS, start, end)
    return line


def _split(pair: Pair, width: int, palette: Palette) -> list[Text]:
    if pair.kind == "gap":
        return [Text(f"{'⋯':>4}", style=palette.faint, no_wrap=True)]
    half = (width - 3) // 2
    changed = pair.kind == "changed"
    old_words, new_words = pair.words
    left = _half(
        pair.old_number, "-", pair.old, old_words, palette.bad if changed else None, half, palette
    )
    right = _half(
        pair.new_number, "+", pair.new, new_words, palette.good if changed else None, half, palette
    )
    lines: list[Text] = []
    for one, other in zip_longest(left, right):
        line = Text(no_wrap=True) if one is None else one
        line.pad_right(max(0, half - line.cell_len))
        line.append(" │ ", style=palette.faint)
        lines.append(line if other is None else line.append_text(other))
    return lines


def _half(
    number: int,
    sign: str,
    text: str,
    words: tuple[Span, ...],
    style: Style | None,
    width: int,
    palette: Palette,
) -> list[Text]:
    if not number:
        return []
    mark = " " if style is None else sign
    line = _marked(text, words, style or palette.dim)
    rows: list[Text] = []
    for place, row in enumerate(rows_of(line, max(1, width - _NUMBER - 2))):
        margin = Text(" " * _NUMBER if place else f"{number:>{_NUMBER - 1}} ", no_wrap=True)
        margin.stylize(palette.faint)
        margin.append(CONTINUED if place else f"{mark} ", style=style or palette.faint)
        rows.append(margin.append_text(row))
    return rows
