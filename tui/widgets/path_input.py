"""A line for a path of this machine, which it completes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from textual.suggester import Suggester
from textual.widgets import Input

from ...core.text import clean_line

MOST_ENTRIES = 5_000
"""Of a folder so many entries are looked at."""


class PathInput(Input):
    """An input that offers the first name that goes on as typed; → takes it.

    It begins empty where `value` cannot be shown as it is.
    """

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(
            value if clean_line(value) == value else "",
            placeholder=placeholder,
            id=id,
            suggester=_Names(),
            select_on_focus=False,
        )

    @property
    def path(self) -> Path | None:
        """What was typed; None when nothing was."""
        typed = self.value.strip()
        return Path(typed).expanduser() if typed else None


class _Names(Suggester):
    """Names in the folder that is being typed."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """See `Suggester`."""
        return await asyncio.to_thread(completed, value)


def completed(value: str) -> str | None:
    """The path with the first name that begins as typed; None when there is none.

    Names that cannot be shown as they are, and hidden ones unless asked for, are left out.
    """
    folder, slash, start = value.rpartition("/")
    if not value.strip() or not (slash or start):
        return None
    found: list[str] = []
    try:
        with os.scandir(Path(folder + slash or ".").expanduser()) as entries:
            for _, entry in zip(range(MOST_ENTRIES), entries, strict=False):
                name = entry.name
                hidden = name.startswith(".") and not start.startswith(".")
                if name.startswith(start) and name.isprintable() and not hidden:
                    found.append(f"{name}/" if entry.is_dir() else name)
    except (OSError, ValueError, RuntimeError):
        return None
    return f"{folder}{slash}{min(found)}" if found else None
