"""The app's themes: registered from files, and reapplied when a file is edited."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from textual.app import App
from textual.theme import Theme

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import config_file, read_toml
from sandbox_tui.core.config.toml_lines import line_of
from sandbox_tui.tui.textual_support.private_api import apply_theme_again
from sandbox_tui.tui.textual_support.toasts import DedupedToasts
from sandbox_tui.tui.theming.palette import to_textual
from sandbox_tui.tui.theming.theme_files import ThemeFiles, words_of

POLL_SECONDS = 1.0
"""Seconds between checks of the theme files."""

DEFAULT = "lamplight"


class LiveThemes:
    """The themes of one app.

    Args:
        app: the app in which they are registered.
        files: the theme files.
        wanted: returns the name of the theme chosen in the settings.
    """

    def __init__(self, app: App[int], files: ThemeFiles, wanted: Callable[[], str]) -> None:
        self._app = app
        self._files = files
        self._wanted = wanted
        self._said: set[str] = set()
        self._replaced_notice = ""
        self._is_replaced = False  # because the chosen theme cannot be used
        self._in_use = DEFAULT  # the last chosen theme that could be used
        self._register()

    def follow(self) -> None:
        """Apply the files again whenever they change, and report errors in those that changed. Of
        those at the start, `choose` reports that of the chosen theme; the settings name the others.
        """
        self._said |= {words_of(broken) for broken in self._files.broken}
        self._app.theme_changed_signal.subscribe(self._app, self._repaint)
        self._app.set_interval(POLL_SECONDS, self._reload)

    def look_again(self) -> list[str]:
        """Return the names of all themes now, our own first."""
        self._reload()
        known = self._files.names
        # the theme of a broken file stays until the file is mended or deleted
        return [*known, *(name for name in self._app.available_themes if name not in known)]

    @property
    def own(self) -> list[str]:
        """The names of our own themes and the user's."""
        return [*self._files.themes]

    def why_not_in_use(self, name: str) -> str:
        """Return in a few words why a theme cannot be in use; empty if it can."""
        if name in self._app.available_themes:
            return ""
        broken = self._files.broken_file(name)
        return "there is no theme of this name" if broken is None else broken.problem

    @property
    def broken_files(self) -> list[str]:
        """The names of the files that cannot be used."""
        return [Path(broken.file).name for broken in self._files.broken]

    def _register(self) -> None:
        for theme in self._files.themes.values():
            self._app.register_theme(to_textual(theme))

    def _reload(self) -> None:
        if not self._read_again():
            return
        if self._is_replaced or self._app.theme not in self._app.available_themes:
            self._choose()
        else:
            apply_theme_again(self._app)
        self._say_what_is_broken()

    def _read_again(self) -> bool:
        """Read the files again; return whether any has changed."""
        before = set(self._files.themes)
        if not self._files.reload_if_changed():
            return False
        self._register()
        if not self._files.broken:  # a broken file may be half saved
            for removed in before - set(self._files.themes):
                self._app.unregister_theme(removed)
        return True

    def choose(self) -> bool:
        """Apply the theme chosen in the settings, or say why it cannot be used: then the one in use
        stays. Return whether it was applied."""
        self._read_again()
        self._take_back_notice(self._replaced_notice)  # it was about another choice
        self._said.discard(self._files.problem_of(self._wanted()))
        self._choose()
        return not self._is_replaced

    def _choose(self) -> None:
        name = self._wanted()
        self._is_replaced = name not in self._app.available_themes
        if not self._is_replaced:
            self._in_use = name
        elif self._in_use not in self._app.available_themes:
            self._in_use = DEFAULT
        self._app.theme = self._in_use
        problem = self._files.problem_of(name)
        if self._is_replaced and problem not in self._said:
            self._said.add(problem)
            known = "" if self._files.is_broken(name) else _place_of(name)
            self._replaced_notice = f"{known}{problem}; {self._in_use} is used."
            self._warn(self._replaced_notice)

    def _say_what_is_broken(self) -> None:
        """Say once what is wrong with each file."""
        problems = {words_of(broken) for broken in self._files.broken}
        for mended in self._said - problems - {self._files.problem_of(self._wanted())}:
            self._take_back(mended)
        for problem in sorted(problems - self._said):
            self._warn(f"{problem}.")
        self._said = problems | (self._said & {self._files.problem_of(self._wanted())})

    def _take_back(self, problem: str) -> None:
        """Remove the notices about a file that is mended or deleted."""
        self._take_back_notice(f"{problem}.")
        if problem in self._replaced_notice:
            self._take_back_notice(self._replaced_notice)

    def _take_back_notice(self, words: str) -> None:
        if words and isinstance(self._app, DedupedToasts):
            self._app.remove_shown_toast(sanitize_line(words), "")

    def _warn(self, words: str) -> None:
        self._app.notify(sanitize_line(words), severity="warning", markup=False, timeout=10)

    def _repaint(self, theme: Theme) -> None:
        """Redraw every widget: those that draw themselves with a palette do not follow a new
        theme."""
        for screen in self._app.screen_stack:
            for widget in screen.walk_children():
                widget.refresh()


def _place_of(name: str) -> str:
    """Return where the config file sets this theme, as other mistakes in it are introduced; empty
    if something else chose it, such as an option."""
    with contextlib.suppress(ConfigError):  # what reads the settings reports it
        text, tables = read_toml(config_file())
        line = line_of(text, "ui", "theme")
        if line and tables.get("ui", {}).get("theme") == name:
            return f"line {line}: ui.theme: "
    return ""
