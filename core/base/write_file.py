"""Writes whole files or nothing."""

from __future__ import annotations

import os
from pathlib import Path

from sandbox_tui.core.base.errors import ConfigError


def write_file(path: Path, data: bytes) -> None:
    """Write a file that the user requested, with the umask's permissions.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        _write(path, data, 0o666)  # minus the umask
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error


def write_private_file(path: Path, data: bytes) -> None:
    """Write a file that only the user can read.

    Raises:
        OSError: the file cannot be written.
    """
    _write(path, data, 0o600)


def _write(path: Path, data: bytes, mode: int) -> None:
    part = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
