"""Creates Textual bindings for the actions in the table."""

from __future__ import annotations

from textual.binding import Binding

from sandbox_tui.tui.keys.default_keys import ACTIONS


def binding(
    name: str, action: str, *, show: bool = True, priority: bool = False, tooltip: str = ""
) -> Binding:
    """Return the Textual binding of an action in the table.

    Args:
        name: the action's name in `ACTIONS`, and the binding's id.
        action: what Textual runs, such as `approve` or `app.quit`.
        show: whether the key bar shows it.
        priority: whether it precedes the keys of the focused widget.
        tooltip: a longer description.
    """
    known = ACTIONS[name]
    return Binding(
        ",".join(known.keys),
        action,
        known.words,
        show=show,
        key_display=known.shown or None,
        priority=priority,
        tooltip=tooltip,
        id=name,
    )
