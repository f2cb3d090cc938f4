"""The app and its signals with their types.

`App`, `Worker` and `Signal` are generic in Textual, but `DOMNode.app` and the like omit the type
parameter, so that a strict type checker knows nothing about the methods called on them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.signal import Signal
from textual.widget import Widget


def app_of(node: MessagePump) -> App[int]:
    """Return the app that a screen or widget belongs to."""
    return cast("App[int]", node.app)  # pyright: ignore[reportUnknownMemberType]


def subscribe_to_bindings(widget: Widget, changed: Callable[[Screen[Any]], None]) -> None:
    """Register a callback for when different keys work on the widget's screen."""
    _bindings_signal(widget).subscribe(widget, changed)


def unsubscribe_from_bindings(widget: Widget) -> None:
    """Remove the callback."""
    _bindings_signal(widget).unsubscribe(widget)


def _bindings_signal(widget: Widget) -> Signal[Screen[Any]]:
    return cast(Any, widget.screen).bindings_updated_signal
