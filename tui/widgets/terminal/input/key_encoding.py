"""Keys and mouse events as the bytes a terminal sends for them (xterm ctlseqs, DEC VT220)."""

from __future__ import annotations

import string
from collections.abc import Sequence

from textual.events import Key

from sandbox_tui.tui.textual_support.private_api import character_to_key

_PLAIN: dict[str, str] = {
    "enter": "\r",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "escape": "\x1b",
    "backspace": "\x7f",
    "ctrl+backspace": "\x08",
    "space": " ",
    "ctrl+space": "\0",
    "ctrl+at": "\0",
    "ctrl+left_square_bracket": "\x1b",
    "ctrl+backslash": "\x1c",
    "ctrl+right_square_bracket": "\x1d",
    "ctrl+circumflex_accent": "\x1e",
    "ctrl+underscore": "\x1f",
    "ctrl+slash": "\x1f",
}
_ARROWS = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
_TILDE = {"insert": 2, "delete": 3, "pageup": 5, "pagedown": 6}
_FUNCTION = {
    **{f"f{n}": letter for n, letter in enumerate("PQRS", 1)},
}
_FUNCTION_TILDE = {
    f"f{n}": code for n, code in zip(range(5, 13), (15, 17, 18, 19, 20, 21, 23, 24), strict=True)
}
_PUNCTUATION = {character_to_key(character): character for character in string.punctuation}
_SHIFTED = str.maketrans("`1234567890-=[]\\;',./", '~!@#$%^&*()_+{}|:"<>?')
"""Characters that shift changes on a US keyboard; the Kitty protocol names the unshifted ones."""
_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4}


def key_bytes(key: Key, *, application: bool) -> bytes:
    """Return the bytes of a key; empty if a terminal cannot send it.

    Args:
        key: the key event from Textual.
        application: whether cursor keys are in application mode (DECCKM).
    """
    text = _key_text(key, application)
    return text.encode("utf-8", "replace")


def _key_text(key: Key, application: bool) -> str:
    name = key.key
    if name in _PLAIN:
        return _PLAIN[name]
    *modifiers, base = name.split("+") if name != "+" else [name]
    if base in _ARROWS or base in _TILDE or base in _FUNCTION or base in _FUNCTION_TILDE:
        code = 1 + sum(_MODIFIERS.get(modifier, 0) for modifier in set(modifiers))
        return _special(base, code, application)
    if "alt" in modifiers:
        rest = [modifier for modifier in modifiers if modifier != "alt"]
        character = key.character or _character(rest, base)
        return f"\x1b{_key_text(Key('+'.join([*rest, base]), character), application)}"
    if "ctrl" in modifiers and len(base) == 1 and base.isalpha():
        return chr(ord(base.lower()) & 0x1F)
    return key.character or ""


def _character(modifiers: Sequence[str], base: str) -> str | None:
    """Return the character of a key that was pressed without ctrl, if it has one."""
    character = base if len(base) == 1 else _PUNCTUATION.get(base)
    if character is None or "ctrl" in modifiers:
        return None
    return character.translate(_SHIFTED).upper() if "shift" in modifiers else character


def _special(base: str, code: int, application: bool) -> str:
    modified = code > 1
    if base in _ARROWS:
        letter = _ARROWS[base]
        if modified:
            return f"\x1b[1;{code}{letter}"
        return f"\x1bO{letter}" if application else f"\x1b[{letter}"
    if base in _FUNCTION:
        return f"\x1b[1;{code}{_FUNCTION[base]}" if modified else f"\x1bO{_FUNCTION[base]}"
    number = _TILDE.get(base) or _FUNCTION_TILDE[base]
    return f"\x1b[{number};{code}~" if modified else f"\x1b[{number}~"


MAX_X11_COORDINATE = 222
"""Highest 0-based column and row that an X11 mouse report can encode."""


def x11_mouse_bytes(button: int, x: int, y: int, *, released: bool = False) -> bytes:
    """Return an X11 mouse report, which cannot encode which button was released.

    Empty for positions beyond `MAX_X11_COORDINATE`.
    """
    if x > MAX_X11_COORDINATE or y > MAX_X11_COORDINATE:
        return b""
    return b"\x1b[M" + bytes((32 + (button | 3 if released else button), 33 + x, 33 + y))


def sgr_mouse_bytes(button: int, x: int, y: int, *, released: bool = False) -> bytes:
    """Return a mouse report in SGR form (mode 1006); `x` and `y` are 0-based cells."""
    return f"\x1b[<{button};{x + 1};{y + 1}{'m' if released else 'M'}".encode()
