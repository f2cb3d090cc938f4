"""Applies the user's own keys to the bindings, except where the focused widget takes them as text.

Textual drops the keys that a focused text field consumes before it applies the keymap. Without this
module, a letter that the user assigned to an action would run the action instead of being typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from textual.app import App
from textual.binding import Keymap
from textual.keys import key_to_character
from textual.widget import Widget

Result = TypeVar("Result")


class KeymapOverlay(App[Result], Generic[Result]):
    """An app whose keymap yields to text fields."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._chosen_keys: Keymap = {}

    def choose_keys(self, keys: Mapping[str, tuple[str, ...]]) -> None:
        """Use these keys, by action, instead of the defaults."""
        self._chosen_keys = {name: ",".join(several) for name, several in keys.items()}

    @property
    def _keymap(self) -> Keymap:
        """Textual's keymap, with which it overrides the bindings; private, and read for each key
        lookup."""
        chosen = getattr(self, "_chosen_keys", None)
        if not chosen or not self.screen_stack:
            return {}
        focused = self.screen.focused
        if focused is None:
            return chosen
        keys = {
            name: ",".join(k for k in several.split(",") if not consumes(focused, k))
            for name, several in chosen.items()
        }
        return {name: left for name, left in keys.items() if left}

    @_keymap.setter
    def _keymap(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, keymap: Keymap
    ) -> None:
        self._chosen_keys = dict(keymap)


def consumes(focused: Widget, key: str) -> bool:
    """Return whether a focused widget consumes a key, as a text field does with letters."""
    return focused.check_consume_key(key, key_to_character(key))
