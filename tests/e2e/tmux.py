"""A real terminal: the program in a tmux of its own, driven by keys and read from the screen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import pytest

PROGRAM = Path(sys.executable).with_name("sandbox-tui")


class Terminal:
    """The program in a pane of `columns` x `rows`.

    Args:
        command: arguments of the program.
        home: its home.
        columns, rows: size of the pane.
        program: its executable.
    """

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
        self.log.unlink(missing_ok=True)  # of a terminal before
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
        """Press keys, by tmux's names."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type text as it is."""
        self._tmux("send-keys", "-l", text)

    def resize(self, columns: int, rows: int) -> None:
        """Give the pane another size."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def screen(self) -> str:
        """What is on the screen."""
        return self._tmux("capture-pane", "-p").stdout

    def wait_for(self, *texts: str, seconds: float = 60) -> str:
        """Wait until all of `texts` are on the screen; the screen."""
        until = time.monotonic() + seconds
        while True:
            screen = self.screen()
            if all(text in screen for text in texts):
                return screen
            assert time.monotonic() < until, f"never seen: {[t for t in texts if t not in screen]}"
            time.sleep(0.05)

    def wait_for_times(self, text: str, times: int, seconds: float = 60) -> None:
        """Wait until `text` is on the screen so many times."""
        until = time.monotonic() + seconds
        while (seen := self.screen().count(text)) < times:
            assert time.monotonic() < until, f"seen {seen} times only: {text}"
            time.sleep(0.05)

    def wait_gone(self, text: str, seconds: float = 60) -> str:
        """Wait until `text` is no longer on the screen."""
        until = time.monotonic() + seconds
        while text in (screen := self.screen()):
            assert time.monotonic() < until, f"still there: {text}"
            time.sleep(0.05)
        return screen

    def wait_until(self, true: Callable[[], object], seconds: float = 60) -> None:
        """Wait until something holds that the screen does not show."""
        until = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < until, f"still not true:\n{self.screen()}"
            time.sleep(0.05)

    def exit_code(self, seconds: float = 60) -> int:
        """Wait for the program to end."""
        until = time.monotonic() + seconds
        while not (self.log.exists() and self.log.read_text().strip()):
            assert time.monotonic() < until, f"it did not end:\n{self.screen()}"
            time.sleep(0.05)
        return int(self.log.read_text())

    def pid(self) -> int:
        """Process id of the program."""
        shell = int(self._tmux("display-message", "-p", "#{pane_pid}").stdout)
        children = Path(f"/proc/{shell}/task/{shell}/children")
        until = time.monotonic() + 10
        while not (found := children.read_text().split()):
            assert time.monotonic() < until
        return int(found[0])

    def flag(self, name: str) -> str:
        """A format variable of the pane, such as alternate_on or mouse_any_flag."""
        return self._tmux("display-message", "-p", f"#{{{name}}}").stdout.strip()

    def _tmux(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["tmux", "-L", self._socket, "-f", "/dev/null", *arguments],
            capture_output=True,
            text=True,
            env={**_environment(), "TERM": "xterm-256color"},
        )


def _environment() -> dict[str, str]:
    """Ours without a size, which the program would believe more than its terminal."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
