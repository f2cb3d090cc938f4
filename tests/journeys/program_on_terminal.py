"""The real program on a pseudo-terminal: sends keys, and reads their effects from the probe."""

from __future__ import annotations

import collections
import contextlib
import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import termios
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.journeys.forked_starts import PROBE, ForkedProcess, ForkedStarts
from tests.waiting import HANG_SECONDS

PROGRAM = Path(sys.executable).with_name("sandbox-tui")
KEY_SECONDS = HANG_SECONDS
"""Seconds within which a key has to be handled, however busy the machine is."""

REMOVED_VARIABLES = ("COLUMNS", "LINES", "TMUX", "PYTHONDONTWRITEBYTECODE")
"""Variables that would change its size or make it compile all its modules at each start."""

CODES = {
    **{"enter": "\r", "escape": "\x1b", "tab": "\t", "space": " ", "backspace": "\x7f"},
    **{"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D"},
    **{"home": "\x1b[H", "end": "\x1b[F", "pageup": "\x1b[5~", "pagedown": "\x1b[6~"},
    **{"delete": "\x1b[3~", "shift+tab": "\x1b[Z", "shift+right": "\x1b[1;2C"},
    **{"shift+left": "\x1b[1;2D", "f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS"},
    **{"f5": "\x1b[15~", "release": "\x1d"},
    **{f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "acdeknopqrstuwy"},
}


@dataclass
class Evidence:
    """The lines written by the probe, collected as they arrive."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    count: collections.Counter[str] = field(default_factory=collections.Counter)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def read(self, pipe: int) -> None:
        """Read lines from a pipe until all writers have closed it."""
        with open(pipe, "rb") as lines:
            for line in lines:
                with contextlib.suppress(ValueError), self.changed:
                    parsed = json.loads(line)
                    self.lines.append(parsed)
                    self.count[parsed["what"]] += 1
                    self.count[f"{parsed['what']} {parsed['name']}"] += 1
                    self.changed.notify_all()


class FaultFound(Exception):
    """A walk found a fault; the message describes it."""


class Program:
    """The program on a pseudo-terminal."""

    def __init__(
        self,
        arguments: tuple[str, ...],
        folder: Path,
        size: tuple[int, int],
        starts: ForkedStarts | None = None,
    ) -> None:
        self.evidence = Evidence()
        self.output: collections.deque[bytes] = collections.deque(maxlen=4000)
        self.keys = 0
        pipe = folder / "probe"
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        # keeps a writer open, or the reader would see the end before the program opens the pipe
        self._hold = os.open(pipe, os.O_WRONLY)
        os.set_blocking(reading, True)
        self._master, slave = os.openpty()
        self.resize(*size)
        environment = {
            **{k: v for k, v in os.environ.items() if k not in REMOVED_VARIABLES},
            **{"SANDBOX_TUI_HOME": str(folder / "home"), "TERM": "xterm-256color"},
            **{"COLORTERM": "truecolor", "PYTHONPATH": str(PROBE)},
            **{"SANDBOX_TUI_JOURNEY_LOG": str(pipe), "SANDBOX_TUI_JOURNEY_KEYS": "1"},
            **{"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"},
            **{"VISUAL": "true"},  # a real editor would consume the keys that follow
        }
        self.process = self._start(list(arguments), slave, folder, environment, starts)
        os.close(slave)
        threading.Thread(target=self.evidence.read, args=(reading,), daemon=True).start()
        self._drain = threading.Thread(target=self._drain_output, daemon=True)
        self._drain.start()
        threading.Thread(target=self._wake_at_end, daemon=True).start()

    @staticmethod
    def _start(
        arguments: list[str],
        terminal: int,
        folder: Path,
        environment: dict[str, str],
        starts: ForkedStarts | None,
    ) -> subprocess.Popen[bytes] | ForkedProcess:
        command = [str(PROGRAM), *arguments]
        if starts is not None:
            return starts.start(command, terminal, folder, environment)
        return subprocess.Popen(
            ["setsid", "--ctty", *command],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            cwd=folder,
            env=environment,
        )

    def _drain_output(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._master, 65536):
                self.output.append(data)

    def _wake_at_end(self) -> None:
        self.process.wait()
        os.close(self._hold)
        with self.evidence.changed:
            self.evidence.changed.notify_all()

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    def wait(self, what: str, times: int, seconds: float = KEY_SECONDS) -> None:
        """Wait until the program has reported `what` this many times, or has ended.

        Raises:
            FaultFound: neither happens within `seconds`.
        """
        evidence = self.evidence
        with evidence.changed:
            if not evidence.changed.wait_for(
                lambda: evidence.count[what] >= times or self.ended, seconds
            ):
                raise FaultFound(f"hang: {what} only {evidence.count[what]} of {times} times")

    def wait_end(self, seconds: float) -> bool:
        """Wait for the program to end; return whether it did."""
        with self.evidence.changed:
            return self.evidence.changed.wait_for(lambda: self.ended, seconds)

    def send(self, text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self._master, text.encode())

    def press(self, key: str, *, wait: bool = True) -> None:
        """Press a key and wait until it has been fully handled."""
        self.keys += 1
        self.send(CODES.get(key, key))
        if wait or key == "escape":  # otherwise the terminal reads escape and the next key as one
            self.wait("done", self.keys)

    def resize(self, columns: int, rows: int) -> None:
        self.size = columns, rows
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def last_output(self) -> str:
        """Return the end of what the program wrote to the terminal."""
        return b"".join(self.output).decode(errors="replace")[-60_000:]

    def close(self) -> None:
        if not self.ended:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self._drain.join(5)
        with contextlib.suppress(OSError):
            os.close(self._master)
