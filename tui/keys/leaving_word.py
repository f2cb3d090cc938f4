"""What leaving a screen does, in a word for key bars; going back, which never ends the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.textual_support.typed_app import app_of


def leaving_word(screen: Screen[Any]) -> str:
    """Return "back" if leaving goes back to a screen below, besides Textual's own; "leave" if it
    ends the program."""
    return "leave" if screen in app_of(screen).screen_stack[:2] else "back"


def go_back(screen: Screen[Any], leave: str, act: Callable[[], object]) -> None:
    """Leave for the screen below; if leaving ended the program, say which key does it.

    Args:
        screen: the screen on top.
        leave: the name of its action that leaves.
        act: carries it out.
    """
    if leaving_word(screen) == "leave":
        screen.notify(f"{hint(leave)} leaves.", timeout=2, markup=False)
    else:
        act()
