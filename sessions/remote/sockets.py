"""The Unix sockets of detached runs: one per run, in a folder accessible only to this user.

The folder is next to the session database, so that every program that finds the session also finds
its socket, from any shell or login. If sockets are impossible there, the folder is in /tmp. Before
it sends anything, a client checks the owner of the folder and then of the process that answers.
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
"""Maximum length of a socket's address (unix(7), sun_path)."""

CONNECT_SECONDS = 5.0
"""Timeout for a program that does not accept connections."""

NOT_DETACHED = "This session is not detached: no program answers for it."

_PEER = struct.Struct("3i")
"""Layout of SO_PEERCRED: process, user, group."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection to a run's program.

    Attributes:
        socket: connected.
        pid: of that program; 0 if it is not visible from here.
    """

    socket: socket.socket
    pid: int


def candidate_paths(run_id: str) -> list[Path]:
    """Return the possible paths of a run's socket, the preferred one first."""
    folders = (data_dir().absolute() / "sockets", Path("/tmp") / f"sandbox-tui-{os.getuid()}")
    paths = [folder / f"{run_id}.sock" for folder in folders]
    return [path for path in paths if len(os.fsencode(path)) <= MAX_PATH_BYTES]


def socket_path(run_id: str) -> Path:
    """Return the path of a run's socket if it exists, else the preferred path."""
    found = candidate_paths(run_id)
    return next((path for path in found if path.exists()), found[0])


def is_detached(run_id: str) -> bool:
    """Return whether a screen of another program can watch a run.

    True also if the program was killed and left its socket behind: this does not connect.
    """
    return socket_path(run_id).exists()


def is_served(run_id: str) -> bool:
    """Return whether a program answers for a run: the socket is not one that a killed program left.
    Connects, which takes a second at most."""
    path = socket_path(run_id)
    return path.exists() and answers(path)


def remove_left_socket(run_id: str) -> None:
    """Remove the socket of a run whose program was killed, unless it cannot be removed."""
    for path in candidate_paths(run_id):
        with contextlib.suppress(OSError):
            if path.exists() and not answers(path):
                path.unlink()


def listen(run_id: str, *, sweep: bool = True) -> socket.socket:
    """Create the socket of a run.

    Args:
        run_id: the run.
        sweep: whether to remove sockets left by killed programs, which connects to every socket:
            too slow for each of the many runs of one program.

    Raises:
        SandboxTuiError: the socket cannot be created.
    """
    problem: Exception | None = None
    for path in candidate_paths(run_id):
        try:
            return _listen_at(path, sweep=sweep)
        except (OSError, SandboxTuiError) as error:  # not every file system supports sockets
            problem = problem or error
    if isinstance(problem, SandboxTuiError):
        raise problem
    why = problem.strerror if isinstance(problem, OSError) else ""
    raise SandboxTuiError(f"{socket_path(run_id)} cannot be created: {why}.") from problem


def connect_to(run_id: str) -> Connection:
    """Connect to a run's program and verify that it belongs to this user; blocks.

    Raises:
        SandboxTuiError: no program answers, or one of another user.
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
    """Check that no other user can create a socket in a folder or listen on one in it.

    Raises:
        SandboxTuiError: another user could.
    """
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise SandboxTuiError(f"{folder} must be a folder that only you can access. Remove it.")


def answers(path: Path) -> bool:
    """Return whether a program listens on a socket, even if it is too busy to accept
    connections."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except TimeoutError:
            return True
        except OSError:
            return False
    return True


def _listen_at(path: Path, *, sweep: bool) -> socket.socket:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    check_folder(path.parent)
    with _exclusive(path.parent):
        for old in path.parent.glob("*.sock") if sweep else ():
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
    """Lock the folder: between `bind` and `listen`, a socket looks as if its program had been
    killed."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
