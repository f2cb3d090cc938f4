"""The real program without a screen, in a separate process, followed line by line."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from tests.waiting import HANG_SECONDS

PROGRAM = Path(sys.executable).with_name("sandbox-tui")


class Program:
    """A context manager that runs `sandbox-tui` with these arguments.

    Args:
        arguments: command-line arguments; `--json` is added to commands that run something.
        home: the program's home folder.
        environment: variables added to the tests' environment.
    """

    def __init__(self, *arguments: str, home: Path, **environment: str) -> None:
        self._arguments = arguments
        self._home = home
        self._environment = environment
        self._heard = threading.Condition()
        self._said: dict[str, list[str]] = {"stdout": [], "stderr": []}
        self._over = 0

    def __enter__(self) -> Program:
        self._process = subprocess.Popen(
            [str(PROGRAM), *self._arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self._home.parent,
            env={**os.environ, "SANDBOX_TUI_HOME": str(self._home), **self._environment},
        )
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._readers = [
            threading.Thread(target=self._listen, args=("stdout", self._process.stdout)),
            threading.Thread(target=self._listen, args=("stderr", self._process.stderr)),
        ]
        for reader in self._readers:
            reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join()
        if kind is not None:
            print("".join(self._said["stdout"][-20:]), self.stderr)

    def _listen(self, name: str, pipe: IO[str]) -> None:
        with pipe:
            for line in pipe:
                with self._heard:
                    self._said[name].append(line)
                    self._heard.notify_all()
        with self._heard:
            self._over += 1
            self._heard.notify_all()

    @property
    def stderr(self) -> str:
        """What it has printed on stderr so far."""
        return "".join(self._said["stderr"])

    @property
    def events(self) -> list[e.AnyEvent]:
        """The events it has printed on stdout so far."""
        return [e.from_json(line) for line in self._said["stdout"]]

    def wait_for(self, kind: str, times: int = 1, **fields: Any) -> None:
        """Wait until it has printed this many events of this kind with these fields."""

        def there() -> bool:
            parsed = (json.loads(line) for line in self._said["stdout"] if f'"{kind}"' in line)
            fitting = (
                one["kind"] == kind and all(one.get(k) == v for k, v in fields.items())
                for one in parsed
            )
            return sum(fitting) >= times

        self._wait(there, f"{kind} {fields}")

    def wait_for_output(self, data: bytes) -> None:
        """Wait until its terminals have shown this."""

        def shown() -> bytes:
            parsed = (json.loads(line) for line in self._said["stdout"] if "TerminalOutput" in line)
            return b"".join(base64.b64decode(one["data"]) for one in parsed)

        self._wait(lambda: data in shown(), repr(data))

    def wait_for_words(self, words: str) -> None:
        """Wait until it has printed this on stderr."""
        self._wait(lambda: words in self.stderr, words)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def end(self) -> int:
        """Wait for it to end; returns the exit code."""
        self._process.wait(HANG_SECONDS)
        for reader in self._readers:
            reader.join()
        return self._process.returncode

    def _wait(self, there: Callable[[], bool], what: str) -> None:
        with self._heard:
            happened = self._heard.wait_for(lambda: there() or self._over == 2, HANG_SECONDS)
            assert happened, f"it never said: {what}"
            assert there(), f"it ended and never said: {what}\n{self.stderr}"


def stored(home: Path) -> list[e.AnyEvent]:
    """The events of the newest session, which must be numbered 1, 2, 3 ..."""
    store = Store(home / "sessions.db")
    try:
        runs = store.runs()
        events = list(store.events(runs[0].id)) if runs else []
    finally:
        store.close()
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    return events


def only(kind: type, events: list[e.AnyEvent]) -> list[Any]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def against(url: str, *more: str, sandbox: str = "bubblewrap") -> tuple[str, ...]:
    """Arguments of a run against a server."""
    where = ("--base-url", url, "--model", "scripted", "--sandbox", sandbox)
    return ("run", "a task", *where, "--json", *more)
