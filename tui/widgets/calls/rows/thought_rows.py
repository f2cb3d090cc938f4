"""Rows of a model's thinking in the list of calls."""

from __future__ import annotations

import functools

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import ReplyItem
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.row_parts import GUTTER
from sandbox_tui.tui.widgets.preview.code import wrapped
from sandbox_tui.tui.widgets.preview.growing_markdown import MAX_PARTS

NEWEST_ROWS = 6
"""Rows of long thinking that are shown while it streams, even if the view must scroll for them."""

LONG_CHARACTERS = 400
"""Thinking of more characters, or more lines than `NEWEST_ROWS`, is long."""

MAX_SUMMARY_CHARS = 400
"""Characters of the thinking from which its one line is made."""

THOUGHT = Style(italic=True)


def has_long_thinking(item: ReplyItem) -> bool:
    """Return whether a reply's thinking is folded until the user opens the reply."""
    thinking = item.reasoning.strip()
    return len(thinking) > LONG_CHARACTERS or thinking.count("\n") >= NEWEST_ROWS


def thought_lines(
    item: ReplyItem, width: int, palette: Palette, *, whole: bool, rows_left: int = 0
) -> list[Text]:
    """Return a reply's thinking next to a bar.

    Args:
        item: the reply.
        width: columns for words.
        palette: the palette to draw with.
        whole: whether long thinking is shown in full; otherwise its newest rows while it streams,
            and one line from then on.
        rows_left: rows that it may fill without scrolling while it streams.
    """
    thinking = item.reasoning.strip()
    if not thinking:
        return []
    if whole or not has_long_thinking(item):
        return [row for words in thinking.split("\n") for row in _rows(words, width, palette)]
    amount = numbers.counted(len(thinking), "character")
    head = Text("▸ ".ljust(GUTTER), style=palette.dim, no_wrap=True)
    if item.ended or item.text.strip() or item.writing:
        head.append(f"thought · {amount} · {first_words(thinking)}", style=THOUGHT)
        fit_line(head, width + GUTTER)
        return [head]
    count = max(NEWEST_ROWS, rows_left - 1)
    newest = thinking[-count * width :].split("\n")[-count:]
    rows = [row for words in newest for row in _rows(words, width, palette)]
    return [head.append(f"thinking · {amount}"), *rows[-count:]]


def first_words(thinking: str) -> str:
    """Return the beginning of some thinking on one line."""
    lines = thinking[:MAX_SUMMARY_CHARS].split("\n")
    return " ".join(sanitize_line(line) for line in lines if line)


@functools.lru_cache(MAX_PARTS)
def _rows(words: str, width: int, palette: Palette) -> tuple[Text, ...]:
    """Wrap one line of thinking; cached because only the last line still changes."""
    bar = Text(" " * GUTTER, no_wrap=True).append("│ ", style=palette.faint)
    rows = wrapped(words, width - 2, palette.model + THOUGHT)
    return tuple(bar.copy().append_text(row) for row in rows)
