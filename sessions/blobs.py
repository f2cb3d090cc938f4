"""Contents of a run's files, kept in the session database."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .store import Store


class RunBlobs:
    """The contents of one run's files; see `core.blobs.Blobs`."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run_id = run_id

    def put(self, data: bytes) -> str:
        """See `Blobs.put`."""
        return self._store.put_blob(self._run_id, data)

    def get(self, name: str) -> bytes | None:
        """See `Blobs.get`."""
        return self._store.get_blob(name)
