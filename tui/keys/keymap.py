"""The user's own keys: reads and checks the table `[keys]` of the config file.

A name is that of an action (`live.approve`), or its last part (`approve`), which then applies to
every action of that name. A value is a key, several separated by commas, or a list. Each problem is
reported in one sentence; the entry with a problem keeps its default keys, and all other entries
apply. ctrl+q always quits.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple, cast

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import config_file, flat
from sandbox_tui.core.config.toml_lines import line_of
from sandbox_tui.tui.keys.actions.key_action import KeyAction
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import shown
from sandbox_tui.tui.keys.key_names import is_rare, key_name, writes
from sandbox_tui.tui.keys.key_scopes import TYPED_IN, active_together

QUIT_KEY = "ctrl+q"
"""Always quits, whatever the keymap says."""

RESERVED_KEYS = {"ctrl+c": "copies what is selected", QUIT_KEY: "always quits"}
"""Keys that cannot be assigned to any other action."""


_HAD_HELP = ("home", "cockpit", "wall", "eval", "evals", "training", "trainings")
_RENAMED = {f"{place}.help": "app.help" for place in _HAD_HELP} | {
    "replay.picture": "replay.screenshot",
    "choice.find_setting": "settings.find",
    "compare.parting": "compare.divergence",
}
"""Current names of actions by former ones, which users' keymaps may still contain."""


class Conflict(NamedTuple):
    """An entry of `[keys]` with a key that another action has at the same place.

    Attributes:
        entry: its name.
        taken: which action has the key.
    """

    entry: str
    taken: str


@dataclass(slots=True)
class Keymap:
    """Keys that differ from the defaults.

    Attributes:
        keys: by action.
        problems: errors in the table, one sentence each.
        conflicts: those of the problems that are conflicts.
        refused: the entries whose keys, or some of them, do not apply.
    """

    keys: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    problems: list[str] = field(default_factory=list[str])
    refused: set[str] = field(default_factory=set[str])
    conflicts: list[Conflict] = field(default_factory=list[Conflict])

    def of(self, action: str) -> tuple[str, ...]:
        """Return the keys in force for an action."""
        return self.keys.get(action) or ACTIONS[action].keys


def read_keymap(table: Mapping[str, Any], text: str = "") -> Keymap:
    """Read the keymap from a `[keys]` table.

    Args:
        table: as parsed from TOML.
        text: the file it is from, used to name lines in problems.
    """
    keymap = Keymap()
    entries: dict[str, str] = {}
    for name, value in flat(table).items():
        where = _where(name, text)
        try:
            keys_of = _keys_by_action(name, value)
        except ValueError as error:
            keymap.refused.add(name)
            keymap.problems.append(f"{where}: {sanitize_line(str(error))}; the default keys stay.")
            continue
        for action, keys in keys_of:
            entries[action.name] = name
            keymap.keys[action.name] = _with_way_out(action, keys, where, keymap.problems)
    _drop_clashes(keymap, entries, text)
    return keymap


def _where(entry: str, text: str) -> str:
    line = line_of(text, "keys", entry)
    return f"{f'line {line}: ' if line else ''}[keys] {sanitize_line(entry)}"


def refuse_unusable(name: str, value: object) -> None:
    """Refuse an entry of `[keys]` that is not valid.

    Raises:
        ConfigError: there is no such action, or it cannot have these keys.
    """
    try:
        _keys_by_action(name, value)
    except ValueError as error:
        raise ConfigError(f"keys.{sanitize_line(name)}: {sanitize_line(str(error))}.") from error


def refuse_conflict(name: str, value: object, table: Mapping[str, Any]) -> None:
    """Refuse a valid entry of `[keys]` with a key that another action has at the same place.

    Args:
        name: of the entry.
        value: its keys.
        table: the table as it is; conflicts that it has already are let be.

    Raises:
        ConfigError: the message names the other action.
    """
    before = read_keymap(table).conflicts
    after = read_keymap({**flat(table), name: value}).conflicts
    for conflict in after:
        if conflict not in before:
            where = f"keys.{sanitize_line(conflict.entry)}"
            raise ConfigError(f"{where}: {conflict.taken}; nothing was changed.")


def keymap_in_file(table: Mapping[str, Any]) -> Keymap:
    """Return the keymap from the config file's table, with line numbers in its problems."""
    if not table:
        return Keymap()
    try:
        text = config_file().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    return read_keymap(table, text)


def _keys_by_action(name: str, value: object) -> list[tuple[KeyAction, tuple[str, ...]]]:
    """Return the keys of each action that an entry names.

    Where text is typed, an action that shares its name with others gets those that type nothing.

    Raises:
        ValueError: there is no such action, or it cannot have these keys.
    """
    actions, keys = _actions_of(name), _keys_of(value)
    silent = tuple(key for key in keys if not writes(key))
    found: list[tuple[KeyAction, tuple[str, ...]]] = []
    for action in actions:
        is_typed_in = len(actions) > 1 and action.place in TYPED_IN
        usable = (silent or action.keys) if is_typed_in else keys
        _refuse_useless(action, usable)
        found.append((action, usable))
    return found


