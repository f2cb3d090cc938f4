"""An input for a local path, with completion."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from textual.suggester import Suggester
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import typed_path
from sandbox_tui.tui.widgets.line_input import NameInput

MAX_ENTRIES = 5_000
"""Maximum number of folder entries that completion reads."""


class PathInput(NameInput):
    """An input that suggests the first matching name; → accepts it.

    It starts empty if `value` contains characters that cannot be displayed.
    """

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(
            value if sanitize_line(value) == value else "",
            placeholder=placeholder,
            id=id,
            suggester=_PathSuggester(),
            select_on_focus=False,
        )

    @property
    def path(self) -> Path | None:
        """The path as typed; None if the input is empty."""
        typed = self.value.strip()
        return typed_path(typed) if typed else None


class _PathSuggester(Suggester):
    """Suggests names in the folder being typed."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    @override
    async def get_suggestion(self, value: str) -> str | None:
        return await asyncio.to_thread(completed, value)


def completed(value: str) -> str | None:
    """Return the path completed with the first matching name; None if there is none.

    Names with unprintable characters are skipped, and so are hidden ones unless a dot was typed.
    """
    folder, slash, start = value.rpartition("/")
    if not value.strip() or not (slash or start):
        return None
    found: list[str] = []
    try:
        with os.scandir(Path(folder + slash or ".").expanduser()) as entries:
            for _, entry in zip(range(MAX_ENTRIES), entries, strict=False):
                name = entry.name
                hidden = name.startswith(".") and not start.startswith(".")
                if name.startswith(start) and name.isprintable() and not hidden:
                    found.append(f"{name}/" if entry.is_dir() else name)
    except (OSError, ValueError, RuntimeError):
        return None
    return f"{folder}{slash}{min(found)}" if found else None
