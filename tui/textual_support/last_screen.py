"""Tells an app when its last screen has closed."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.app import App
from textual.await_complete import AwaitComplete

Result = TypeVar("Result")


class NoticesLastScreen(App[Result], Generic[Result]):
    """An app that reacts when only Textual's own empty screen is left, which takes no keys."""

    def pop_screen(self) -> AwaitComplete:
        """Close the topmost screen."""
        closed = super().pop_screen()
        if len(self.screen_stack) == 1:
            self.last_screen_closed()
        return closed

    def last_screen_closed(self) -> None:
        """Show something else, or end the program."""
        raise NotImplementedError
