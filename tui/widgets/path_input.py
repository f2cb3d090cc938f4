"""An input for a local path, with completion."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.events import Focus
from textual.suggester import Suggester
from textual.widgets import Input
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import typed_path
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.widgets.line_input import NameInput

MAX_ENTRIES = 5_000
"""Maximum number of folder entries that completion reads."""


class PathInput(NameInput):
    """An input that suggests the first matching name; → accepts it. Tab completes what was typed as
    far as it is certain, else takes the suggestion; pressed again, it goes to the next field.

    It starts empty if `value` contains characters that cannot be displayed.

    Args:
        endings: of the files that it suggests; empty for all files.
    """

    BINDINGS: ClassVar[list[BindingType]] = [binding("path.complete", "complete", show=False)]

    _was_typed = False
    """Whether something was typed since the input got the focus, or since tab completed a name."""

    _completed = ""
    """The path with a whole name, as tab has completed it."""

    def __init__(
        self,
        value: str = "",
        *,
        placeholder: str = "",
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
        endings: tuple[str, ...] = (),
    ) -> None:
        self._endings = endings
        super().__init__(
            value if sanitize_line(value) == value else "",
            placeholder=placeholder,
            id=id,
            classes=classes,
            suggester=_PathSuggester(endings),
            select_on_focus=False,
        )

    @property
    def path(self) -> Path | None:
        """The path as typed; None if the input is empty."""
        typed = self.value.strip()
        return typed_path(typed) if typed else None

    @on(Focus)
    def _forget_typing(self) -> None:
        self._was_typed = False

    @on(Input.Changed)
    def _note_typing(self) -> None:
        self._was_typed = self.has_focus and self.value != self._completed

    async def action_complete(self) -> None:
        """Complete what was typed, otherwise go to the next field: a default stays as it is."""
        if not self._was_typed:
            self.screen.focus_next()
            if self.screen.focused is not self:
                return  # else this is the only field
        typed = self.value
        longer, is_whole = await asyncio.to_thread(completed_by_tab, typed, self._endings)
        if longer == typed:
            self.screen.focus_next()
        elif self.value == typed:
            self._completed = longer if is_whole else ""
            self.value = longer
            self.cursor_position = len(longer)


class _PathSuggester(Suggester):
    """Suggests names in the folder being typed."""

    def __init__(self, endings: tuple[str, ...]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._endings = endings

    @override
    async def get_suggestion(self, value: str) -> str | None:
        return await asyncio.to_thread(completed, value, self._endings)


def completed(value: str, endings: tuple[str, ...] = ()) -> str | None:
    """Return the path completed with the first matching name; None if there is none."""
    return min(_ways_on(value, endings), default=None)


def completed_by_tab(value: str, endings: tuple[str, ...] = ()) -> tuple[str, bool]:
    """Return the path, completed with what all matching names begin with, else with the first of
    them, and whether that is a whole name; unchanged if there is none."""
    found = _ways_on(value, endings)
    certain = os.path.commonprefix(found)  # noqa: RUF071 - not only whole names
    if len(certain) > len(value):
        return certain, certain in found
    return min(found, default=value), True


def _ways_on(value: str, endings: tuple[str, ...]) -> list[str]:
    """Return the paths that begin with what was typed: folders, and files with these endings.

    Names with unprintable characters are skipped, and so are hidden ones unless a dot was typed.
    """
    folder, slash, start = value.rpartition("/")
    if not value.strip() or not (slash or start):
        return []
    found: list[str] = []
    try:
        with os.scandir(Path(folder + slash or ".").expanduser()) as entries:
            for _, entry in zip(range(MAX_ENTRIES), entries, strict=False):
                name = entry.name
                hidden = name.startswith(".") and not start.startswith(".")
                if not name.startswith(start) or not name.isprintable() or hidden:
                    continue
                if entry.is_dir():
                    found.append(f"{folder}{slash}{name}/")
                elif not endings or name.endswith(endings):
                    found.append(f"{folder}{slash}{name}")
    except (OSError, ValueError, RuntimeError):
        return []
    return found
