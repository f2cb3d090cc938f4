"""A program on a pseudo-terminal that answers terminal queries."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

COLUMNS, LINES = 140, 40

_ANSWERS = ((rb"\x1b\[0?c", b"\x1b[?62;22c"), (rb"\x1b\[16t", b"\x1b[6;20;10t"))
"""Primary device attributes, and the size of a cell."""


class InPty:
    """Runs a program until it is closed.

    Args:
        command: absolute path of the program, and its arguments.
        environment: variables in addition to ours.

    Attributes:
        pid: process id of the program.
        began: start time on the monotonic clock.
        seen: all output so far.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        named = {"TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
        named = {**os.environ, **named, "COLUMNS": str(COLUMNS), "LINES": str(LINES)}
        self.began = time.monotonic()
        self.seen = b""
        self._asked = 0
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.execve(command[0], list(command), named)
        size = struct.pack("HHHH", LINES, COLUMNS, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)

    def read(self, patience: float) -> bool:
        """Read output that arrives within `patience` seconds; return False once it has ended."""
        if not select.select([self._master], [], [], patience)[0]:
            return True
        try:
            piece = os.read(self._master, 1 << 16)
        except OSError:
            piece = b""
        self.seen += piece
        for question, answer in _ANSWERS:
            for _ in re.finditer(question, self.seen[self._asked :]):
                os.write(self._master, answer)
        self._asked = max(0, len(self.seen) - 3) if piece.endswith(b"\x1b") else len(self.seen)
        return bool(piece)

    def until(self, there: Callable[[bytes], bool], limit: float) -> float:
        """Return the seconds from the start until `there` accepts the output.

        Raises:
            TimeoutError: the limit has passed or the program has ended.
        """
        until = time.monotonic() + limit
        while not there(self.seen):
            if time.monotonic() > until or not self.read(0.05):
                raise TimeoutError(self.seen[-400:].decode(errors="replace"))
        return time.monotonic() - self.began

    def stay(self, seconds: float) -> None:
        """Read output for this many seconds."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self.read(left):
            pass

    def type(self, keys: bytes) -> None:
        """Send keys."""
        os.write(self._master, keys)

    def forget(self) -> None:
        """Discard the output so far."""
        self.seen, self._asked = b"", 0

    @property
    def cpu(self) -> float:
        """CPU seconds used so far by all its threads."""
        with Path(f"/proc/{self.pid}/stat").open() as stream:
            fields = stream.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """Kill the program."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._master)

    def __enter__(self) -> InPty:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
