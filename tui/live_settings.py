"""The settings of the running program: those of the file, read again when it changes, and changes
made on the screen, which are saved in the file and apply at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.setting_sources import is_in_environment, sources_of
from sandbox_tui.core.config.settings import Settings, changed, config_file, load, sections
from sandbox_tui.core.config.toml_file import write

Stamp = tuple[int, int, int] | None
"""What changes with a file: its time, size and number; None if there is no file."""


class LiveSettings:
    """The settings from file, environment and command line, plus changes made since.

    Attributes:
        now: the current settings; a new object after each change.
    """

    def __init__(self, now: Settings) -> None:
        self.now = now
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
        try:
            self.now = changed(load(), self._flags | self._kept)
        except ConfigError as error:
            return str(error)
        return ""

    def change(self, changes: Mapping[str, Any]) -> Path:
        """Save fields, given by dotted name, to the config file and apply them.

        A field set by the environment or the command line is changed for this program as well; the
        next start uses the environment's value again.

        Raises:
            ConfigError: nothing was changed.
        """
        path = write(changes)
        for name, value in changes.items():
            self._flags.pop(name, None)
            if is_in_environment(*name.split(".", 1)):
                self._kept[name] = _default(name) if value is None else value
        self.now = self._with(changes)
        self._stamp = None  # what else has changed in the file applies too
        self.reread()
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


def _differences(now: Settings) -> dict[str, Any]:
    """Return the values that come neither from the file nor from the environment."""
    try:
        recorded = _values(load())
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
