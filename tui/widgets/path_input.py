"""An input for a local path, with completion."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.actions import SkipAction
from textual.binding import BindingType
from textual.content import Content
from textual.events import Blur, Focus
from textual.suggester import Suggester
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import typed_path
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.widgets.line_input import NameInput

MAX_ENTRIES = 5_000
"""Maximum number of folder entries that completion reads."""


@dataclass(frozen=True, slots=True)
class _Matches:
    """The names that match.

    Attributes:
        typed: the path that was typed.
        paths: the paths that begin with it, sorted.
    """

    typed: str
    paths: Sequence[str]

    def by_tab(self) -> tuple[str, bool]:
        """Return the path, completed with what all names begin with, else with the first of them,
        and whether that is a whole name; unchanged if there is none."""
        certain = os.path.commonprefix(self.paths)  # noqa: RUF071 - not only whole names
        if len(certain) > len(self.typed):
            return certain, certain in self.paths
        return next(iter(self.paths), self.typed), True


class PathInput(NameInput):
    """An input that suggests the first matching name; → accepts it. Tab completes what was typed as
    far as it is certain, else takes the first match; pressed again, it goes to the next field, or
    to the next match in the only field. If several names match, the border counts them, and ↑ and ↓
    go through them.

    It starts empty if `value` contains characters that cannot be displayed.

    Args:
        endings: of the files that it suggests; empty for all files.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("path.complete", "complete", show=False),
        binding("path.next", "move(1)", show=False),
        binding("path.previous", "move(-1)", show=False),
    ]

    _at_focus: str | None = None
    """The text when the input got the focus."""

    _completed = ""
    """The path with a whole name, as a key has completed it."""

    _matches = _Matches("", ())
    """The names that match."""

    _said = ""
    """What this input wrote into its border."""

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
            suggester=_PathSuggester(endings, self._found),
            select_on_focus=False,
        )

    @property
    def path(self) -> Path | None:
        """The path as typed; None if the input is empty."""
        typed = self.value.strip()
        return typed_path(typed) if typed else None

    @property
    def _tab_leaves(self) -> bool:
        """Whether tab goes to the next field: a default and a whole name stay as they are."""
        is_done = self.value in (self._at_focus, self._completed)
        return is_done and len(self.screen.focus_chain) > 1  # else this is the only field

    @on(Focus)
    def _note_default(self) -> None:
        self._at_focus = self.value
        if self._tab_leaves:
            self._suggestion = ""

    @on(Blur)
    def _leave(self) -> None:
        self.call_after_refresh(self._say_count)

    def _found(self, matches: _Matches) -> str | None:
        """Keep the names that match what was typed; return the one to suggest."""
        if matches.typed != self.value or not self.is_attached:
            return None
        if not (self.value == self._completed and self.value in self._matches.paths):
            self._matches = matches
        self.call_after_refresh(self._say_count)  # after the form has written into the border
        return None if self._tab_leaves else next(iter(matches.paths), None)

    @property
    def _choices(self) -> Sequence[str]:
        """The names to go through; empty if fewer than two match what was typed."""
        is_typed = self.has_focus and self.value != self._at_focus
        are_current = self.value == self._matches.typed or self.value in self._matches.paths
        several = len(self._matches.paths) > 1
        return self._matches.paths if is_typed and are_current and several else ()

    def _say_count(self) -> None:
        """Write into the border how many names match, unless the form has written into it."""
        if str(self.border_subtitle or "") in ("", self._said):
            self._said = _count_words(self._choices, self.value, hint("path.next"))
            self.border_subtitle = Content(self._said)

    def action_move(self, step: int) -> None:
        """Take the next or previous name that matches."""
        choices = self._choices
        if not choices:
            raise SkipAction
        before_first = -1 if step > 0 else 0
        at = choices.index(self.value) if self.value in choices else before_first
        self._take(choices[(at + step) % len(choices)], is_whole=True)

    async def action_complete(self) -> None:
        """Complete what was typed, otherwise go to the next field."""
        typed = self.value
        if self._tab_leaves:
            self.screen.focus_next()
            return
        matches = await asyncio.to_thread(_matches, typed, self._endings)
        longer, is_whole = matches.by_tab()
        if longer == typed and self._choices:  # the only field: tab goes through them, too
            self.action_move(1)
        elif longer == typed:
            self.screen.focus_next()
        elif self.value == typed:
            self._matches = matches
            self._take(longer, is_whole=is_whole)

    def _take(self, path: str, *, is_whole: bool) -> None:
        self._completed = path if is_whole else ""
        self.value = path
        self.cursor_position = len(path)


class _PathSuggester(Suggester):
    """Suggests names in the folder being typed.

    Args:
        endings: of the files.
        found: called with the names that match; returns the one to suggest.
    """

    def __init__(self, endings: tuple[str, ...], found: Callable[[_Matches], str | None]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._endings = endings
        self._found = found

    @override
    async def get_suggestion(self, value: str) -> str | None:
        return self._found(await asyncio.to_thread(_matches, value, self._endings))


def _matches(value: str, endings: tuple[str, ...]) -> _Matches:
    return _Matches(value, sorted(_ways_on(value, endings)))


def completed(value: str, endings: tuple[str, ...] = ()) -> str | None:
    """Return the path completed with the first matching name; None if there is none."""
    return next(iter(_matches(value, endings).paths), None)


def completed_by_tab(value: str, endings: tuple[str, ...] = ()) -> tuple[str, bool]:
    """Return what tab makes of a path, and whether that is a whole name."""
    return _matches(value, endings).by_tab()


def _count_words(choices: Sequence[str], value: str, key: str) -> str:
    """Return how many names match, or which of them this is; empty if there is no choice."""
    if not choices:
        return ""
    if value in choices:
        return f"{choices.index(value) + 1} of {len(choices)} · {key} next"
    noun = "names" if any(path.endswith("/") for path in choices) else "files"
    return f"{len(choices)} {noun} match · {key} next"


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
