"""What the tests find around them is the same wherever they are run: in tmux or not, whatever the
terminal, its colours and its size. A test that is about one of these sets it itself."""

from __future__ import annotations

import os

TERMINAL = (
    *("TMUX", "TMUX_PANE", "STY", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VTE_VERSION"),
    *("COLORTERM", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "WINDOWID", "KITTY_WINDOW_ID"),
    *("KITTY_PID", "WT_SESSION", "ITERM_SESSION_ID", "LC_TERMINAL", "DISPLAY", "WAYLAND_DISPLAY"),
)


def make_plain() -> None:
    """Take away what tells of the terminal in which the tests are run, and of its language."""
    for name in list(os.environ):
        if name in TERMINAL or name.startswith(("TEXTUAL_", "SANDBOX_TUI_UI_", "LC_", "LANG")):
            del os.environ[name]
    os.environ["TERM"] = "xterm-256color"
    os.environ["LANG"] = "C.UTF-8"
