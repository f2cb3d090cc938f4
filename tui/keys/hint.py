"""Formats keys for texts that mention them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from textual.binding import Binding
from textual.keys import format_key

from sandbox_tui.tui.keys.default_keys import ACTIONS

_chosen: dict[str, tuple[str, ...]] = {}
"""The user's own keys by action, for the app that runs in this process."""


def use_keys(keys: Mapping[str, tuple[str, ...]]) -> None:
    """Use these keys, by action, in hints instead of the defaults."""
    _chosen.clear()
    _chosen.update(keys)


def hint(action: str) -> str:
    """Return the first key in force for an action, formatted for a text."""
    return shown((_chosen.get(action) or ACTIONS[action].keys)[0])


def hints(action: str) -> str:
    """Return all keys in force for an action, formatted for a text."""
    return "/".join(shown(key) for key in _chosen.get(action) or ACTIONS[action].keys)


def action_with(key: str, places: Collection[str]) -> str:
    """Return the first action of these places that a key has there, by its name; empty if none
    has it."""
    here = (name for name, action in ACTIONS.items() if action.place in places)
    return next((name for name in here if key in (_chosen.get(name) or ACTIONS[name].keys)), "")


def key_in_bar(binding: Binding) -> str:
    """Return a binding's key as shown in the key bar: short, ^s for ctrl+s."""
    known = ACTIONS.get(binding.id or "")
    if known is not None and known.shown and binding.key in (known.keys[0], ",".join(known.keys)):
        return known.shown
    return shown(binding.key).replace("ctrl+", "^")


def preference(binding: Binding) -> int:
    """Return the position of a binding's key among the keys of its action; 0 for the preferred
    one."""
    keys = _keys_of(binding)
    return keys.index(binding.key) if binding.key in keys else 0


def preferred_key(binding: Binding) -> str:
    """Return the first key of a binding's action, in Textual's names."""
    return next(iter(_keys_of(binding)), binding.key)


def _keys_of(binding: Binding) -> tuple[str, ...]:
    name = binding.id or ""
    return _chosen.get(name) or (ACTIONS[name].keys if name in ACTIONS else ())


def shown(key: str) -> str:
    """Return a key formatted for a text: esc, ctrl+s, ↑, /."""
    *modifiers, base = key.split("+")
    word = base if base in ("enter", "backspace") else format_key(base)
    return "+".join([*modifiers, word])
