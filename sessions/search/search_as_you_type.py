"""Searches while the user types, on a separate connection that does not block recordings."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions.search.across_sessions import Hit, find
from sandbox_tui.sessions.search.query import Query
from sandbox_tui.sessions.search.query_completion import Values, known_values
from sandbox_tui.sessions.search.sample_labels import sample_labels
from sandbox_tui.sessions.store.store import Store

MAX_HITS = 200
MAX_HITS_PER_SESSION = 5
"""Maximum number of matches shown per session."""

SNIPPET_WORDS = 48
"""Length of a snippet: as many words as a wide line takes."""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a query.

    Attributes:
        query: the query.
        hits: the matches, grouped by session.
        is_complete: whether these are all matches.
        labels: suite and task of the sessions that are samples of an evaluation.
    """

    query: Query
    hits: list[Hit]
    is_complete: bool
    labels: Mapping[str, str] = field(default_factory=dict[str, str])


class Finder:
    """A search in a session database. Methods may be called from any thread, one at a time.

    Args:
        path: of the session database.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._store: Store | None = None
        self._closed = False
        self._lock = threading.Lock()

    def find(self, query: Query) -> Found:
        """Return the matches of a query.

        Raises:
            StoreError: the database cannot be read.
        """
        store = self._opened()
        hits = find(store, query, limit=MAX_HITS, each=MAX_HITS_PER_SESSION, words=SNIPPET_WORDS)
        labels = sample_labels(store, (hit.run.id for hit in hits))
        return Found(query, hits, len(hits) < MAX_HITS, labels)

    def values(self) -> Values:
        """Return the values that each filter can take in this database.

        Raises:
            StoreError: the database cannot be read.
        """
        return known_values(self._opened())

    def close(self) -> None:
        """Close the connection; later calls raise `StoreError`."""
        with self._lock:
            self._closed = True
            if self._store is not None:
                self._store.close()

    def _opened(self) -> Store:
        with self._lock:
            if self._store is None and not self._closed:
                self._store = Store.open_readonly_if_needed(self._path)
            if self._store is None:
                raise StoreError("The search is over.")
            return self._store
