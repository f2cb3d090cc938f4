"""The position at which a replay starts."""

from __future__ import annotations

from typing import NamedTuple

from sandbox_tui.sessions.search.across_sessions import Hit


class ReplayPosition(NamedTuple):
    """The position at which a replay starts.

    Attributes:
        seq: the event; 0 means the reply of `step`.
        step: the step.
        words: the search match there, to highlight in the calls; empty for none.
    """

    seq: int
    step: int = 0
    words: str = ""


def position_of(hit: Hit) -> ReplayPosition:
    """Return the position of a hit; its words are set if the list of calls shows them."""
    words = ""
    if hit.marks and hit.kind in _IN_CALLS:
        start, end = hit.marks[0]
        words = hit.snippet[start:end].casefold()
    seq = hit.seq if hit.seq or hit.step else hit.run.last_seq
    return ReplayPosition(seq, hit.step, words)


_IN_CALLS = ("task", "reply", "call", "observation", "message", "command")
"""Kinds of hits that are in the list of calls."""
