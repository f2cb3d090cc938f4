"""Writes whole files or nothing, without replacing what is no file.

A symbolic link stays: its target is written. A device, a named pipe or an open descriptor such as
/dev/stdout takes the bytes themselves.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.typed_path import is_folder

STDOUT = 1
"""Number of the descriptor."""

MAX_LINKS = 40
"""How many symbolic links Linux follows one after the other."""

_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|thread-self|\d+))/fd/(\d+)")


def write_file(path: Path, data: bytes) -> None:
    """Write a file that the user requested: a new one with the umask's permissions, an existing one
    keeps its own. A named pipe is waited for until a program reads it.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        found = _status(path)
        if found is not None and _is_special(path, found):
            _write_into(path, data)
        else:
            _replace(path, data, 0o666, kept=None if found is None else stat.S_IMODE(found.st_mode))
    except OSError as error:
        why = error.strerror
        if isinstance(error, FileNotFoundError) and not is_folder(path.parent):
            why = f"the folder {path.parent} does not exist"
        raise ConfigError(f"{path} cannot be written: {why}.") from error


def write_private_file(path: Path, data: bytes) -> None:
    """Write a file that only the user can read.

    Raises:
        OSError: the file cannot be written.
    """
    _status(path)  # raises an error for links that lead in a circle
    _replace(path, data, 0o600, kept=0o600)


def would_overwrite(path: Path) -> bool:
    """Return whether writing to the path would overwrite what is there; a device or a pipe takes
    anything."""
    with contextlib.suppress(OSError):
        found = _status(path)
        return found is not None and not _is_special(path, found)
    return False


def is_special(path: Path) -> bool:
    """Return whether the path is a device, a pipe, a socket or an open descriptor."""
    with contextlib.suppress(OSError):
        found = _status(path)
        return found is not None and _is_special(path, found)
    return False


def is_stdout(path: Path) -> bool:
    """Return whether a path that the user typed is standard output: `-`, /dev/stdout and others."""
    return str(path) == "-" or _descriptor(path) == STDOUT


def _status(path: Path) -> os.stat_result | None:
    """Return what stands at the path, behind links; None if there is nothing.

    Raises:
        OSError: it cannot be reached.
    """
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _is_special(path: Path, found: os.stat_result) -> bool:
    is_usual = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    return not is_usual or _descriptor(path) is not None


def _descriptor(path: Path) -> int | None:
    """Return the descriptor of this process that the path names, directly or by links."""
    name = path.absolute()  # `resolve` would follow the last link, too
    for _ in range(MAX_LINKS):
        if match := _DESCRIPTOR.fullmatch(os.path.normpath(name)):
            return int(match[1])
        try:
            name = name.parent / name.readlink()
        except OSError:
            return None
    return None


def _write_into(path: Path, data: bytes) -> None:
    descriptor = _descriptor(path)
    # Written to as it is: opened again, a redirected file would begin anew.
    handle = os.open(path, os.O_WRONLY | os.O_NOCTTY) if descriptor is None else os.dup(descriptor)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)


def _replace(path: Path, data: bytes, mode: int, *, kept: int | None) -> None:
    """Replace a file at once, with these permissions minus the umask, or `kept` whatever it is."""
    target = path.resolve()  # a symbolic link, common for dotfiles, stays
    part = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            if kept is not None:
                os.fchmod(handle, kept)
            stream.write(data)
            stream.flush()
            os.fsync(handle)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
