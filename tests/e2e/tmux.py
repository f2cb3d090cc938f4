"""A real terminal: the program in a separate tmux server, with its keys and its screen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

import pytest

from sandbox_tui.tui.keys.key_sequencer import LEFT_SECONDS
from tests.waiting import HANG_SECONDS

PROGRAM = Path(sys.executable).with_name("sandbox-tui")

MAX_PAUSE_SECONDS = 0.25
"""Longest pause between two reads of a screen; each read starts a process."""


def looks(seconds: float = HANG_SECONDS) -> Iterator[bool]:
    """Pause between checks, longer each time; yields True for the last check, else False."""
    until, pause = time.monotonic() + seconds, 0.03
    while (left := until - time.monotonic()) > 0:
        yield False
        time.sleep(min(pause, left))
        pause = min(pause * 1.3, MAX_PAUSE_SECONDS)
    yield True


def record_demo(home: Path) -> None:
    """Record the demo without the screen, which takes a third of the time."""
    command = [PROGRAM, "demo", "--headless", "--speed", "0", "--sandbox", "bubblewrap"]
    environment = {**os.environ, "SANDBOX_TUI_HOME": str(home)}
    subprocess.run(command, env=environment, cwd=home.parent, capture_output=True, check=True)


class Terminal:
    """The program in a tmux pane of `columns` x `rows`.

    Args:
        command: arguments of the program.
        home: the program's home.
        columns, rows: size of the pane.
        program: path of the executable.
    """

    _last_keys: tuple[str, ...] = ()

    def __init__(
        self,
        *command: str,
        home: Path,
        columns: int = 160,
        rows: int = 45,
        program: Path = PROGRAM,
    ) -> None:
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not installed")
        self._socket = f"sandbox-tui-test-{os.getpid()}-{time.monotonic_ns()}"
        self._home = home
        self._command = (str(program), *command)
        self._size = (columns, rows)
        self.log = home.parent / "tmux-exit"

    def __enter__(self) -> Terminal:
        self.log.unlink(missing_ok=True)  # left by an earlier terminal
        columns, rows = self._size
        quoted = " ".join(f"'{word}'" for word in self._command)
        script = f"{quoted}; echo $? >{self.log}; stty -a | head -3; exec sleep 1000"
        self._tmux(
            *("new-session", "-d", "-x", str(columns), "-y", str(rows)),
            *("-e", f"SANDBOX_TUI_HOME={self._home}", "-e", "COLORTERM=truecolor"),
            *("-c", str(self._home.parent), "sh", "-c", script),
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            print(self.screen())
        self._tmux("kill-server")

    def press(self, *keys: str) -> None:
        """Press keys, named as in tmux."""
        if keys == ("q",) == self._last_keys:  # too soon after the first, it would not quit
            time.sleep(LEFT_SECONDS + 0.1)
        self._last_keys = keys
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type text literally."""
        self._tmux("send-keys", "-l", text)

    def resize(self, columns: int, rows: int) -> None:
        """Resize the pane."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def screen(self) -> str:
        """Return the text on the screen."""
        return self._tmux("capture-pane", "-p").stdout

    def coloured_screen(self) -> str:
        """Return the text on the screen with its colours, as escape sequences."""
        return self._tmux("capture-pane", "-p", "-e").stdout

    def wait_for(self, *texts: str, seconds: float = HANG_SECONDS) -> str:
        """Wait until all of `texts` are on the screen, and return it."""
        screen = ""
        for last in looks(seconds):
            screen = self.screen()
            if all(text in screen for text in texts):
                break
            assert not last, f"never seen: {[t for t in texts if t not in screen]}"
        return screen

    def wait_for_times(self, text: str, times: int, seconds: float = HANG_SECONDS) -> None:
        """Wait until `text` is on the screen at least `times` times."""
        for last in looks(seconds):
            if (seen := self.screen().count(text)) >= times:
                break
            assert not last, f"seen {seen} times only: {text}"

    def wait_gone(self, text: str, seconds: float = HANG_SECONDS) -> str:
        """Wait until `text` is no longer on the screen, and return it."""
        screen = ""
        for last in looks(seconds):
            if text not in (screen := self.screen()):
                break
            assert not last, f"still there: {text}"
        return screen

    def wait_until(self, true: Callable[[], object], seconds: float = HANG_SECONDS) -> None:
        """Wait until a condition holds that is not visible on the screen."""
        for last in looks(seconds):
            if true():
                break
            assert not last, f"still not true:\n{self.screen()}"

    def exit_code(self, seconds: float = HANG_SECONDS) -> int:
        """Wait for the program to end and return its exit code."""
        for last in looks(seconds):
            if self.log.exists() and self.log.read_text().strip():
                break
            assert not last, f"it did not end:\n{self.screen()}"
        return int(self.log.read_text())

    def pid(self) -> int:
        """Return the process id of the program."""
        shell = int(self._tmux("display-message", "-p", "#{pane_pid}").stdout)
        children = Path(f"/proc/{shell}/task/{shell}/children")
        until = time.monotonic() + HANG_SECONDS
        while not (found := children.read_text().split()):
            assert time.monotonic() < until
        return int(found[0])

    def flag(self, name: str) -> str:
        """Return a format variable of the pane, such as alternate_on or mouse_any_flag."""
        return self._tmux("display-message", "-p", f"#{{{name}}}").stdout.strip()

    def _tmux(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["tmux", "-L", self._socket, "-f", "/dev/null", *arguments],
            capture_output=True,
            text=True,
            env={**_environment(), "TERM": "xterm-256color"},
        )


def _environment() -> dict[str, str]:
    """Our environment without a size, which would override the size of the terminal."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
