"""The line of the settings screen about the user's own keys, which are set in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Label

from sandbox_tui.core.config.settings import config_file, flat
from sandbox_tui.tui.screens.setting_rows import Row

KEYS_ROW = Row("keys", "keys")

_OTHER_WORDS = "bindings shortcuts hotkeys keymap rebind"


class KeysLine(Horizontal):
    """Says how many entries `[keys]` has, and what lists the keys; it cannot be edited."""

    DEFAULT_CSS = """
    KeysLine #own-keys {
        width: 1fr; padding: 0 1; color: $role-dim; text-overflow: ellipsis; text-wrap: nowrap;
        &.-set { color: $foreground; }
    }
    """

    def compose(self) -> ComposeResult:
        """Yield the name of the line, and what it says."""
        yield Label(id="label-keys", classes="label", markup=False)
        yield Label(id="own-keys", markup=False)

    def show(self, table: Mapping[str, Any]) -> None:
        """Show what is in `[keys]`."""
        number = len(flat(table))
        changed = f"{number} changed in {config_file().name}" if number else "the defaults"
        label, own = self.query_one("#label-keys", Label), self.query_one("#own-keys", Label)
        label.set_class(number > 0, "-set").update(KEYS_ROW.marked(number > 0))
        own.set_class(number > 0, "-set").update(f"{changed} · `sandbox-tui keys` lists them")


def words_that_find_keys(table: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the actions with own keys, those keys, and other words for keys."""
    return (_OTHER_WORDS, *(f"{name} {keys}" for name, keys in flat(table).items()))
