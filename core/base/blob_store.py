"""Contents of small files, by digest, so that any past moment can be previewed and diffed."""

from __future__ import annotations

import hashlib
from typing import Protocol


def digest(data: bytes) -> str:
    """Name of a content: hex sha256."""
    return hashlib.sha256(data).hexdigest()


class BlobStore(Protocol):
    """A place that keeps contents. Both methods may be called from any thread."""

    def put(self, data: bytes) -> str:
        """Keep `data` and return its digest; keeping it twice costs nothing."""
        ...

    def get(self, name: str) -> bytes | None:
        """The content with this digest, or None."""
        ...
