"""Input files given as bytes: recorded by digest, with their content stored as blobs."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from sandbox_tui.core.base.blob_store import BlobStore, digest
from sandbox_tui.core.sandboxes.base import Sandbox


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the digest of each file's content, by path."""
    return {path: digest(data) for path, data in files.items()}


def stored_files(recorded: Mapping[str, str], blobs: BlobStore) -> dict[str, bytes]:
    """Return the files whose content is in the blob store.

    Args:
        recorded: digest by path.
        blobs: where contents are stored.
    """
    found = {path: blobs.get(name) for path, name in recorded.items()}
    return {path: data for path, data in found.items() if data is not None}


async def write_files(files: Mapping[str, bytes], sandbox: Sandbox, folder: str) -> None:
    """Write files below `folder`; absolute paths are kept as they are."""
    for path, data in files.items():
        await sandbox.write_file(posixpath.join(folder, path), data)
