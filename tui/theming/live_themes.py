"""The app's themes: registered from files, and reapplied when a file is edited."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import App
from textual.theme import Theme

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.textual_support.private_api import apply_theme_again
from sandbox_tui.tui.theming.palette import to_textual
from sandbox_tui.tui.theming.theme_files import ThemeFiles

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
        self._register()

    def follow(self) -> None:
        """Report errors in the files, and apply the files again whenever they change."""
        self._say_what_is_broken()
        self._app.theme_changed_signal.subscribe(self._app, self._repaint)
        self._app.set_interval(POLL_SECONDS, self._reload)

    @property
    def names(self) -> list[str]:
        """All themes, our own first."""
        known = self._files.names
        # the theme of a broken file stays until the file is mended or deleted
        return [*known, *(name for name in self._app.available_themes if name not in known)]

    def _register(self) -> None:
        for theme in self._files.themes.values():
            self._app.register_theme(to_textual(theme))

    def _reload(self) -> None:
        before = set(self._files.themes)
        if not self._files.reload_if_changed():
            return
        self._register()
        if not self._files.broken:  # a broken file may be half saved
            for removed in before - set(self._files.themes):
                self._app.unregister_theme(removed)
        self._say_what_is_broken()
        if self._app.theme in self._files.themes:
            apply_theme_again(self._app)
        else:  # its file was deleted, or the file of the chosen theme has appeared
            self.choose()

    def choose(self) -> None:
        """Apply the theme chosen in the settings."""
        name = self._wanted()
        if name in self._app.available_themes:
            self._app.theme = name
            return
        self._app.theme = DEFAULT
        words = f"There is no theme named {sanitize_line(name)!r}; {DEFAULT} is used."
        self._app.notify(words, severity="warning", markup=False)

    def _say_what_is_broken(self) -> None:
        for broken in self._files.broken:
            words = sanitize_line(f"The theme {broken.file} cannot be used: {broken.problem}")
            self._app.notify(words, severity="warning", markup=False, timeout=10)

    def _repaint(self, theme: Theme) -> None:
        """Redraw every widget: those that draw themselves with a palette do not follow a new
        theme."""
        for screen in self._app.screen_stack:
            for widget in screen.walk_children():
                widget.refresh()
