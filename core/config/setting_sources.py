"""Every effective setting, and its source: default, environment variable or line of the file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.toml_lines import line_of

DEFAULT = "default"
"""The source of a setting that is set nowhere."""

COMMAND_LINE = "command line"
"""The source of a setting that a flag of this program sets."""


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
    return _rows(config.load(file=path), _text(path), path)


def listed_settings() -> list[SettingSource]:
    """Return all settings, as `setting_sources`, also of a file with mistakes: a value that cannot
    be used is listed as it was set.

    Raises:
        ConfigError: the file is not TOML.
    """
    path = config.config_file()
    settings, unusable = config.load_usable(path)
    return [
        row._replace(value=unusable.get(row.name, row.value))
        for row in _rows(settings, _text(path), path)
    ]


def is_default(setting: SettingSource) -> bool:
    """Return whether a listed setting has its default, also if the file says the same."""
    is_key = setting.name.startswith("keys.")
    return not is_key and setting.value == default_of(setting.name)


def default_of(name: str) -> Any:
    """Return the default of a setting other than a key."""
    section, _, field = name.partition(".")
    return getattr(getattr(config.Settings(), section), field)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _rows(settings: config.Settings, text: str, path: Path) -> list[SettingSource]:
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
    if variable := variable_in_force(section, field):
        return variable
    return _in_file(text, path, section, field) if _is_set(text, section, field) else DEFAULT


def variable_in_force(section: str, field: str) -> str:
    """Return the environment variable that sets a field; empty for none."""
    variable = config.variable(section, field)
    if variable in os.environ:
        return variable
    is_url = (section, field) == ("model", "base_url")
    return "OPENAI_BASE_URL" if is_url and os.environ.get("OPENAI_BASE_URL") else ""


def _is_set(text: str, section: str, field: str) -> bool:
    table = tomllib.loads(text).get(section, {})
    return isinstance(table, dict) and field in table


def _in_file(text: str, path: Path, section: str, field: str) -> str:
    line = line_of(text, section, field)
    return f"{path}:{line}" if line else str(path)


def is_in_environment(section: str, field: str) -> bool:
    """Return whether an environment variable sets a field."""
    return bool(variable_in_force(section, field))


def sources_of(
    settings: config.Settings,
    from_command_line: Collection[str] = (),
    kept: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """Return where each setting's current value comes from, in a few words, by dotted name.

    `default`, the name of the file, the environment variable, or the command line of this program.

    Args:
        settings: in force.
        from_command_line: names of the settings that flags of this program set.
        kept: settings that were saved by this program although the environment sets them.
    """
    try:
        recorded = {one.name: one.source for one in setting_sources()}
    except ConfigError:  # the file was made invalid meanwhile; what it said before is in force
        recorded = dict[str, str]()
    default, file = config.Settings(), config.config_file().name
    sources: dict[str, str] = {}
    for section, kind in config.sections().items():
        values, defaults = getattr(settings, section), getattr(default, section)
        for name in kind.__struct_fields__:
            dotted = f"{section}.{name}"
            is_default = getattr(values, name) == getattr(defaults, name)
            if dotted in from_command_line:
                sources[dotted] = COMMAND_LINE
            elif dotted in (kept or {}) or dotted not in recorded:
                sources[dotted] = DEFAULT if is_default else file
            else:
                sources[dotted] = _in_words(recorded[dotted])
    return sources


def _in_words(source: str) -> str:
    if source == DEFAULT:
        return source
    return f"${source}" if source.isupper() else Path(source).name
