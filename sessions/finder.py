"""Finds sessions while somebody types, on a connection of its own: no recording has to wait."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import StoreError
from .search import Hit, find
from .search_completion import Values, known_values
from .search_index import catch_up
from .search_query import Query
from .store import Store

MOST = 200
EACH = 5
"""Places shown of one session."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a query has come to.

    Attributes:
        hits: the places, those of a session together.
        whole: whether there were no more than are shown, of sessions or of places in one.
    """

    hits: list[Hit]
    whole: bool


class Finder:
    """Every method may be called from any thread, and waits for the others; close it at the end.

    Args:
        path: of the session database.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._store: Store | None = None
        self._closed = False
        self._lock = threading.Lock()

    def find(self, query: Query) -> Found:
        """The places that are known by now.

        Raises:
            StoreError: the file cannot be read.
        """
        hits = find(self._opened(), query, limit=MOST, each=EACH)
        return Found(hits, len(hits) < MOST)

    def values(self) -> Values:
        """What filters can be given here.

        Raises:
            StoreError: the file cannot be read.
        """
        return known_values(self._opened())

    def catch_up(self, rest: Callable[[], bool]) -> bool:
        """Take in what was recorded since; see `search_index.catch_up`.

        Raises:
            StoreError: the file cannot be read.
        """
        return catch_up(self._opened(), rest=rest)

    def close(self) -> None:
        """Close the connection; what is asked afterwards is answered by an error."""
        with self._lock:
            self._closed = True
            if self._store is not None:
                self._store.close()

    def _opened(self) -> Store:
        with self._lock:
            if self._store is None and not self._closed:
                self._store = Store.to_read(self._path)
            if self._store is None:
                raise StoreError("The search is over.")
            return self._store
