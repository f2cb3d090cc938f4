"""Where runs without a screen are reached: a Unix socket each, in a folder of this user's alone."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from pathlib import Path

from ..core.errors import SandboxTuiError

LONGEST_PATH = 107
"""Bytes that fit into a socket's address (unix(7), sun_path)."""


def socket_path(run_id: str) -> Path:
    """The socket of a run."""
    name = f"{run_id}.sock"
    folder = Path(tempfile.gettempdir()) / f"sandbox-tui-{os.getuid()}"
    if len(os.fsencode(folder / name)) > LONGEST_PATH:
        folder = Path("/tmp") / folder.name
    return folder / name


def make_folder(path: Path) -> None:
    """Make the folder for a socket, and clear away what killed programs left there.

    Raises:
        SandboxTuiError: somebody else's folder is in its place.
    """
    folder = path.parent
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise SandboxTuiError(
            f"{folder} must be a folder of your own that nobody else may enter. Remove it."
        )
    for old in folder.glob("*.sock"):
        if not answers(old):
            old.unlink(missing_ok=True)


def answers(path: Path) -> bool:
    """Whether a program listens at a socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def is_detached(run_id: str) -> bool:
    """Whether a run whose program lives goes on where a screen can watch it.

    Of one whose program was killed, the socket is left behind; nobody is asked here.
    """
    return socket_path(run_id).exists()
