"""Looking for words in the whole of a session that is replayed."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.playback.throttle import Throttle
from sandbox_tui.sessions.search.within_session import occurrences

REST = 0.2
"""Share of the time in which the search rests, so that the screen stays quick."""


class SessionSearch:
    """The events of a session that hold some words.

    Attributes:
        words: what is looked for; empty for nothing.
    """

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._hits: list[int] = []
        self.words = ""

    def clear(self, words: str) -> None:
        """Forget what was found; other words are looked for from now on."""
        self.words, self._hits = words, []

    async def look_for(self, words: str) -> None:
        """Find the events.

        Raises:
            StoreError: the database cannot be read.
        """
        throttle = Throttle(rest=REST)
        try:
            self._hits = await asyncio.to_thread(
                occurrences, self._store, self._run_id, words, rest=throttle
            )
        finally:
            throttle.stop()

    def first_from(self, seq: int) -> int | None:
        """The hit at an event or after it, round the end; None where there is none."""
        if not self._hits:
            return None
        return self._hits[bisect_left(self._hits, seq) % len(self._hits)]

    def next(self, seq: int, direction: int) -> int | None:
        """The next hit after an event, or the one before it (-1), round the end."""
        if not self._hits:
            return None
        at = bisect_right(self._hits, seq) if direction > 0 else bisect_left(self._hits, seq) - 1
        return self._hits[at % len(self._hits)]

    def sentence(self, seq: int) -> str:
        """How many there are, and which of them an event is."""
        if not self.words:
            return ""
        said = f"{len(self._hits)} found" if self._hits else "no matches"
        at = bisect_left(self._hits, seq)
        return f"{at + 1} of {said}" if self._hits[at : at + 1] == [seq] else said
