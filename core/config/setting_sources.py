"""Every effective setting, and its source: default, environment variable or line of the file."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.toml_file import line_of


class SettingSource(NamedTuple):
    """One setting.

    Attributes:
        name: with its section, such as model.name.
        source: `default`, the environment variable, or the file with the line.
    """

    name: str
    value: Any
    source: str


def setting_sources(file: Path | None = None) -> list[SettingSource]:
    """Return all settings, in the order in which they are documented.

    Raises:
        ConfigError: the settings are invalid.
    """
    path = file or config.config_file()
    settings = config.load(file=path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        text = ""
    found: list[SettingSource] = []
    for section, kind in config.sections().items():
        values = getattr(settings, section)
        for field in msgspec.structs.fields(kind):
            source = _source(section, field.name, text, path)
            found.append(
                SettingSource(f"{section}.{field.name}", getattr(values, field.name), source)
            )
    for name, value in config.flat(settings.keys).items():
        found.append(SettingSource(f"keys.{name}", value, _in_file(text, path, "keys", name)))
    return found


def _source(section: str, field: str, text: str, path: Path) -> str:
    variable = config.variable(section, field)
    if variable in os.environ:
        return variable
    if (section, field) == ("model", "base_url") and os.environ.get("OPENAI_BASE_URL"):
        return "OPENAI_BASE_URL"
    return _in_file(text, path, section, field) if _is_set(text, section, field) else "default"


def _is_set(text: str, section: str, field: str) -> bool:
    return field in tomllib.loads(text).get(section, {})


def _in_file(text: str, path: Path, section: str, field: str) -> str:
    line = line_of(text, section, field)
    return f"{path}:{line}" if line else str(path)
