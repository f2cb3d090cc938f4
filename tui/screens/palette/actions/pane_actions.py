"""The actions that the focused pane of a session hides, which the palette finds all the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from textual.app import App
from textual.screen import Screen

from sandbox_tui.tui.keys.other_panes import actions_of_other_panes
from sandbox_tui.tui.keys.synonyms import synonyms
from sandbox_tui.tui.screens.palette.entry import Entry


def pane_entries(
    app: App[int], below: Screen[object], listed: Collection[Entry]
) -> Sequence[Entry]:
    """Return an entry for each action of another pane, which gets the focus then.

    Args:
        app: the program.
        below: the screen from which the palette was opened.
        listed: the entries of that screen and its focused pane.
    """
    entries: list[Entry] = []
    for here in actions_of_other_panes(below, {entry.name for entry in listed}):
        keys, run, also = here.keys[0], partial(here.run, app), synonyms(here.name, here.words)
        entry = Entry("Actions", here.name, here.words, keys, run, here.off, also, for_typed=True)
        entries.append(entry)
    return entries
