"""Actions of other screens that are meant by what is typed in the palette."""

from __future__ import annotations

from functools import cache

from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.synonyms import synonyms

PLACES = ("home", "live", "replay", "wall", "cockpit", "calls", "terminals", "files", "evals")
"""Where the actions are that are looked for, in this order; not in dialogs."""

MIN_CHARACTERS = 3
"""Minimum length of a word that means an action."""


def action_elsewhere(typed: str) -> str:
    """Return what an action of another screen is called if the typed word is in its title, or is
    another word for it; otherwise an empty text."""
    return _title_by_word().get(typed.strip().lower(), "")


@cache
def _title_by_word() -> dict[str, str]:
    """An action's name counts before the first word of its title, this before the other words of
    the title, and these before synonyms."""
    listed = [
        (name, action.title)
        for place in PLACES
        for name, action in ACTIONS.items()
        if name.partition(".")[0] == place
    ]
    found: dict[str, str] = {}
    for title, words in (
        *((title, name.partition(".")[2]) for name, title in listed),
        *((title, title.partition(" ")[0]) for _, title in listed),
        *((title, title) for _, title in listed),
        *((title, synonyms(name)) for name, title in listed),
    ):
        for word in words.lower().replace(",", " ").split():
            if len(word) >= MIN_CHARACTERS and word != "the":
                found.setdefault(word, title)
    return found
