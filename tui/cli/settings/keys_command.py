"""`sandbox-tui keys`: lists the actions that have keys."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from sandbox_tui.tui.cli.completion.settings import complete_screen_or_action

if TYPE_CHECKING:
    from sandbox_tui.tui.keys.actions.key_action import KeyAction
    from sandbox_tui.tui.keys.keymap import Keymap

MIN_DESCRIPTION = 16
"""Minimum width of the column of descriptions."""

UNLIMITED = 10_000
"""Width of the lines if there is no terminal."""

_ARTICLE = re.compile(r"^(an?|the) ")
_WORD = re.compile(r"\w+")


@click.command(short_help="List every action that has a key.")
@click.argument("screen_or_word", nargs=-1, shell_complete=complete_screen_or_action)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one action per line.")
def keys(screen_or_word: tuple[str, ...], as_json: bool) -> None:
    """List every action that has a key, by the name that config.toml's [keys] knows it by.

    \b
    sandbox-tui keys live       # those of one screen or part of one
    sandbox-tui keys f3         # those on a key
    sandbox-tui keys fork       # those with a word in their description
    sandbox-tui keys live fork  # those that fit all words

    \b
    [keys]
    "live.approve" = "y"
    find = ["/", "ctrl+f"]      # every action of that name
    """
    from sandbox_tui.core.config.settings import load
    from sandbox_tui.tui.keys.keymap import keymap_in_file

    keymap = keymap_in_file(load().keys)
    found = _actions(keymap, screen_or_word)
    if as_json:
        for action in found:
            row = {"action": action.name, "keys": keymap.of(action.name), "usual": action.keys}
            row |= {"words": action.words, "description": action.title}
            click.echo(json.dumps(row))
    else:
        is_terminal = sys.stdout.isatty()
        width = shutil.get_terminal_size().columns if is_terminal else UNLIMITED
        _page(list(_key_lines(keymap, found, width)))
    for problem in keymap.problems:
        click.echo(f"sandbox-tui: {problem}", err=True)


def _actions(keymap: Keymap, wanted: Sequence[str]) -> list[KeyAction]:
    """Return the actions that fit all that is wanted together, or else each word of it; without
    any, those that other words for them fit. Those on exactly this key come first.

    Raises:
        ConfigError: there are none.
    """
    from sandbox_tui.core.base.errors import ConfigError
    from sandbox_tui.tui.keys.actions.places import PLACES
    from sandbox_tui.tui.keys.default_keys import ACTIONS

    order = list(PLACES)
    actions = sorted(ACTIONS.values(), key=lambda one: order.index(one.place))
    if not wanted:
        return actions
    typed = " ".join(wanted).strip()
    words = typed.casefold().split()
    place = "_".join(words)
    found = [one for one in actions if words and _fits(keymap, one, typed.casefold())]
    if not found and len(words) > 1:
        found = [one for one in actions if all(_is_about(keymap, one, word) for word in words)]
    found = found or [one for one in actions if words and _is_meant(keymap, one, words)]
    found.sort(key=lambda one: (typed not in _written(keymap, one), one.place != place))
    if not found:
        named = " and ".join(map(repr, wanted))
        raise ConfigError(f"No action has {named}. {_meant([place, *words], actions)}")
    return found


def _fits(keymap: Keymap, action: KeyAction, text: str) -> bool:
    """Return whether an action is of the screen that is named, or of one whose title begins with
    the text, is on this key, or has the text in its description; a single character is a key."""
    from sandbox_tui.tui.keys.actions.places import PLACES

    title = f"{_ARTICLE.sub('', PLACES[action.place].casefold())} "
    return (
        action.place == text.replace(" ", "_")
        or (len(text) > 1 and text in f"{action.name}  {action.title}".casefold())
        or (len(text) > 1 and title.startswith(f"{text} "))
        or text in (key.casefold() for key in _written(keymap, action))
    )


def _is_about(keymap: Keymap, action: KeyAction, word: str) -> bool:
    """Return whether one of several words fits an action, or is anywhere in the title of its
    screen."""
    from sandbox_tui.tui.keys.actions.places import PLACES

    return _fits(keymap, action, word) or word in _WORD.findall(PLACES[action.place].casefold())


def _is_meant(keymap: Keymap, action: KeyAction, words: Sequence[str]) -> bool:
    """Return whether each word fits an action or is another word for it."""
    from sandbox_tui.tui.keys.synonyms import synonyms

    others = synonyms(action.name, action.title).split()
    return all(word in others or _is_about(keymap, action, word) for word in words)


def _meant(typed: Sequence[str], actions: Sequence[KeyAction]) -> str:
    """Suggest the closest names of screens and actions; without any, say what lists them."""
    import difflib

    places = list(dict.fromkeys(action.place for action in actions))
    names = [*places, *(action.name for action in actions)]
    for text in typed:
        close = difflib.get_close_matches(text, names, 3, 0.7)
        if close and text not in names:
            return f"Did you mean {' or '.join(map(repr, close))}?"
    return "`sandbox-tui keys` lists all actions."


def _written(keymap: Keymap, action: KeyAction) -> set[str]:
    """Return the keys of an action, as they are written in the config file and on the screen."""
    from sandbox_tui.tui.keys.hint import shown

    keys = keymap.of(action.name)
    return {*keys, *map(shown, keys)}


def _key_lines(keymap: Keymap, actions: list[KeyAction], width: int) -> Iterator[str]:
    """Yield a line for each action, below the name of its screen or part of one; a description that
    is wider than the terminal goes on below itself."""
    import textwrap

    from sandbox_tui.tui.keys.actions.places import heading
    from sandbox_tui.tui.keys.hint import shown

    keys = {action: " ".join(map(shown, keymap.of(action.name))) for action in actions}
    names_width = max(len(action.name) for action in actions) + 2
    keys_width = max(map(len, keys.values())) + 2
    room = max(MIN_DESCRIPTION, width - names_width - keys_width - 2)
    place = None
    for action in actions:
        if action.place != place:
            yield from ([] if place is None else [""])
            yield heading(action.place)
            place = action.place
        is_changed = action.name in keymap.keys
        mark = f"  (usually {' '.join(shown(key) for key in action.keys)})" if is_changed else ""
        description = textwrap.wrap(f"{action.title}{mark}", room, break_long_words=False)
        heads = [f"  {action.name:<{names_width}}{keys[action]:<{keys_width}}"]
        heads += [" " * len(heads[0])] * (len(description) - 1)
        yield from map(str.__add__, heads, description)


def _page(lines: list[str]) -> None:
    """Print lines, with a pager if a terminal has too few for them."""
    if sys.stdout.isatty() and len(lines) >= shutil.get_terminal_size().lines:
        click.echo_via_pager("".join(f"{line}\n" for line in lines))
    else:
        click.echo("\n".join(lines))
