"""Fast starts of the program for many walks: forks of a process that has imported all modules.

Importing takes most of the time of a start. A fork then behaves like the real program: it has its
own session, terminal, environment and exit code.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROBE = Path(__file__).with_name("probe")
PACKAGES = ("core", "sessions", "themes", "tui")
MAX_REQUEST_BYTES = 150_000
"""Maximum size of a request: larger than any environment, small enough for a socket's buffer."""


class ForkedProcess:
    """A forked program, with the interface of `subprocess.Popen` as far as the walks use it."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self.returncode: int | None = None
        self.pid = int(connection.recv(64))

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while the process runs."""
        return self.returncode

    def wait(self) -> int:
        """Wait for the process to end and return its exit code."""
        with self._lock:
            if self.returncode is None:
                self.returncode = int(self._connection.recv(64) or -signal.SIGKILL)
                self._connection.close()
        return self.returncode


class ForkedStarts:
    """A context manager around a process that forks programs on request."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "starts"

    def __enter__(self) -> ForkedStarts:
        environment = {
            **os.environ,
            **{"PYTHONPATH": f"{PROBE}:{ROOT}", "SANDBOX_TUI_JOURNEY_LOG": os.devnull},
            **{"SANDBOX_TUI_JOURNEY_KEYS": "1", "TERM": "xterm-256color"},
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.journeys.forked_starts", str(self._path)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()  # closing its stdin ends the process

    def start(
        self, command: list[str], terminal: int, folder: Path, environment: dict[str, str]
    ) -> ForkedProcess:
        """Start the program with this command line, on the terminal with this file descriptor."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.connect(str(self._path))
        asked = {"command": command, "folder": str(folder), "environment": environment}
        socket.send_fds(connection, [json.dumps(asked).encode()], [terminal])
        return ForkedProcess(connection)


# --- the process that forks


def import_everything() -> None:
    """Import all modules of the program except those that need a package that is not installed."""
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            words = file.relative_to(ROOT).with_suffix("").parts
            name = ".".join(words[:-1] if words[-1] == "__init__" else words)
            with contextlib.suppress(ImportError):
                importlib.import_module(f"sandbox_tui.{name}")
    importlib.import_module("openai")


def serve(path: str) -> None:
    """Fork a program for each request until stdin is closed."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.bind(path)
    listening.listen()
    import_everything()
    gc.freeze()
    # the forks that wait for programs are never waited for
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([listening, sys.stdin], [], [])
        if listening not in ready:
            return
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            start(connection)
            return
        connection.close()


def start(connection: socket.socket) -> None:
    """Fork the program; send its process id and, when it has ended, its exit code."""
    data, (terminal,), _, _ = socket.recv_fds(connection, MAX_REQUEST_BYTES, 1)
    child = os.fork()
    if child == 0:
        connection.close()
        asked = json.loads(data)
        become(asked["command"], terminal, asked["folder"], asked["environment"])
    os.close(terminal)
    connection.send(str(child).encode())
    _, status = os.waitpid(child, 0)
    connection.send(str(os.waitstatus_to_exitcode(status)).encode())


def become(command: list[str], terminal: int, folder: str, environment: dict[str, str]) -> None:
    """Run the program in this process until it exits."""
    import journey_probe

    from sandbox_tui.tui.cli.main import main

    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for number in (0, 1, 2):
        os.dup2(terminal, number)
    os.close(terminal)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", 1, encoding="utf-8", closefd=False)  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    journey_probe.log_to(environment["SANDBOX_TUI_JOURNEY_LOG"])
    random.seed()
    sys.argv = command
    sys.exit(main())


if __name__ == "__main__":
    serve(sys.argv[1])
