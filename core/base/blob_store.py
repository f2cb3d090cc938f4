"""Contents of small files, by digest, so that any past state can be previewed and compared."""

from __future__ import annotations

import hashlib
from typing import Protocol


def digest(data: bytes) -> str:
    """Return the name of a content: its hex sha256."""
    return hashlib.sha256(data).hexdigest()


class BlobStore(Protocol):
    """A store for contents. Both methods may be called from any thread."""

    def put(self, data: bytes) -> str:
        """Store `data` and return its digest; storing it again costs nothing."""
        ...

    def get(self, name: str) -> bytes | None:
        """Return the content with this digest, or None."""
        ...
