"""Stores the contents of small files by digest, so that past states can be shown and compared."""

from __future__ import annotations

import hashlib
from typing import Protocol


def digest(data: bytes) -> str:
    """Return the name under which `data` is stored: its sha256 in hex."""
    return hashlib.sha256(data).hexdigest()


class BlobStore(Protocol):
    """A store for contents. Both methods may be called from any thread."""

    def put(self, data: bytes) -> str:
        """Store `data` and return its digest; does nothing if it is already stored."""
        ...

    def get(self, name: str) -> bytes | None:
        """Return the content with this digest, or None."""
        ...
