"""Loads theme files at the start, and again whenever one changes."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from importlib import resources
from pathlib import Path

from sandbox_tui.themes import BrokenTheme, ThemeFile, load_themes


class ThemeFiles:
    """The contents of the theme folders.

    Args:
        folder: the user's own themes; it need not exist.

    Attributes:
        themes: by name.
        broken: files that cannot be used, and why.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamps = self._read_stamps()
        self.themes: dict[str, ThemeFile] = {}
        self.broken: list[BrokenTheme] = []
        self.load()

    @property
    def names(self) -> list[str]:
        """All themes that can be chosen: those of the files, then Textual's own."""
        from textual.theme import BUILTIN_THEMES

        return [*self.themes, *(name for name in BUILTIN_THEMES if name not in self.themes)]

    def load(self) -> None:
        """Read all files."""
        from textual.theme import BUILTIN_THEMES

        self.themes, self.broken = load_themes(self._folder, BUILTIN_THEMES)

    def problem_of(self, name: str) -> str:
        """Return in one sentence, without its full stop, why a theme cannot be used."""
        broken = self.broken_file(name)
        if broken is None:
            return f"There is no theme named {name!r}"
        return words_of(broken)

    def closest(self, name: str) -> str:
        """Return the question whether the theme with the closest name is meant; empty if none is
        close, or the theme exists."""
        known = name in self.names or self.is_broken(name)
        close = [] if known else get_close_matches(name.lower(), self.names, 1)
        return f"Did you mean {close[0]!r}?" if close else ""

    def is_broken(self, name: str) -> bool:
        """Return whether a theme has a file that cannot be used."""
        return self.broken_file(name) is not None

    def broken_file(self, name: str) -> BrokenTheme | None:
        """Return the file of a theme that cannot be used; None if there is none."""
        if name in self.themes:
            return None
        return next((broken for broken in self.broken if name in broken.names), None)

    def reload_if_changed(self) -> bool:
        """Read all files again if one is new, deleted or changed; return whether that was so."""
        stamps = self._read_stamps()
        if stamps == self._stamps:
            return False
        self._stamps = stamps
        self.load()
        return True

    def _read_stamps(self) -> dict[Path, tuple[int, int]]:
        stamps: dict[Path, tuple[int, int]] = {}
        for file in self._files():
            try:
                stat = file.stat()
            except OSError:
                continue
            stamps[file] = (stat.st_mtime_ns, stat.st_size)
        return stamps

    def _files(self) -> Iterator[Path]:
        own = resources.files("sandbox_tui.themes")
        for folder in (own, self._folder):
            if isinstance(folder, Path) and folder.is_dir():
                yield from folder.glob("*.toml")


def words_of(broken: BrokenTheme) -> str:
    """Return in one sentence, without its full stop, what is wrong with a file."""
    return f"The theme {broken.file} cannot be used: {broken.problem}"
