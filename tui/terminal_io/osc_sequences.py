"""Sequences we send to the terminal itself: its title, and notifications for the desktop behind it.

Sequences: OSC 2 sets the title, and CSI 22 t and 23 t keep and restore it (xterm ctlseqs); OSC 9
(iTerm2, WezTerm, kitty, Ghostty) and OSC 777 (urxvt, foot, VTE) show a notification. tmux passes
them on to the terminal around it inside of DCS tmux, where its option allow-passthrough lets it.
Only text without any control character gets into them.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandbox_tui.core.base.sanitize import sanitize_line

KEEP_TITLE = "\x1b[22;2t"
RESTORE_TITLE = "\x1b]2;\x07\x1b[23;2t"
"""Empty first: for terminals that cannot restore it."""


def title_sequence(title: str) -> str:
    """Sets the title of the terminal's window, or of tmux's pane."""
    return f"\x1b]2;{_harmless(title)}\x07"


def notification_sequence(title: str, text: str, environment: Mapping[str, str]) -> str:
    """Shows a notification on the desktop, as far as the terminal can.

    Args:
        title, text: cleaned once more here.
        environment: that says which terminal it is.
    """
    title, text = _harmless(title), _harmless(text)
    if _knows_777(environment):
        sequence = f"\x1b]777;notify;{title.replace(';', ',')};{text.replace(';', ',')}\x07"
    else:  # some terminals take a number at its beginning for another command
        sequence = f"\x1b]9;{title}: {text}\x07"
    if environment.get("TMUX"):
        return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    return sequence


def _knows_777(environment: Mapping[str, str]) -> bool:
    term = environment.get("TERM", "")
    return term.startswith(("rxvt", "foot")) or "VTE_VERSION" in environment


def _harmless(text: str) -> str:
    """No control character is left, whoever wrote the text."""
    return "".join(char for char in sanitize_line(text) if char.isprintable())
