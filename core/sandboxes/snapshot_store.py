"""Lists, finds and removes the stored snapshots of every kind of sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from sandbox_tui.core.base.errors import SandboxError
from sandbox_tui.core.sandboxes.base import SnapshotStore, StoredSnapshot
from sandbox_tui.core.sandboxes.bubblewrap.snapshots import FolderSnapshots
from sandbox_tui.core.sandboxes.docker.engine import SNAPSHOTS
from sandbox_tui.core.sandboxes.docker.snapshots.images import ImageSnapshots


def kind_of(name: str) -> Literal["docker", "bubblewrap"]:
    """Return the kind of sandbox that took the snapshot of this name."""
    return "docker" if name.startswith(f"{SNAPSHOTS}:") else "bubblewrap"


class SnapshotStores:
    """The snapshots on this machine and on its Docker engine.

    Args:
        folder: where embedded sandboxes store theirs.
    """

    def __init__(self, folder: Path) -> None:
        self._folders = FolderSnapshots(folder)
        self._images = ImageSnapshots()

    def list(self, session: str | None = None) -> tuple[list[StoredSnapshot], str]:
        """Return all snapshots, or those of one session; and why some may be missing.

        The reason is a sentence, empty if none are missing.
        """
        found = self._folders.list(session)
        try:
            return found + self._images.list(session), ""
        except SandboxError as error:
            return found, str(error)

    def exists(self, name: str) -> bool:
        """Return whether a sandbox can start from this snapshot now."""
        return self._store_of(name).exists(name)

    def remove(self, name: str) -> bool:
        """Remove a snapshot; False if we have none of this name.

        Raises:
            SandboxError: it cannot be removed (SandboxUnavailable: no engine answers).
        """
        return self._store_of(name).remove(name)

    def remove_all(self, snapshots: Sequence[StoredSnapshot]) -> list[str]:
        """Remove snapshots; returns a sentence for each that could not be removed."""
        problems: list[str] = []
        for snapshot in snapshots:
            try:
                self.remove(snapshot.name)
            except SandboxError as error:
                problems.append(str(error))
        return problems

    def _store_of(self, name: str) -> SnapshotStore:
        return self._images if kind_of(name) == "docker" else self._folders
