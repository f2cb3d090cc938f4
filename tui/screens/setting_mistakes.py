"""What is wrong with the texts in the fields of the settings."""

from __future__ import annotations

from sandbox_tui.tui.format.setting_text import mistake_of_setting
from sandbox_tui.tui.screens.setting_rows import Row


class SettingMistakes:
    """Says what is wrong with a text, and remembers it: that of a prompt pack takes reading its
    file."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}

    def of(self, row: Row, text: str) -> str:
        """Return what is wrong with the text of a setting; empty for nothing."""
        if row.values or not text:
            return ""
        known = (row.name, text)
        if known not in self._known:
            self._known[known] = mistake_of_setting(*known)
        return self._known[known]

    def forget(self) -> None:
        """Look again: a file may have been written meanwhile."""
        self._known.clear()
