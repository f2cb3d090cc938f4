"""Snapshots of embedded sandboxes: copies of their private folders, below the data folder.

A snapshot's name is `SESSION/TAG`. Names come from recorded events, and those of an imported
session were written by anybody: a name never leads out of the folder of snapshots.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from ..config import data_dir
from ..errors import SandboxError, SandboxUnavailable
from .private_folder import SHARED, remove_folder

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,80}/[A-Za-z0-9][\w.-]{0,80}")
_SPARE_BYTES = 512 << 20
"""What a copy leaves free on the disk."""


def save(folder: Path, session: str, tag: str, most_bytes: int) -> tuple[str, int]:
    """Copy the private folders of a sandbox that stands still; name and bytes of the copy.

    Raises:
        SandboxError: they are larger than `most_bytes` or what the disk has room for, or cannot be
            read.
    """
    name = f"{session}/{tag}"
    target = _place(name)
    if target is None:
        raise SandboxError(f"{name!r} is no name for a snapshot.")
    target.mkdir(parents=True, exist_ok=True)
    root().chmod(0o700)  # what a model made executable for everybody is for nobody here
    room = min(most_bytes, shutil.disk_usage(target).free - _SPARE_BYTES)
    size = 0
    try:
        for part in SHARED:
            size += folder_bytes(folder / part, room - size)
        for part in SHARED:
            _copy(folder / part, target)
    except SandboxError:
        remove(name)
        raise
    return name, size


def restore(name: str, folder: Path) -> None:
    """Put copies of a snapshot's folders in the place of a new sandbox's.

    Raises:
        SandboxUnavailable: there is no such snapshot.
        SandboxError: it cannot be copied.
    """
    source = _place(name)
    if source is None or not source.is_dir():
        raise SandboxUnavailable(f"There is no snapshot {name!r} any more.")
    for part in SHARED:
        shutil.rmtree(folder / part)
        _copy(source / part, folder)


def exists(name: str) -> bool:
    """Whether a snapshot of this name is there."""
    place = _place(name)
    return place is not None and place.is_dir()


def folders(session: str | None = None) -> list[tuple[str, str, int]]:
    """Snapshots that are there: name, session, bytes."""
    top = root()
    sessions = [session] if session is not None else _names(top)
    found: list[tuple[str, str, int]] = []
    for owner in sessions:
        for tag in _names(top / owner):
            name = f"{owner}/{tag}"
            place = _place(name)
            if place is not None:
                found.append((name, owner, folder_bytes(place)))
    return found


def remove(name: str) -> bool:
    """Remove a snapshot; False when there is none of this name."""
    place = _place(name)
    if place is None or not place.is_dir():
        return False
    remove_folder(place)
    if not _names(place.parent):
        shutil.rmtree(place.parent, ignore_errors=True)
    return True


def root() -> Path:
    """The folder of all snapshots."""
    return data_dir() / "snapshots"


def folder_bytes(top: Path, most: int | None = None) -> int:
    """Bytes on the disk below a folder; links are not followed.

    Raises:
        SandboxError: they are more than `most`.
    """
    total = 0
    for folder, _, names in os.walk(top, followlinks=False):
        for name in names:
            try:
                total += (Path(folder) / name).lstat().st_blocks * 512
            except OSError:
                continue
        if most is not None and total > most:
            raise SandboxError("A snapshot would need more room than it may have.")
    return total


def _copy(source: Path, into: Path) -> None:
    """A copy of its own of every file, sharing blocks only where the file system does so safely."""
    command = ["cp", "-a", "--reflink=auto", "--sparse=auto", "--", str(source), str(into)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise SandboxError(f"The sandbox's folders cannot be copied: {words}")


def _place(name: str) -> Path | None:
    if not _NAME.fullmatch(name) or ".." in name:
        return None
    return root() / name


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return []
