"""All that we use of Textual's private API; a test for each notices when it changes.

Importing this loads nothing of Textual: looking up the name of a key must stay cheap.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App
    from textual.dom import DOMNode
    from textual.events import Click
    from textual.notifications import Notification


def character_to_key(character: str) -> str:
    """The name of the key that writes a character: `?` is question_mark."""
    from textual.keys import _character_to_key

    return _character_to_key(character)


def shown_toasts(app: App[Any]) -> list[Notification]:
    """The toasts on the screen, the oldest first."""
    return list(app._notifications)


def remove_toast(app: App[Any], toast: Notification, *, refresh: bool = True) -> None:
    """Take one toast off the screen; all others stay."""
    app._unnotify(toast, refresh=refresh)


def apply_theme_again(app: App[Any]) -> None:
    """Draw the app in its theme, which was registered again with other colours."""
    app._watch_theme(app.theme)


def write_to_terminal(app: App[Any], sequence: str) -> None:
    """Send an escape sequence, in one piece: the driver writes in order, from one thread."""
    if app._driver is not None and not app.is_headless:
        app._driver.write(sequence)


def unhandled_error(app: App[Any]) -> BaseException | None:
    """The exception that ends the app."""
    return app._exception


def is_exiting(app: App[Any]) -> bool:
    """Whether the app was told to exit."""
    return app._exit


def is_closing(node: DOMNode) -> bool:
    """Whether Textual is removing the node: its children may be gone already."""
    return node._pruning or node._closing


@functools.cache
def ignore_stale_option_clicks() -> None:
    """Let lists of options ignore a click on a line that was taken away before the click came."""
    from textual.widgets import OptionList

    on_click = OptionList._on_click

    async def on_line_that_is_there(self: OptionList, event: Click) -> None:
        line = event.style.meta.get("option")
        if line is None or line < self.option_count:
            await on_click(self, event)

    OptionList._on_click = on_line_that_is_there
