"""Reads a saved run back: the very events that were seen live."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.events import AnyEvent
from .store import Store


def replay(store: Store, run_id: str) -> Iterator[AnyEvent]:
    """The events of a session, in order.

    Raises:
        StoreError: there is no such session, or the file cannot be read.
    """
    return store.events(store.run(run_id).id)
