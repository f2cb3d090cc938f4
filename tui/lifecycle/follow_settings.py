"""Applies every change of the settings to the running program, whichever screen is shown."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import config_file
from sandbox_tui.core.config.unknown_variables import unknown_variables
from sandbox_tui.tui.format.setting_text import effects
from sandbox_tui.tui.keys.hint import use_keys
from sandbox_tui.tui.keys.keymap import keymap_in_file
from sandbox_tui.tui.keys.keymap_overlay import KeymapOverlay
from sandbox_tui.tui.lifecycle.config_mistakes import mistakes_of_screen
from sandbox_tui.tui.live_settings import LiveSettings, SettingsChange
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.textual_support.toasts import DedupedToasts
from sandbox_tui.tui.theming.live_themes import LiveThemes


class FollowSettings:
    """Follows the config file and changes made on the screen.

    Args:
        app: the program.
        settings: its settings.
        themes: its themes.
    """

    def __init__(self, app: KeymapOverlay[int], settings: LiveSettings, themes: LiveThemes) -> None:
        self._app = app
        self._settings = settings
        self._themes = themes
        self._problems: list[str] = []
        self._keys: dict[str, tuple[str, ...]] = {}  # those in force, except the defaults

    def begin(self) -> None:
        """Apply what the settings say about the screen, and whatever changes from now on."""
        self._apply_animations()
        self._apply_keys()
        for mistake in unknown_variables(self._settings.now.model.api_key_env):
            words = sanitize_line(str(mistake))
            self._app.notify(words, severity="warning", markup=False, timeout=10)
        if problem := self._settings.problem:
            words = sanitize_line(problem)
            self._app.notify(words, severity="warning", markup=False, timeout=10)
        self._settings.other_mistakes = mistakes_of_screen
        self._settings.watch(self._changed)

    def look(self) -> None:
        """Look whether the file has changed; this costs one `stat`."""
        reread_settings(self._app, self._settings)

    def _changed(self, change: SettingsChange) -> None:
        names, refused = change.names, set[str]()
        if "ui.theme" in names and not self._themes.choose():
            refused.add("ui.theme")
        if "ui.animations" in names:
            self._apply_animations()
        if "keys" in names and not self._apply_keys():
            refused.add("keys")
        if any(name.startswith("model.") for name in names):
            self._show_model()
        applied = [name for name in names if name not in refused]
        if change.is_from_outside and applied:
            self._say(applied)

    def _show_model(self) -> None:
        from sandbox_tui.tui.screens.home.home import HomeScreen

        for screen in self._app.screen_stack:
            if isinstance(screen, HomeScreen):
                screen.show_model()

    def _say(self, names: Iterable[str]) -> None:
        words = f"{config_file().name} was changed: {effects(names)}."
        self._app.notify(sanitize_line(words), markup=False, timeout=6)

    def _apply_animations(self) -> None:
        self._app.animation_level = "full" if self._settings.now.ui.animations else "none"

    def _apply_keys(self) -> bool:
        """Apply the keys in the settings; return False if all new ones were refused."""
        before = self._keys
        keymap = keymap_in_file(self._settings.now.keys)
        self._app.choose_keys(keymap.keys)
        use_keys(keymap.keys)
        for screen in self._app.screen_stack:
            screen.refresh_bindings()
        self._say_problems(keymap.problems)
        self._keys = keymap.keys
        return not keymap.problems or any(
            before.get(name) != keys for name, keys in keymap.keys.items()
        )

    def _say_problems(self, problems: list[str]) -> None:
        """Say what is new wrong with the keys, and remove what is no longer true."""
        for mended in self._problems:
            if mended not in problems and isinstance(self._app, DedupedToasts):
                self._app.remove_shown_toast(mended, "")
        for problem in problems:
            if problem not in self._problems:
                self._app.notify(problem, severity="warning", markup=False, timeout=10)
        self._problems = problems
