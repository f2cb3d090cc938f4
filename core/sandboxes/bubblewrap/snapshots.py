"""Snapshots of embedded sandboxes: copies of their private folders.

A snapshot's name is `SESSION/TAG`. Names come from recorded events, which are untrusted if the
session was imported: a name must never lead out of the snapshot folder.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxError, SandboxUnavailable
from sandbox_tui.core.sandboxes.base import SnapshotStore, StoredSnapshot
from sandbox_tui.core.sandboxes.bubblewrap.workspace import SHARED
from sandbox_tui.core.sandboxes.protocol.deep_tree_removal import remove_tree, tree_bytes

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,80}/[A-Za-z0-9][\w.-]{0,80}")
MIN_FREE_BYTES = 512 << 20
"""Bytes that a copy leaves free on the disk."""


class FolderSnapshots(SnapshotStore):
    """The snapshots below one host folder.

    Args:
        root: the folder, created when the first snapshot is saved.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def save(self, folder: Path, session: str, tag: str, max_bytes: int) -> tuple[str, int]:
        """Copy the private folders of a frozen sandbox; returns the copy's name and bytes.

        Raises:
            SandboxError: they exceed `max_bytes` or the free disk space, or cannot be read.
        """
        name = f"{session}/{tag}"
        target = self._path(name)
        if target is None:
            raise SandboxError(f"{name!r} is not a valid snapshot name.")
        target.mkdir(parents=True, exist_ok=True)
        self._root.chmod(0o700)  # other users must not run what a model made executable
        room = min(max_bytes, shutil.disk_usage(target).free - MIN_FREE_BYTES)
        size = 0
        try:
            for part in SHARED:
                size += folder_bytes(folder / part, room - size)
            for part in SHARED:
                _copy(folder / part, target)
        except SandboxError:
            self.remove(name)
            raise
        return name, size

    def restore(self, name: str, folder: Path) -> None:
        """Replace the folders of a new sandbox with copies of a snapshot's.

        Raises:
            SandboxUnavailable: the snapshot does not exist.
            SandboxError: it cannot be copied.
        """
        source = self._path(name)
        if source is None or not source.is_dir():
            raise SandboxUnavailable(f"The snapshot {name!r} no longer exists.")
        for part in SHARED:
            remove_tree(folder / part)
            _copy(source / part, folder)

    @override
    def list(self, session: str | None = None) -> list[StoredSnapshot]:
        sessions = [session] if session is not None else _folder_names(self._root)
        found: list[StoredSnapshot] = []
        for owner in sessions:
            for tag in _folder_names(self._root / owner):
                name = f"{owner}/{tag}"
                path = self._path(name)
                if path is not None:
                    found.append(StoredSnapshot("bubblewrap", name, owner, folder_bytes(path)))
        return found

    @override
    def exists(self, name: str) -> bool:
        path = self._path(name)
        return path is not None and path.is_dir()

    @override
    def remove(self, name: str) -> bool:
        path = self._path(name)
        if path is None or not path.is_dir():
            return False
        remove_tree(path)
        with contextlib.suppress(OSError):  # fails if the session has others
            path.parent.rmdir()
        return True

    def _path(self, name: str) -> Path | None:
        """Return the path of a snapshot; None if the name is invalid."""
        if not _NAME.fullmatch(name) or ".." in name:
            return None
        return self._root / name


def folder_bytes(top: Path, max_bytes: int | None = None) -> int:
    """Return the disk usage below a folder, in bytes; links are not followed.

    Raises:
        SandboxError: it exceeds `max_bytes`.
    """
    total = tree_bytes(top, max_bytes)
    if max_bytes is not None and total > max_bytes:
        raise SandboxError("A snapshot would exceed the limit on snapshot size.")
    return total


def _copy(source: Path, into: Path) -> None:
    """Copy every file, sharing blocks only if the file system supports it."""
    command = ["cp", "-a", "--reflink=auto", "--sparse=auto", "--", str(source), str(into)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise SandboxError(f"The sandbox's folders cannot be copied: {words}")


def _folder_names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return []
