"""Search through the whole of a replayed session."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.playback.throttle import Throttle
from sandbox_tui.sessions.search.within_session import occurrences
from sandbox_tui.tui.widgets.search_line import SEARCHING

REST = 0.2
"""Share of time in which the search pauses, so that the screen stays responsive."""


class SessionSearch:
    """The events of a session that contain some words.

    Attributes:
        words: the words to search for; empty for none.
        origin: the event from which to search while the words are typed.
    """

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._found: list[int] | None = []  # None until it is known
        self.words = ""
        self.origin = 0

    def clear(self, words: str) -> None:
        """Discard the matches and set other words to search for."""
        self.words = words
        self._found = None if words else []

    @property
    def _hits(self) -> list[int]:
        return self._found or []

    async def look_for(self, words: str) -> None:
        """Find the matching events.

        Raises:
            StoreError: the database cannot be read.
        """
        throttle = Throttle(rest=REST)
        try:
            self._found = await asyncio.to_thread(
                occurrences, self._store, self._run_id, words, rest=throttle
            )
        except StoreError:
            self._found = []
            raise
        finally:
            throttle.stop()

    def first_hit_from(self, seq: int) -> int | None:
        """Return the first match at or after an event, wrapping at the end; None if there is
        none."""
        if not self._hits:
            return None
        return self._hits[bisect_left(self._hits, seq) % len(self._hits)]

    def next(self, seq: int, direction: int) -> int | None:
        """Return the next match after an event (1) or the previous one (-1), wrapping at the
        ends."""
        if not self._hits:
            return None
        at = bisect_right(self._hits, seq) if direction > 0 else bisect_left(self._hits, seq) - 1
        return self._hits[at % len(self._hits)]

    def is_hit(self, seq: int) -> bool:
        """Return whether an event is a match."""
        at = bisect_left(self._hits, seq)
        return self._hits[at : at + 1] == [seq]

    def is_only_hit(self, seq: int) -> bool:
        """Return whether an event is the only match."""
        return self._found == [seq]

    def sentence(self, seq: int) -> str:
        """Return the number of matches, and which one this event is; that it is looking for them
        until they are known."""
        if not self.words:
            return ""
        if self._found is None:
            return SEARCHING
        text = f"{len(self._hits)} found" if self._hits else "no matches"
        return f"{bisect_left(self._hits, seq) + 1} of {text}" if self.is_hit(seq) else text
