"""Settings as text that a person reads and types."""

from __future__ import annotations

from typing import Any

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.config.toml_file import value_from_text

YES_NO = ("yes", "no")


def text_of_setting(settings: Settings, name: str) -> str:
    """A setting by its dotted name; empty where it is unset."""
    section, _, field = name.partition(".")
    value = getattr(getattr(settings, section), field)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def setting_of_text(name: str, text: str) -> Any:
    """What a person typed, as the setting's value; empty text unsets it.

    Raises:
        ConfigError: the text is no value for it.
    """
    if not text:
        return None
    return text == "yes" if text in YES_NO else value_from_text(name, text)
