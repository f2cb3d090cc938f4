"""The bytes for keys and the mouse, depending on the modes a program has set (xterm ctlseqs)."""

from __future__ import annotations

from collections.abc import Set

from textual import events

from sandbox_tui.tui.widgets.terminal.input.key_encoding import (
    key_bytes,
    sgr_mouse_bytes,
    x11_mouse_bytes,
)

RELEASE = "ctrl+right_square_bracket"
RELEASE_SHOWN = "ctrl+]"
"""The chord that releases the keyboard; pressed twice, it goes to the program."""

_PLAIN_ONLY = frozenset(("enter", "escape", "backspace", "tab", "space"))
_DISTINCT_CHORDS = frozenset(("shift+tab", "ctrl+backspace", "ctrl+space"))


def bytes_of_key(key: events.Key, modes: Set[int]) -> bytes:
    """Return the bytes of a key; empty if a terminal cannot send it."""
    *modifiers, base = key.key.split("+")
    if base in _PLAIN_ONLY and modifiers and key.key not in _DISTINCT_CHORDS:
        # only newer protocols distinguish shift+enter from enter
        data = key_bytes(events.Key(base, None), application=False)
        return b"\x1b" + data if "alt" in modifiers else data
    return key_bytes(key, application=1 in modes)


def bytes_of_mouse(
    event: events.MouseEvent,
    button: int,
    place: tuple[int, int],
    modes: Set[int],
    *,
    released: bool = False,
) -> bytes:
    """Return a mouse report in the encoding the program requested; `place` is a 0-based column and
    row."""
    held = 4 * event.shift + 8 * event.meta + 16 * event.ctrl
    form = sgr_mouse_bytes if 1006 in modes else x11_mouse_bytes
    return form(button + held, *place, released=released)
