"""The real program on a real pseudo-terminal, with its bytes unmodified."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import pexpect

from tests.waiting import HANG_SECONDS

PROGRAM = str(Path(sys.executable).with_name("sandbox-tui"))


def start(*arguments: str, home: Path, **environment: str) -> Any:
    """The running program; its `logfile_read` collects all it writes."""
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "TMUX")}
    more = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "SANDBOX_TUI_HOME": str(home)}
    child = pexpect.spawn(
        PROGRAM,
        [word.replace("\0", "") for word in arguments],
        env={**kept, **more, "SANDBOX_TUI_UI_IMAGES": "blocks", **environment},
        cwd=str(home.parent),
        dimensions=(45, 160),
        timeout=HANG_SECONDS,
    )
    child.logfile_read = io.BytesIO()
    return child


def written_by(*arguments: str, home: Path, types: str = "", **environment: str) -> bytes:
    """Everything that a command writes to the terminal until it ends."""
    child = start(*arguments, home=home, **environment)
    if types:
        child.send(types)
    child.expect(pexpect.EOF)
    child.close()
    return child.logfile_read.getvalue()
