"""Settings as text that the user reads and types."""

from __future__ import annotations

from typing import Any

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.config.toml_file import value_from_text

YES_NO = ("yes", "no")


def text_of_setting(settings: Settings, name: str) -> str:
    """Return a setting by its dotted name; empty if it is unset."""
    section, _, field = name.partition(".")
    value = getattr(getattr(settings, section), field)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def setting_of_text(name: str, text: str) -> Any:
    """Parse what the user typed as the setting's value; empty text unsets it.

    Raises:
        ConfigError: the text is not a valid value.
    """
    if not text:
        return None
    return text == "yes" if text in YES_NO else value_from_text(name, text)
