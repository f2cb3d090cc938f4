"""The settings of the running program; a change is written to the config file and holds at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.config.toml_file import write


class LiveSettings:
    """What the file, the environment and the command line said, and what was changed since.

    Attributes:
        now: the settings; another object after each change.
    """

    def __init__(self, now: Settings) -> None:
        self.now = now

    def change(self, changes: Mapping[str, Any]) -> Path:
        """Write fields to the config file, by dotted name, and put them in force.

        A field that the environment or the command line set is changed for this program as well;
        the next start sees the environment's again.

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
