"""What leaving a screen does, in a word for key bars."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from sandbox_tui.tui.textual_support.typed_app import app_of


def leaving_word(screen: Screen[Any]) -> str:
    """Return "back" if leaving goes back to a screen below, besides Textual's own; "leave" if it
    ends the program."""
    return "leave" if screen in app_of(screen).screen_stack[:2] else "back"
