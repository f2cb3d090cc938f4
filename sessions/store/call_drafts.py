"""Unfinished edits of waiting calls, kept beside the database for whoever shows the run next.

Each is a small file that only the user can read. A file that cannot be read or written is no error:
the program that made the draft still has it in memory.
"""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path
from typing import Any, cast

from sandbox_tui.core.base.write_file import write_private_file
from sandbox_tui.core.config.settings import data_dir

FOLDER = "call-drafts"

MAX_DAYS = 30
"""Days after which a draft that nobody finished is removed, at the next one that is kept."""


def stamp(run_id: str) -> int | None:
    """Return what changes whenever the draft of a run changes; None without a draft."""
    with contextlib.suppress(OSError, ValueError):
        return _file(run_id).stat().st_mtime_ns
    return None


def read(run_id: str) -> dict[str, Any] | None:
    """Return the draft of a run; None without one."""
    try:
        found: Any = json.loads(_file(run_id).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return cast(dict[str, Any], found) if isinstance(found, dict) else None


def write(run_id: str, draft: dict[str, Any]) -> None:
    """Keep the draft of a run instead of the one before."""
    with contextlib.suppress(OSError, ValueError):
        file = _file(run_id)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_old(file.parent)
        write_private_file(file, json.dumps(draft).encode())


def remove(run_id: str) -> None:
    """Remove the draft of a run, if there is one."""
    with contextlib.suppress(OSError, ValueError):
        _file(run_id).unlink(missing_ok=True)


def _file(run_id: str) -> Path:
    if not run_id or "/" in run_id or run_id.startswith("."):
        raise ValueError("no name of a file")  # an imported session may have any id
    return data_dir() / FOLDER / f"{run_id}.json"


def _remove_old(folder: Path) -> None:
    oldest = time.time() - MAX_DAYS * 86400
    for file in folder.iterdir():
        with contextlib.suppress(OSError):
            if file.stat().st_mtime < oldest:
                file.unlink()
