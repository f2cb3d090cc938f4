"""What the border of the list of calls tells: counts, and whether there is something new."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from rich.cells import cell_len

from sandbox_tui.core.events.run_state import Item, ReplyItem, RunState

SEPARATOR = " · "


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


def as_many_as_fit(parts: Sequence[str], width: int) -> str:
    """Return the first parts that fit together into this width, joined: no word is cut.

    Args:
        parts: what to say, the most important first.
        width: columns; 0 while unknown, for all parts.
    """
    joined = list(accumulate(parts, lambda before, part: f"{before}{SEPARATOR}{part}"))
    fitting = [words for words in joined if not width or cell_len(words) <= width]
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
