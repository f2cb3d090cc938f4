"""The same environment for the tests everywhere: inside tmux or not, whatever the terminal, its
colours and its size, and whatever the time zone. A test about one of these sets it itself.
"""

from __future__ import annotations

import os
import time

TERMINAL = (
    *("TMUX", "TMUX_PANE", "STY", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VTE_VERSION"),
    *("COLORTERM", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "WINDOWID", "KITTY_WINDOW_ID"),
    *("KITTY_PID", "WT_SESSION", "ITERM_SESSION_ID", "LC_TERMINAL", "DISPLAY", "WAYLAND_DISPLAY"),
)


def make_plain() -> None:
    """Remove the variables that describe the surrounding terminal and its language; set UTC."""
    for name in list(os.environ):
        if name in TERMINAL or name.startswith(("TEXTUAL_", "SANDBOX_TUI_UI_", "LC_", "LANG")):
            del os.environ[name]
    os.environ["TERM"] = "xterm-256color"
    os.environ["LANG"] = "C.UTF-8"
    os.environ["TZ"] = "UTC"
    time.tzset()
