"""Every effective setting, and its source: default, environment variable or line of the file."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.toml_file import line_of

DEFAULT = "default"
"""The source of a setting that is set nowhere."""


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
    return _in_file(text, path, section, field) if _is_set(text, section, field) else DEFAULT


def _is_set(text: str, section: str, field: str) -> bool:
    return field in tomllib.loads(text).get(section, {})


def _in_file(text: str, path: Path, section: str, field: str) -> str:
    line = line_of(text, section, field)
    return f"{path}:{line}" if line else str(path)


def sources_of(settings: config.Settings) -> dict[str, str]:
    """Return where each setting's current value comes from, in a few words, by dotted name.

    `default`, the line of the file, the environment variable, or the command line of this program.
    """
    try:
        found = setting_sources()
    except ConfigError:  # the file was made invalid meanwhile
        found = []
    recorded = {one.name: one for one in found}
    sources: dict[str, str] = {}
    for section, kind in config.sections().items():
        values = getattr(settings, section)
        for name in kind.__struct_fields__:
            dotted = f"{section}.{name}"
            one = recorded.get(dotted)
            in_force = one is not None and (
                one.source.isupper() or one.value == getattr(values, name)
            )
            sources[dotted] = _in_words(one.source) if one and in_force else "command line"
    return sources


def _in_words(source: str) -> str:
    if source == DEFAULT:
        return source
    return f"${source}" if source.isupper() else Path(source).name
