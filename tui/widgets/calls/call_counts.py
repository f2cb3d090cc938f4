"""What the border of the list of calls tells: counts, and whether there is something new."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from rich.cells import cell_len

from sandbox_tui.core.events.run_state import Item, ReplyItem, RunState

SEPARATOR = " · "

_BESIDE_WORDS = 4
"""Columns inside a frame that its words leave free: a line and a blank on both sides."""


def call_counts(state: RunState) -> list[str]:
    """Return how many calls failed, were interrupted, edited or decided otherwise, and how many
    actions were by the user."""
    totals, decisions = state.totals, state.decisions
    counts = {
        "failed": totals.failed_calls,
        "interrupted": totals.interrupted_calls,
        "edited": decisions.get("edit", 0),
        "rejected": decisions.get("reject", 0),
        "answered": decisions.get("answer", 0),
        "skipped": decisions.get("skip", 0),
        "by you": len(state.humans),
    }
    return [f"{number} {word}" for word, number in counts.items() if number]


def as_many_as_fit(parts: Sequence[str], inside: int) -> str:
    """Return the first parts that fit together on the border of a frame, joined, with an ellipsis
    for those left out if it has room: no word is cut.

    Args:
        parts: what to say, the most important first.
        inside: columns inside the frame; 0 while unknown, for all parts.
    """
    width = inside - _BESIDE_WORDS
    joined = list(accumulate(parts, lambda before, part: f"{before}{SEPARATOR}{part}"))
    if not joined or not inside or cell_len(joined[-1]) <= width:
        return joined[-1] if joined else ""
    cut = [f"{words}{SEPARATOR}…" for words in joined[:-1]]
    fitting = [words for words in (joined[0], *cut) if cell_len(words) <= width]
    return fitting[-1] if fitting else ""


def extent(last: Item | None, count: int) -> tuple[int, int]:
    """Return how much a list shows, for comparisons: its items, and the length of the reply that is
    its last item."""
    length = len(last.text) + len(last.reasoning) if isinstance(last, ReplyItem) else 0
    return count, length


def end_words(now: tuple[int, int], left_at: tuple[int, int]) -> str:
    """Return what the border says while the end is out of view.

    Args:
        now: the extent of the list.
        left_at: its extent when the user scrolled up.
    """
    return "↓ new below" if now > left_at else "↓ end = follow"
