"""The draft of the form for new runs, kept in the data folder for the next start of the program."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from sandbox_tui.core.base.write_file import write_private_file
from sandbox_tui.core.config.settings import data_dir
from sandbox_tui.tui.screens.dialogs.form import Texts

FILE = "new-run-draft.json"

KEEP_SECONDS = 2.0
"""Seconds between the times at which what was typed is kept for the next start of the program."""


class Kept(NamedTuple):
    """A draft from an earlier start of the program.

    Attributes:
        texts: what was typed or chosen, by field.
        saved_at: seconds since the epoch.
    """

    texts: Texts
    saved_at: float


class KeptDraft:
    """Keeps a draft in a file that only the user can read; never a server's password or key.

    A file that cannot be read or written is no error: the program still has the draft in memory.

    Args:
        path: the file; None for the usual one.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = data_dir() / FILE if path is None else path
        self._written: Texts | None = None

    def read(self) -> Kept | None:
        """Return the draft that was kept; None without one."""
        try:
            found: Any = json.loads(self._path.read_text("utf-8"))
            saved_at, texts = float(found["saved_at"]), cast(dict[str, Any], found["texts"])
            kept = {name: text for name, text in texts.items() if isinstance(text, str)}
        except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
            return None
        return Kept(kept, saved_at) if kept else None

    def write(self, texts: Mapping[str, str]) -> None:
        """Keep a draft instead of the one before; forget that if there is nothing in this one."""
        wanted = {name: text for name, text in texts.items() if not may_hold_secret(name, text)}
        if wanted == self._written:
            return
        self._written = wanted
        with contextlib.suppress(OSError):
            if wanted:
                draft = json.dumps({"saved_at": time.time(), "texts": wanted})
                write_private_file(self._path, draft.encode())
            else:
                self._path.unlink(missing_ok=True)


def may_hold_secret(name: str, text: str) -> bool:
    """Return whether the address of a server may contain a password or a key."""
    if name != "url":
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return True
    return "@" in text or bool(parts.query or parts.fragment)
