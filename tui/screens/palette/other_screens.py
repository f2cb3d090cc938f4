"""Actions of other screens that are meant by what is typed in the palette."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from itertools import chain

from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.synonyms import synonyms
from sandbox_tui.tui.screens.palette.matching.closest_words import closest_words

PLACES = {
    "home": "home",
    "live": "live run",
    "replay": "replay",
    "wall": "wall",
    "cockpit": "live run",
    "calls": "calls",
    "terminals": "terminal",
    "files": "files",
    "file": "files",
    "evals": "evaluations",
    "eval": "evaluation",
}
"""Where the actions are that are looked for, in this order, and its name; not in dialogs."""

EVALUATIONS = ("evals", "eval")
"""The places of evaluations."""

MEANT = {
    **dict.fromkeys(("stop", "kill", "end"), "live.end"),
    **dict.fromkeys(("stop all", "kill all", "end all"), "wall.end"),
    **dict.fromkeys(("file", "files"), "cockpit.files"),
    "approve": "live.approve",
    **dict.fromkeys(("attach", "running"), ""),
}
"""Actions that are meant by words of several; none by a word for rows of a list."""

SMALL_WORDS = frozenset(
    ("about", "all", "also", "and", "another", "list", "model", "run", "sandbox", "the", "what")
)
"""Words of titles that mean no action by themselves."""

MIN_BEGUN_CHARACTERS = 4
"""Minimum length of the beginning of a word that means an action."""

MIN_CHARACTERS = 3
"""Minimum length of a word that means an action."""


def action_elsewhere(typed: str, here: Collection[str]) -> str:
    """Return what an action of another screen is called if the typed word is in its title, or is
    another word for it, with the screen and the key; otherwise an empty text.

    Args:
        typed: the text.
        here: names of the actions of this screen.
    """
    words, near = typed.lower().split(), _near(here)
    if words[:1] in (["step"], ["call"]) and "".join(words[1:]).isdigit():
        name = "replay.go_to_step"
    else:
        name = _name_by_word(near).get(typed.strip().lower(), "")
        name = name or _name_by_words(words, near, here)
    if not name or name in here:
        return ""
    return f"{ACTIONS[name].title} ({PLACES[_place(name)]}: {hint(name)})"


def action_begun_elsewhere(typed: str, here: Collection[str]) -> str:
    """Like `action_elsewhere`, for the beginning of a word."""
    word = typed.strip().lower()
    if len(word) < MIN_BEGUN_CHARACTERS or word in SMALL_WORDS:
        return ""
    known = (one for one in _name_by_word(_near(here)) if one.startswith(word))
    return action_elsewhere(min(known, key=len, default=""), here)


def action_mistyped_elsewhere(typed: str, here: Collection[str]) -> str:
    """Like `action_elsewhere`, for words with typing mistakes."""
    meant = closest_words(typed, (*_name_by_word(_near(here)), *SMALL_WORDS))
    return action_elsewhere(meant, here) if meant else ""


def _near(here: Collection[str]) -> Sequence[str]:
    """Return the places that come first from a screen: one with evaluations means these."""
    return EVALUATIONS if any(f"{place}.leave" in here for place in EVALUATIONS) else ()


def _words_of(title: str) -> Sequence[str]:
    return title.lower().replace(",", " ").split()


def _place(name: str) -> str:
    return name.partition(".")[0]


def _purpose(name: str) -> str:
    return name.partition(".")[2]


def _name_by_words(words: Sequence[str], near: Sequence[str], here: Collection[str]) -> str:
    """Return the action of which the title has all of several words, or else of which they begin
    words of the title and synonyms; empty if there is none, or one with the same purpose here."""
    if len(words) < 2:
        return ""
    purposes = {_purpose(name) for name in here}
    listed = (*_listed(near), *_listed(tuple(PLACES)))
    others = [(name, title) for name, title in listed if _purpose(name) not in purposes]
    whole = (name for name, title in others if {*words} <= {*_words_of(title)})
    begun = (name for name, title in others if _are_begun(words, _words_of(title), synonyms(name)))
    return next(chain(whole, begun), "")


def _are_begun(words: Sequence[str], title: Sequence[str], also: str) -> bool:
    """Return whether words begin words of a title and synonyms, both of them."""
    of_title, of_also = (
        {word for word in words if any(one.startswith(word) for one in known)}
        for known in (title, also.split())
    )
    return bool(of_title and of_also) and of_title | of_also == {*words}


@cache
def _listed(places: Sequence[str]) -> Sequence[tuple[str, str]]:
    """Return the actions of places and their titles, in this order of the places."""
    return [
        (name, action.title)
        for place in places
        for name, action in ACTIONS.items()
        if _place(name) == place
    ]


@cache
def _name_by_word(near: Sequence[str]) -> dict[str, str]:
    """Return the actions by the words that mean them, those of places that are near first."""
    return {**_meant_in(tuple(PLACES)), **MEANT, **_meant_in(near)}


@cache
def _meant_in(places: Sequence[str]) -> dict[str, str]:
    """An action's name counts before the first word of its title, this before the other words of
    the title, and these before synonyms."""
    listed = _listed(places)
    found: dict[str, str] = {}
    for name, words in (
        *((name, _purpose(name)) for name, _ in listed),
        *((name, title.partition(" ")[0]) for name, title in listed),
        *listed,
        *((name, synonyms(name)) for name, _ in listed),
    ):
        for word in _words_of(words):
            if len(word) >= MIN_CHARACTERS and word not in SMALL_WORDS:
                found.setdefault(word, name)
    return found
