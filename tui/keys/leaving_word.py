"""What leaving a screen does, in a word for key bars; leaving with escape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from sandbox_tui.tui.keys.key_sequencer import is_repeated_escape
from sandbox_tui.tui.textual_support.typed_app import app_of


def leaving_word(screen: Screen[Any]) -> str:
    """Return "back" if leaving goes back to a screen below, besides Textual's own; "leave" if it
    ends the program."""
    return "leave" if screen in app_of(screen).screen_stack[:2] else "back"


def leave_by_escape(screen: Screen[Any], leave: Callable[[], object]) -> None:
    """Leave a screen that shows what has ended, unless escape was pressed twice to close something:
    then the first one has closed it."""
    if not is_repeated_escape(screen):
        leave()
