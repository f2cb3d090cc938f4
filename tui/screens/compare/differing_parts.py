"""Two calls on one line each, with the parts that differ."""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.tools.call_summaries import full_command, summarize_call
from sandbox_tui.sessions.relations.aligned_calls import Call, Pair
from sandbox_tui.tui.widgets.calls.call_text import readable_arguments
from sandbox_tui.tui.widgets.preview.word_diff import Span, changed_words

CONTEXT = 12
"""Characters shown before the first part that differs."""

SHOWN = 16
"""Characters of the part that differs that should be seen without a cut."""

MAX_CHARACTERS = 4_000
"""Only so much of a call is compared; a row shows less."""


class Words(NamedTuple):
    """A call on one line.

    Attributes:
        text: the call.
        spans: the parts that the other call does not have.
        differs_at: where the two begin to differ; None if they do not.
    """

    text: str
    spans: tuple[Span, ...] = ()
    differs_at: int | None = None


def call_words(call: Call) -> Words:
    """Return a call with nothing to compare it with."""
    return Words(sanitize_line(summarize_call(call.tool, call.arguments)))


def differing_words(pair: Pair) -> tuple[Words | None, Words | None]:
    """Return both calls of a pair with the parts that differ, in the form that shows a
    difference: the whole command, or the first line of the arguments that differs."""
    left, right = pair.left, pair.right
    if left is None or right is None or pair.same:
        return _alone(left), _alone(right)
    mine, theirs = _line(left), _line(right)
    if mine == theirs:
        mine, theirs = _first_differing_line(left, right)
    middle = _middle(mine, theirs)
    spans = changed_words(mine, theirs)
    if spans == ((), ()):
        spans = middle
    at = min((start for side in middle for start, _ in side), default=None)
    return Words(mine, spans[0], at), Words(theirs, spans[1], at)


def around_difference(words: Words, room: int) -> Words:
    """Cut the beginning of a text if the part that differs would not fit into the room."""
    text, at = words.text, words.differs_at
    if at is None or len(text) <= room or at + SHOWN < room:
        return words
    start = max(0, min(at - min(CONTEXT, room // 3), len(text) - room + 1))
    if start <= 1:
        return words
    spans = tuple((max(1, a - start + 1), b - start + 1) for a, b in words.spans if b > start)
    return Words(f"…{text[start:]}", spans, at)


def _alone(call: Call | None) -> Words | None:
    return None if call is None else call_words(call)


def _line(call: Call) -> str:
    return sanitize_line(full_command(call.tool, call.arguments)[:MAX_CHARACTERS])


def _first_differing_line(left: Call, right: Call) -> tuple[str, str]:
    sides = [
        readable_arguments(call.tool, call.arguments)[:MAX_CHARACTERS].split("\n")
        for call in (left, right)
    ]
    summary = _line(left)
    for mine, theirs in zip_longest(*sides):
        if mine != theirs:
            lines = ["(no further line)" if line is None else line for line in (mine, theirs)]
            words = [sanitize_line(line.expandtabs(4).strip()) for line in lines]
            return f"{summary} · {words[0]}", f"{summary} · {words[1]}"
    return summary, summary


def _middle(mine: str, theirs: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return what is left of two texts without their common beginning and end."""
    least = min(len(mine), len(theirs))
    start = next((n for n in range(least) if mine[n] != theirs[n]), least)
    end = 0
    while end < least - start and mine[-1 - end] == theirs[-1 - end]:
        end += 1
    spans = [(start, len(text) - end) for text in (mine, theirs)]
    first, second = ((span,) if span[1] > span[0] else () for span in spans)
    return first, second
