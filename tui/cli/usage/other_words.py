"""Words by which other programs call a command, and what they mean here."""

from __future__ import annotations

from collections.abc import Collection, Mapping

_OTHER_WORDS: Mapping[str, str] = {
    "add": "import",
    "cancel": "stop",
    "delete": "rm",
    "diff": "compare",
    "end": "stop",
    "kill": "stop",
    "list": "ls",
    "new": "run",
    "remove": "rm",
    "start": "run",
    "view": "show",
}
"""Commands of any group, by other words."""

_FOR_ALL: Mapping[str, str] = {
    "bench": "eval",
    "benchmark": "eval",
    "history": "sessions ls",
    "list": "sessions ls",
    "log": "sessions ls",
    "logs": "sessions ls",
    "open": "replay",
    "play": "replay",
    "settings": "config",
    "setup": "doctor",
    "version": "--version",
    "view": "replay",
}
"""Commands of the program, by other words."""


def meant_in_group(name: str, commands: Collection[str]) -> str:
    """Return which command of a group another word means; empty if none."""
    other = _OTHER_WORDS.get(name, "")
    return other if other in commands else ""


def meant_by_program(name: str, groups: Mapping[str, Collection[str]]) -> list[str]:
    """Return which commands a word means that is no command of the program itself.

    Args:
        name: the word.
        groups: the commands of each group, in the order in which they are suggested.
    """
    if name in _FOR_ALL:
        return [_FOR_ALL[name]]
    for one in (name, _OTHER_WORDS.get(name, name)):
        if below := [f"{group} {one}" for group, commands in groups.items() if one in commands]:
            return below
    return []
