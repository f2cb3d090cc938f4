"""Where runs without a screen are reached: a Unix socket each, in a folder of this user's alone.

The folder is in that of the session database, so that whoever finds the session finds its socket,
from any shell and after any login; where no socket can be there it is in /tmp. A client checks
whose the folder is, and then who answers, before it sends anything.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import stat
import struct
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.config.settings import data_dir

MAX_PATH_BYTES = 107
"""Bytes that fit into a socket's address (unix(7), sun_path)."""

CONNECT_SECONDS = 5.0
"""How long to wait for a place in the queue of a program that takes nobody in."""

NOT_DETACHED = "This session is not detached: no program answers for it."

_PEER = struct.Struct("3i")
"""What SO_PEERCRED says: process, user, group."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection to a run's program.

    Attributes:
        socket: connected.
        pid: of that program, 0 where it cannot be seen from here.
    """

    socket: socket.socket
    pid: int


def candidate_paths(run_id: str) -> list[Path]:
    """Where the socket of a run may be, the best place first."""
    folders = (data_dir().absolute() / "sockets", Path("/tmp") / f"sandbox-tui-{os.getuid()}")
    paths = [folder / f"{run_id}.sock" for folder in folders]
    return [path for path in paths if len(os.fsencode(path)) <= MAX_PATH_BYTES]


def socket_path(run_id: str) -> Path:
    """The socket of a run: where it is, or else where it would be."""
    found = candidate_paths(run_id)
    return next((path for path in found if path.exists()), found[0])


def is_detached(run_id: str) -> bool:
    """Whether a screen of another program can watch a run.

    Of one whose program was killed, the socket is left behind; nobody is asked here.
    """
    return socket_path(run_id).exists()


def listen(run_id: str) -> socket.socket:
    """Make the socket of a run, and remove the sockets that killed programs left.

    Raises:
        SandboxTuiError: it cannot be made.
    """
    problem: Exception | None = None
    for path in candidate_paths(run_id):
        try:
            return _listen_at(path)
        except (OSError, SandboxTuiError) as error:  # not every file system has sockets
            problem = problem or error
    if isinstance(problem, SandboxTuiError):
        raise problem
    why = problem.strerror if isinstance(problem, OSError) else ""
    raise SandboxTuiError(f"{socket_path(run_id)} cannot be created: {why}.") from problem


def connect_to(run_id: str) -> Connection:
    """Connect to a run's program, and make sure that it is one of this user's; blocks.

    Raises:
        SandboxTuiError: nobody answers there, or somebody else would.
    """
    path = socket_path(run_id)
    if not path.exists():
        raise SandboxTuiError(NOT_DETACHED)
    check_folder(path.parent)
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(CONNECT_SECONDS)
        connection.connect(str(path))
        pid, user, _ = _PEER.unpack(
            connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        )
        if user != os.getuid():
            raise SandboxTuiError(
                f"{path} belongs to a program of another user (uid {user}); nothing was sent to it."
            )
        connection.setblocking(False)
    except TimeoutError as error:
        connection.close()
        raise SandboxTuiError(NO_ANSWER) from error
    except OSError as error:
        connection.close()
        raise SandboxTuiError(NOT_DETACHED) from error
    except SandboxTuiError:
        connection.close()
        raise
    return Connection(connection, pid)


NO_ANSWER = (
    "The program of this run does not answer. If it was stopped (SIGSTOP, ctrl+z), resume it "
    "with kill -CONT."
)


def check_folder(folder: Path) -> None:
    """Check that no other user can create a socket in a folder, or listen on one in it.

    Raises:
        SandboxTuiError: somebody could.
    """
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise SandboxTuiError(
            f"{folder} must be a folder of your own that nobody else may enter. Remove it."
        )


def answers(path: Path) -> bool:
    """Whether a program listens at a socket; one that is too busy to take us in does."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except TimeoutError:
            return True
        except OSError:
            return False
    return True


def _listen_at(path: Path) -> socket.socket:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    check_folder(path.parent)
    with _exclusive(path.parent):
        for old in path.parent.glob("*.sock"):
            if not answers(old):
                old.unlink(missing_ok=True)
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.bind(str(path))
            path.chmod(0o600)
            connection.listen(128)
            connection.setblocking(False)
        except OSError:
            connection.close()
            raise
    return connection


@contextlib.contextmanager
def _exclusive(folder: Path) -> Generator[None, None, None]:
    """Between `bind` and `listen` a socket looks as if its program had been killed."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
