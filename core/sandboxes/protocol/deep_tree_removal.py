"""Removes and measures folders that a model has worked in, of any depth and with any permissions.

Nothing here recurses, keeps a descriptor per level, or uses a path from the root: the depth of a
tree is unbounded, and a path cannot be longer than 4096 bytes. Links are never followed, because
they lead to the host.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def remove_tree(top: Path) -> None:
    """Remove a folder and everything below it, as far as permissions allow.

    Every folder is moved up to `top` before it is emptied, so that none is ever deep. The files of
    `top` itself are removed last: one of them names the owner, in case this is interrupted.
    """
    try:
        root = os.open(top, _FOLDER)
    except OSError:
        return
    try:
        numbers = itertools.count()
        folders, files = _content(root)
        while folders:
            name = folders.pop()
            folders += _empty(name, root, numbers)
            with contextlib.suppress(OSError):
                os.rmdir(name, dir_fd=root)
        _unlink(files, root)
    finally:
        os.close(root)
    with contextlib.suppress(OSError):
        top.rmdir()


def _empty(name: str, root: int, numbers: itertools.count[int]) -> list[str]:
    """Remove a folder's files, and move its folders to `root`; returns their new names."""
    moved: list[str] = []
    _restore_permissions(name, root)
    try:
        folder = os.open(name, _FOLDER, dir_fd=root)
    except OSError:
        return moved
    try:
        folders, files = _content(folder)
        _unlink(files, folder)
        for inner in folders:
            _restore_permissions(inner, folder)
            new_name = f".removed-{next(numbers)}"
            with contextlib.suppress(OSError):
                os.rename(inner, new_name, src_dir_fd=folder, dst_dir_fd=root)
                moved.append(new_name)
    finally:
        os.close(folder)
    return moved


def _content(folder: int) -> tuple[list[str], list[str]]:
    """Return the names of the folders, and of all other entries, in an open folder."""
    folders, files = list[str](), list[str]()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                (folders if entry.is_dir(follow_symlinks=False) else files).append(entry.name)
    except OSError:
        pass
    return folders, files


def _unlink(names: list[str], folder: int) -> None:
    for name in names:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder)


def _restore_permissions(name: str, folder: int) -> None:
    """Make a folder writable, so that it can be emptied and moved."""
    with contextlib.suppress(OSError):
        handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        try:
            if os.fstat(handle).st_mode & 0o700 != 0o700:
                Path(f"/proc/self/fd/{handle}").chmod(0o700)
        finally:
            os.close(handle)


def tree_bytes(top: Path, max_bytes: int | None = None) -> int:
    """Return the disk usage of the files below a folder, in bytes; counting stops once it exceeds
    `max_bytes`.

    Unreadable folders do not count. Nothing may be moved meanwhile.
    """
    try:
        here = os.open(top, _FOLDER)
    except OSError:
        return 0
    total, levels = 0, list[list[str]]()
    try:
        while max_bytes is None or total <= max_bytes:
            found, folders = _scanned(here)
            total += found
            levels.append(folders)
            below = _next_folder(here, levels)
            if below is None:
                break
            os.close(here)
            here = below
    finally:
        os.close(here)
    return total


def _next_folder(here: int, levels: list[list[str]]) -> int | None:
    """Return a descriptor of the next folder to scan, or None if there is none.

    Args:
        here: the folder that was scanned last.
        levels: for each folder on the way there, its folders still to be scanned.
    """
    place = os.dup(here)
    while levels:
        if levels[-1]:
            with contextlib.suppress(OSError):
                below = os.open(levels[-1].pop(), _FOLDER, dir_fd=place)
                os.close(place)
                return below
            continue
        levels.pop()
        if levels:
            above = os.open("..", _FOLDER, dir_fd=place)
            os.close(place)
            place = above
    os.close(place)
    return None


def _scanned(folder: int) -> tuple[int, list[str]]:
    """Return the bytes of an open folder's files, and the names of its folders."""
    total, folders = 0, list[str]()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                else:
                    with contextlib.suppress(OSError):
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
    except OSError:
        pass
    return total, folders
