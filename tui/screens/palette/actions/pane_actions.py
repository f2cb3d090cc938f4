"""The actions of the panes of a session that do not have the focus."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from textual.app import App
from textual.screen import Screen
from textual.widget import Widget

from sandbox_tui.tui.keys.available_actions import MOVING, ActionHere, actions_of
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.synonyms import synonyms
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.palette.entry import Entry
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane

PANES: Sequence[tuple[type[Widget], str, str]] = (
    (Calls, "calls", "cockpit.calls"),
    (TerminalPane, "terminals", "cockpit.terminal"),
    (FileTree, "side", "cockpit.files"),
)
"""The widgets with the actions, the panes they are in, and what goes there."""


def pane_entries(
    app: App[int], below: Screen[object], listed: Collection[Entry]
) -> Sequence[Entry]:
    """Return an entry for each action of another pane, which gets the focus then.

    Args:
        app: the program.
        below: the screen from which the palette was opened.
        listed: the entries of that screen and its focused pane.
    """
    if not isinstance(below, Cockpit):
        return ()
    names = {entry.name for entry in listed}
    return [one for one in _entries(app, below) if one.name not in names]


def _entries(app: App[int], below: Cockpit) -> Iterator[Entry]:
    for kind, pane, focus in PANES:
        for widget in below.query(kind):
            for here in actions_of(widget):
                if here.group != MOVING:
                    yield _entry(app, below, pane, hint(focus), here)


def _entry(app: App[int], below: Cockpit, pane: str, focus: str, here: ActionHere) -> Entry:
    async def run() -> None:
        if below in app.screen_stack:  # it may have closed while the user was choosing
            below.action_pane(pane)
            await here.run(app)

    keys, also = f"{focus} {here.keys[0]}", synonyms(here.name, here.words)
    return Entry("Actions", here.name, here.words, keys, run, here.off, also, for_typed=True)
