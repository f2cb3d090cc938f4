"""Everything we use of Textual's private API; a test for each part detects changes.

This module imports Textual only inside functions: looking up the name of a key must stay cheap.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import App
    from textual.binding import Binding, BindingsMap
    from textual.dom import DOMNode
    from textual.notifications import Notification
    from textual.screen import Screen
    from textual.widget import Widget
    from textual.worker import Worker

_PUNCTUATION_AND_DIGITS = frozenset(string.punctuation + string.digits)


def character_to_key(character: str) -> str:
    """Return the name of the key that writes a character: `?` is question_mark."""
    from textual.keys import _character_to_key

    return _character_to_key(character)


def keep_alt_of_punctuation() -> None:
    """Let Textual's parser name Alt with punctuation or a digit, such as alt+full_stop: it would
    drop the Alt, or read the digit as a sign of a Mac's keyboard."""
    from textual._xterm_parser import XTermParser
    from textual.events import Key

    known = XTermParser._sequence_to_key_events
    if known.__name__ == "with_alt":  # another app runs in this process
        return

    def with_alt(self: XTermParser, sequence: str, alt: bool = False) -> Iterable[Key]:
        # only after a pause is it known that these start no sequence
        is_chord = sequence[:1] == "\x1b" and sequence[1:] not in ("[", "]", "^", "_", "\\")
        character = sequence[1:] if is_chord else sequence if alt else ""
        if character and character in _PUNCTUATION_AND_DIGITS:
            return [Key(f"alt+{character_to_key(character)}", character)]
        return known(self, sequence, alt=alt)

    XTermParser._sequence_to_key_events = with_alt


def binding_chain(screen: Screen[Any]) -> list[tuple[DOMNode, BindingsMap]]:
    """Return the bindings of the focused widget and its ancestors up to the topmost modal screen,
    with the user's own keys; without keys that a text field consumes."""
    return screen._modal_binding_chain


def declared_bindings(node: DOMNode) -> list[Binding]:
    """Return the bindings of a node in the order in which its classes declare them, without the
    user's own keys."""
    return [binding for several in node._bindings.key_to_bindings.values() for binding in several]


def parse_action(node: DOMNode, action: str) -> tuple[DOMNode, str, tuple[object, ...]]:
    """Return the node on which a binding's action is looked up, the action's name, and its
    parameters."""
    return node.app._parse_action(action, node)  # pyright: ignore[reportUnknownMemberType]


def shown_toasts(app: App[Any]) -> list[Notification]:
    """Return the toasts on the screen, oldest first."""
    return list(app._notifications)


def remove_toast(app: App[Any], toast: Notification, *, refresh: bool = True) -> None:
    """Remove one toast from all screens; all others stay."""
    from textual.widgets._toast import ToastRack

    app._unnotify(toast, refresh=refresh)
    # Textual would remove the toast and leave its empty holder, which takes lines as soon as the
    # styles are applied again, as another theme does.
    for screen in app.screen_stack:
        for rack in (child for child in screen.children if isinstance(child, ToastRack)):
            rack.query_children(f"#{ToastRack._toast_id(toast)}").remove()


def place_toasts(screen: Screen[Any], *, over: bool) -> None:
    """Show the toasts of a screen over its last lines, or in lines of their own."""
    from textual.widgets._toast import ToastRack

    for rack in (child for child in screen.children if isinstance(child, ToastRack)):
        rack.set_class(over, "-over")


def has_toast_lines(screen: Screen[Any]) -> bool:
    """Return whether lines of a screen are reserved for toasts now."""
    from textual.widgets._toast import Toast, ToastRack

    # Textual keeps displaying a rack whose toasts have expired; it has no lines then.
    racks = (child for child in screen.children if isinstance(child, ToastRack))
    return any(rack.display and rack.query(Toast) for rack in racks)


def is_open_menu(widget: Widget | None) -> bool:
    """Return whether a widget is the open menu of a `Select`."""
    from textual.widgets._select import SelectOverlay

    return isinstance(widget, SelectOverlay)


def apply_theme_again(app: App[Any]) -> None:
    """Redraw the app after its theme was registered again with other colours."""
    app._watch_theme(app.theme)


def write_to_terminal(app: App[Any], sequence: str) -> None:
    """Send an escape sequence in one piece: the driver writes in order, from one thread."""
    if app._driver is not None and not app.is_headless:
        app._driver.write(sequence)


def unhandled_error(app: App[Any]) -> BaseException | None:
    """Return the exception that is ending the app."""
    return app._exception


def is_exiting(app: App[Any]) -> bool:
    """Return whether the app is about to exit."""
    return app._exit


def is_closing(node: DOMNode) -> bool:
    """Return whether Textual is removing the node: its children may already be removed."""
    return node._pruning or node._closing


def current_worker() -> Worker[Any] | None:
    """Return the worker that runs the current code, None outside workers."""
    from textual.worker import active_worker  # pyright: ignore[reportUnknownVariableType]

    return cast("Worker[Any] | None", active_worker.get(None))  # pyright: ignore[reportUnknownMemberType]


def current_node() -> DOMNode | None:
    """Return the node whose handler or callback runs the current code, None outside nodes."""
    from textual._context import active_message_pump
    from textual.dom import DOMNode

    pump = active_message_pump.get(None)
    return pump if isinstance(pump, DOMNode) else None


def draw_on_request(screen: Screen[Any]) -> None:
    """Stop drawing a headless screen whenever it changes; `screenshot` still draws it."""

    def forget() -> None:
        screen._dirty_widgets.clear()
        screen._compositor._dirty_regions.clear()

    screen._compositor_refresh = forget


def screenshot(app: App[Any], title: str, name: str) -> str:
    """Return the current screen as SVG, like `App.export_screenshot`, but faster.

    Args:
        app: shows the screen.
        title: of the window around it.
        name: what is drawn; two screenshots on one web page need two names. Textual reads all of
            the screen to make one up.
    """
    import io
    import zlib

    from rich.console import Console

    width, height = app.size
    console = Console(
        width=width,
        height=height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
        safe_box=False,
    )
    screens = cast("list[Screen[Any]]", app._background_screens)  # pyright: ignore[reportUnknownMemberType]
    compositor = cast("Any", app.screen._compositor)
    console.print(compositor.render_update(full=True, screen_stack=screens))
    return console.export_svg(title=title, unique_id=f"terminal-{zlib.adler32(name.encode())}")
