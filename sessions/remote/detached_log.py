"""The log of programs without a terminal: a file in the folder of the database.

It holds what Python says of a bug, sanitized and with secrets redacted, as on a terminal, and what
else arrives at stderr, such as the last words of a library. Runs have no place in it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.core.config.settings import data_dir
from sandbox_tui.sessions.interchange.redaction import Redactor

MAX_LOG_BYTES = 1 << 20
"""Bytes from which on a new file is begun; the one before is kept."""


def log_file() -> Path:
    """The file."""
    return data_dir() / "detached.log"


def open_log() -> int:
    """A descriptor to write to it, or to nowhere where that cannot be."""
    path = log_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)


class Log:
    """Writes to stderr, which is that file.

    Args:
        secrets: that are redacted.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        self._redactor = Redactor(secrets)
        self.run_id = ""

    def install(self) -> None:
        """Log every uncaught exception."""
        sys.excepthook = self._uncaught

    def write(self, error: BaseException) -> None:
        """Write down what went wrong, and where."""
        told = self._redactor.text(sanitize("".join(traceback.format_exception(error))))
        when = time.strftime("%Y-%m-%d %H:%M:%S")
        print(f"{when} {self.run_id} process {os.getpid()}\n{told}", file=sys.stderr, flush=True)  # noqa: T201

    def on_loop(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log exceptions of tasks that are never awaited."""
        error = context.get("exception")
        if isinstance(error, BaseException):
            self.write(error)

    def _uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self.write(error)
