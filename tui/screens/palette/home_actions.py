"""The actions of the home screen that the palette of another screen offers: those that need no
session under the cursor."""

from __future__ import annotations

from collections.abc import Collection

from textual.app import App
from textual.binding import Binding
from textual.screen import ModalScreen, Screen

from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.synonyms import synonyms
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.palette.entry import Entry

PROGRAM_WIDE = ("home.new", "home.evals", "home.trainings", "home.wall", "home.settings")
"""Actions that need no session under the cursor."""


def home_entries(app: App[int], below: Screen[object], listed: Collection[Entry]) -> list[Entry]:
    """Return the actions of the home screen that the screen below does not have.

    Args:
        app: the program.
        below: the screen from which the palette was opened.
        listed: the entries of that screen.
    """
    home = next((one for one in app.screen_stack if isinstance(one, HomeScreen)), None)
    if home is None or below is home or isinstance(below, ModalScreen):
        return []
    here = {one.name.partition(".")[2] for one in listed} | {one.words for one in listed}
    entries: list[Entry] = []
    for binding in HomeScreen.BINDINGS:
        if not isinstance(binding, Binding) or binding.id not in ACTIONS:
            continue
        purpose, words = binding.id.partition(".")[2], ACTIONS[binding.id].title
        words = words[:1].upper() + words[1:]
        if binding.id in PROGRAM_WIDE and not here & {purpose, words}:
            entries.append(_entry(app, home, binding.id, binding.action, words))
    return entries


def _entry(app: App[int], home: HomeScreen, name: str, action: str, words: str) -> Entry:
    async def run() -> None:
        if home in app.screen_stack:  # it may have closed while the user was choosing
            await app.run_action(action, home)

    off = home.why_unavailable(action, ())
    return Entry("Actions", name, words, "", run, off, synonyms(name))
