"""Parses names of keys as users write them, and knows which ones a terminal can send."""

from __future__ import annotations

from textual.keys import Keys, format_key

from sandbox_tui.tui.textual_support.private_api import character_to_key

_MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper", "meta")
_ALIASES = {
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "page_up": "pageup",
    "pgdn": "pagedown",
    "page_down": "pagedown",
    "spacebar": "space",
    "control": "ctrl",
    "option": "alt",
    "cmd": "super",
}
_SAME = {
    "ctrl+i": "tab",
    "ctrl+m": "enter",
    "ctrl+h": "backspace",
    "ctrl+left_square_bracket": "escape",
}
"""Keys that send the same bytes as another key."""

_SPECIAL = {
    key.value for key in Keys if "+" not in key.value and key.value.isalnum() and len(key.value) > 1
} - {"return"}
"""Keys that have a name and write no character: escape, tab, pageup, f1 and so on."""

_CURSOR = {"up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"}
_CTRL_CHARACTERS = {"at", "backslash", "right_square_bracket", "circumflex_accent", "underscore"}


def key_name(written: str) -> str:
    """Return Textual's name of a key: `?` is question_mark, `Esc` escape, `shift+a` A.

    Raises:
        ValueError: there is no such key; the message is a sentence.
    """
    written = written.strip()
    if not written:
        raise ValueError("a key has no name")
    *modifiers, base = written.split("+") if len(written) > 1 else [written]
    if written.endswith("++"):
        *modifiers, base = [*written[:-2].split("+"), "+"]
    modifiers = [_ALIASES.get(word.strip().lower(), word.strip().lower()) for word in modifiers]
    for modifier in modifiers:
        if modifier not in _MODIFIERS:
            raise ValueError(f"there is no key {written!r}: {modifier!r} is not a modifier")
    base = _base_name(base.strip(), written)
    if "shift" in modifiers and len(base) == 1 and base.isalpha() and len(modifiers) == 1:
        return base.upper()
    if modifiers and len(base) == 1:
        base = base.lower()
    name = "+".join([*(m for m in _MODIFIERS if m in modifiers), base])
    if name in _SAME:
        raise ValueError(f"a terminal cannot tell {written!r} from {_SAME[name]}")
    return name


def _base_name(base: str, written: str) -> str:
    if len(base) == 1:
        if not base.isprintable():
            raise ValueError(f"there is no key {written!r}")
        return character_to_key(base)
    lowered = _ALIASES.get(base.lower(), base.lower())
    if lowered in _SPECIAL or len(format_key(lowered)) == 1:
        return lowered
    raise ValueError(f"there is no key {written!r}")


def is_rare(name: str) -> bool:
    """Return whether many terminals cannot send this key."""
    *modifiers, base = name.split("+")
    held = set(modifiers)
    if held & {"super", "hyper", "meta"} or len(held) > 1:
        return True
    if held == {"ctrl"}:
        plain = len(base) == 1 and base.isalpha()
        return not (plain or base in _CTRL_CHARACTERS or base in _CURSOR)
    return held == {"shift"} and base != "tab" and base not in _CURSOR


def writes(name: str) -> bool:
    """Return whether a key, given by Textual's name, writes a character in a text field."""
    return name == "space" or (name not in _SPECIAL and "+" not in name)


def key_of_caret(typed: str) -> str:
    """Return `ctrl+r` for `^r`, as the key bar writes it, and any other text as it is."""
    return f"ctrl+{typed[1:]}" if typed[:1] == "^" and len(typed) == 2 else typed