def _actions_of(name: str) -> list[KeyAction]:
    name = _RENAMED.get(name, name)
    if name in ACTIONS:
        return [ACTIONS[name]]
    named = [action for action in ACTIONS.values() if action.name.partition(".")[2] == name]
    if named:
        return named
    choices = {*ACTIONS, *(action.partition(".")[2] for action in ACTIONS)}
    close = difflib.get_close_matches(name, sorted(choices), 1)
    more = f"did you mean {close[0]}?" if close else "`sandbox-tui keys` lists all"
    raise ValueError(f"no action has this name ({more})")


def _keys_of(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        written = [value] if value.strip() == "," else value.split(",")
    elif isinstance(value, list) and all(isinstance(key, str) for key in cast(list[Any], value)):
        written = cast(list[str], value)
    else:
        raise ValueError('keys are text, such as "f5" or ["f5", "ctrl+r"]')
    keys = tuple(dict.fromkeys(key_name(key) for key in written if key.strip()))
    if not keys:
        raise ValueError("it needs at least one key")
    return keys


def _refuse_useless(action: KeyAction, keys: tuple[str, ...]) -> None:
    for key in keys:
        if key in RESERVED_KEYS and (key, action.name) != (QUIT_KEY, "app.quit"):
            raise ValueError(f"{shown(key)} {RESERVED_KEYS[key]}")
        if writes(key) and action.place in TYPED_IN and key not in action.keys:
            raise ValueError(f"{shown(key)} types a character in text fields")


def _with_way_out(
    action: KeyAction, keys: tuple[str, ...], where: str, problems: list[str]
) -> tuple[str, ...]:
    """Return the keys, plus the defaults if these keys alone could lock the user out."""
    if action.name == "app.quit":
        return tuple(dict.fromkeys((*keys, QUIT_KEY)))
    if all(is_rare(key) for key in keys):
        names = " and ".join(shown(key) for key in keys)
        problems.append(f"{where}: many terminals cannot send {names}; the default keys work too.")
        return tuple(dict.fromkeys((*keys, *action.keys)))
    return keys


def _drop_clashes(keymap: Keymap, entries: dict[str, str], text: str) -> None:
    """Resolve conflicts: if two actions that work at the same time newly share a key, the later one
    gets its defaults."""
    order = list(entries)
    dropped: dict[str, list[tuple[str, str, str]]] = {}  # by entry
    by_default = _shared({name: action.keys for name, action in ACTIONS.items()})
    while True:
        in_force = {name: keymap.of(name) for name in ACTIONS}
        clashes = sorted(_shared(in_force) - by_default)  # so that it always names the same
        if not clashes:
            break
        chosen = [clash for clash in clashes if clash[0] in keymap.keys or clash[1] in keymap.keys]
        one, other, key = max(
            chosen,
            key=lambda c: (
                max(_rank(order, c[0]), _rank(order, c[1])),
                _place(c[0]) == _place(c[1]),
            ),
        )  # of several, the one at the same place is the obvious one
        loser, winner = (one, other) if _rank(order, one) > _rank(order, other) else (other, one)
        del keymap.keys[loser]
        dropped.setdefault(entries[loser], []).append((loser, winner, key))
        order.remove(loser)
    for entry, clashes in dropped.items():
        taken = _taken(clashes)
        others_hold = any(entries[name] == entry for name in order)
        losers = " and ".join(loser for loser, _, _ in clashes)
        here = f" for {losers}" if others_hold else ""
        keymap.refused.add(entry)
        keymap.conflicts.append(Conflict(entry, taken))
        keymap.problems.append(f"{_where(entry, text)}: {taken}; the default keys stay{here}.")


def _taken(dropped: Sequence[tuple[str, str, str]]) -> str:
    """Return which actions have the keys of those that keep their defaults."""
    winners: dict[str, dict[str, None]] = {}  # in order, each once
    for _, winner, key in dropped:
        winners.setdefault(shown(key), {})[winner] = None
    taken = ", ".join(f"{key} is {' and '.join(names)}" for key, names in winners.items())
    return f"{taken} at the same place already"


def _place(action: str) -> str:
    return ACTIONS[action].place


def _rank(order: list[str], name: str) -> int:
    return order.index(name) if name in order else -1


def _shared(keys: Mapping[str, tuple[str, ...]]) -> set[tuple[str, str, str]]:
    """Return pairs of actions that work at the same time, with each key that they share."""
    by_key: dict[str, list[str]] = {}
    for name in sorted(keys):
        for key in keys[name]:
            by_key.setdefault(key, []).append(name)
    return {
        (one, other, key)
        for key, names in by_key.items()
        for one, other in combinations(names, 2)
        if active_together(one, other)
    }
