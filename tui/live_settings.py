"""The settings of the running program; changes are saved to the config file and apply at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.config.toml_file import write


class LiveSettings:
    """The settings from file, environment and command line, plus changes made since.

    Attributes:
        now: the current settings; a new object after each change.
    """

    def __init__(self, now: Settings) -> None:
        self.now = now

    def change(self, changes: Mapping[str, Any]) -> Path:
        """Save fields, given by dotted name, to the config file and apply them.

        A field set by the environment or the command line is changed for this program as well; the
        next start uses the environment's value again.

        Raises:
            ConfigError: nothing was changed.
        """
        path = write(changes)
        self.now = self._with(changes)
        return path

    def _with(self, changes: Mapping[str, Any]) -> Settings:
        tables: dict[str, Any] = msgspec.to_builtins(self.now)
        for name, value in changes.items():
            section, _, key = name.partition(".")
            if value is None:
                tables[section].pop(key, None)
            else:
                tables[section][key] = value
        return msgspec.convert(tables, Settings)
