"""Loads settings despite mistakes that change only how things look or what a model writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox_tui.core.config.mistakes import SettingsError
from sandbox_tui.core.config.settings import Settings, changed, config_file, load, load_usable

HARMLESS = ("ui.", "model.temperature")
"""Settings whose defaults may stand in for them: none of them limits or protects anything."""


def with_default(error: SettingsError) -> str:
    """Return what is wrong with harmless settings, and that their defaults are used."""
    return f"{error.short} The default applies until it is corrected."


def load_despite_harmless(overrides: Mapping[str, Any]) -> tuple[Settings, str]:
    """Return the settings, with the default in place of a harmless one that cannot be used, and
    what is wrong with them, as a sentence; empty if nothing is.

    Args:
        overrides: from the command line, by dotted name, as in `load`.

    Raises:
        ConfigError: another setting cannot be used.
    """
    try:
        return load(overrides), ""
    except SettingsError as error:
        settings, unusable = load_usable(config_file())
        are_all_known = len(error.mistakes) == len(unusable)
        if not (are_all_known and all(name.startswith(HARMLESS) for name in unusable)):
            raise
        given = {name: value for name, value in overrides.items() if value is not None}
        return changed(settings, given), with_default(error)
