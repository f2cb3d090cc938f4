"""The log of programs without a terminal: a file in the folder of the database.

It holds tracebacks of bugs, sanitized and with secrets redacted as on a terminal, and anything else
written to stderr, such as the last message of a crashing library. Runs do not log to it.
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
"""Size above which a new file is started; one previous file is kept."""


def log_file() -> Path:
    """Return the path of the log."""
    return data_dir() / "detached.log"


def open_log() -> int:
    """Return a file descriptor of the log, or of /dev/null if the log cannot be opened."""
    path = log_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)


class Log:
    """Writes to stderr, which is the log file.

    Args:
        secrets: values to redact.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        self._redactor = Redactor(secrets)
        self.run_id = ""

    def install(self) -> None:
        """Log every uncaught exception."""
        sys.excepthook = self._uncaught

    def write(self, error: BaseException) -> None:
        """Log an error with its traceback."""
        text = self._redactor.text(sanitize("".join(traceback.format_exception(error))))
        when = time.strftime("%Y-%m-%d %H:%M:%S")
        print(f"{when} {self.run_id} process {os.getpid()}\n{text}", file=sys.stderr, flush=True)  # noqa: T201

    def on_loop(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log exceptions of tasks that nothing awaits."""
        error = context.get("exception")
        if isinstance(error, BaseException):
            self.write(error)

    def _uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self.write(error)
