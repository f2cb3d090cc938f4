"""Escape sequences for the terminal itself: its title, and desktop notifications.

OSC 2 sets the title, and CSI 22 t and 23 t save and restore it (xterm ctlseqs); OSC 9 (iTerm2,
WezTerm, kitty, Ghostty) and OSC 777 (urxvt, foot, VTE) show a notification. tmux passes them on to
the terminal around it inside DCS tmux, if its option allow-passthrough is on. The text in them
never contains control characters.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandbox_tui.core.base.sanitize import sanitize_line

KEEP_TITLE = "\x1b[22;2t"
RESTORE_TITLE = "\x1b]2;\x07\x1b[23;2t"
"""Clears the title first, for terminals that cannot restore it."""


def title_sequence(title: str) -> str:
    """Return the sequence that sets the title of the terminal's window or of tmux's pane."""
    return f"\x1b]2;{_harmless(title)}\x07"


def notification_sequence(title: str, text: str, environment: Mapping[str, str]) -> str:
    """Return the sequence that shows a desktop notification, if the terminal supports one.

    Args:
        title, text: sanitized again here.
        environment: variables that identify the terminal.
    """
    title, text = _harmless(title), _harmless(text)
    if _knows_777(environment):
        sequence = f"\x1b]777;notify;{title.replace(';', ',')};{text.replace(';', ',')}\x07"
    else:  # some terminals treat a leading number as another command
        sequence = f"\x1b]9;{title}: {text}\x07"
    if environment.get("TMUX"):
        return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    return sequence


def _knows_777(environment: Mapping[str, str]) -> bool:
    term = environment.get("TERM", "")
    return term.startswith(("rxvt", "foot")) or "VTE_VERSION" in environment


def _harmless(text: str) -> str:
    """Remove control characters from text, whatever its source."""
    return "".join(char for char in sanitize_line(text) if char.isprintable())
