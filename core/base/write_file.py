"""Writes files that the user requested."""

from __future__ import annotations

import os
from pathlib import Path

from sandbox_tui.core.base.errors import ConfigError


def write_file(path: Path, data: bytes) -> None:
    """Write the whole file or nothing, with the umask's permissions.

    Raises:
        ConfigError: the file cannot be written.
    """
    part = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # minus the umask
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error
