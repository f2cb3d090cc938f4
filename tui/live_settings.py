"""The settings of the running program: those of the file, read again when it changes, and changes
made on the screen, which are saved in the file and apply at once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.harmless_mistakes import with_default
from sandbox_tui.core.config.mistakes import Mistake, SettingsError
from sandbox_tui.core.config.plain_values import plain_value
from sandbox_tui.core.config.setting_sources import is_in_environment, sources_of
from sandbox_tui.core.config.settings import (
    Settings,
    changed,
    config_file,
    load,
    load_usable,
    sections,
)
from sandbox_tui.core.config.toml_file import write

Stamp = tuple[int, int, int] | None
"""What changes with a file: its time, size and number; None if there is no file."""


class SettingsChange(NamedTuple):
    """The settings before and after a change.

    Attributes:
        is_from_outside: whether another program or an editor changed the file.
    """

    before: Settings
    after: Settings
    is_from_outside: bool

    @property
    def names(self) -> list[str]:
        """Dotted names of the settings with another value; `keys` stands for all keys."""
        before, after = _values(self.before), _values(self.after)
        names = [name for name, value in after.items() if value != before[name]]
        return [*names, *(["keys"] if self.before.keys != self.after.keys else [])]


Watcher = Callable[[SettingsChange], None]


class LiveSettings:
    """The settings from file, environment and command line, plus changes made since.

    Attributes:
        now: the current settings; a new object after each change.
        problem: what is wrong with the file as it is now.
        other_mistakes: returns mistakes in the file that reading the settings does not find; they
            are counted if there are others.
    """

    def __init__(self, now: Settings) -> None:
        self.now = now
        self.problem = _problem_at_start()
        self.other_mistakes: Callable[[], Sequence[Mistake]] = tuple
        self._watchers: list[Watcher] = []
        self._stamp = _stamp(config_file())
        self._flags = _differences(now)
        self._kept: dict[str, Any] = {}  # saved here although a variable sets them

    def reread(self) -> str:
        """Read the config file again if it has changed; returns what is wrong with it, once.

        A file with a mistake changes nothing.
        """
        stamp = _stamp(config_file())
        if stamp == self._stamp:
            return ""
        self._stamp = stamp
        before = self.now
        try:
            self.now = changed(load(), self._flags | self._kept)
        except SettingsError as error:
            mistakes = [*error.mistakes, *self.other_mistakes()]
            self.problem = SettingsError(error.path, mistakes).short
            return self.problem
        except ConfigError as error:
            self.problem = str(error)
            return self.problem
        self.problem = ""
        if self.now != before:
            self._announce(SettingsChange(before, self.now, is_from_outside=True))
        return ""

    def watch(self, watcher: Watcher) -> None:
        """Call this after each change, until `unwatch`."""
        self._watchers.append(watcher)

    def unwatch(self, watcher: Watcher) -> None:
        """Stop calling this."""
        if watcher in self._watchers:
            self._watchers.remove(watcher)

    def _announce(self, change: SettingsChange) -> None:
        for watcher in [*self._watchers]:
            watcher(change)

    def change(self, changes: Mapping[str, Any]) -> Path:
        """Save fields, given by dotted name and with values as in the file, and apply them.

        A field set by the environment or the command line is changed for this program as well; the
        next start uses the environment's value again.

        Raises:
            ConfigError: nothing was changed.
        """
        self.reread()  # so that what another program changed is told apart from these changes
        before = self.now
        path = write(changes)
        plain = {name: plain_value(name, value) for name, value in changes.items()}
        for name, value in plain.items():
            self._flags.pop(name, None)
            if is_in_environment(*name.split(".", 1)):
                self._kept[name] = _default(name) if value is None else value
        self.now = self._with(plain)
        self._stamp = _stamp(path)
        with contextlib.suppress(ConfigError):
            self.now = changed(load(), self._flags | self._kept)
        self._announce(SettingsChange(before, self.now, is_from_outside=False))
        return path

    @property
    def sources(self) -> dict[str, str]:
        """Where each value comes from, in a few words, by dotted name; see `sources_of`."""
        return sources_of(self.now, self._flags, self._kept)

    def _with(self, changes: Mapping[str, Any]) -> Settings:
        tables: dict[str, Any] = msgspec.to_builtins(self.now)
        for name, value in changes.items():
            section, _, key = name.partition(".")
            if value is None:
                tables[section].pop(key, None)
            else:
                tables[section][key] = value
        return msgspec.convert(tables, Settings)


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _problem_at_start() -> str:
    try:
        load()
    except SettingsError as error:
        return with_default(error)
    except ConfigError as error:
        return str(error)
    return ""


def _differences(now: Settings) -> dict[str, Any]:
    """Return the values that come neither from the file nor from the environment."""
    try:
        recorded = _values(load_usable(config_file())[0])
    except ConfigError:  # the file was made invalid meanwhile
        return {}
    return {name: value for name, value in _values(now).items() if value != recorded[name]}


def _values(settings: Settings) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = msgspec.to_builtins(settings)
    return {
        f"{section}.{name}": tables[section][name]
        for section, kind in sections().items()
        for name in kind.__struct_fields__
    }


def _default(name: str) -> Any:
    return _values(Settings())[name]
