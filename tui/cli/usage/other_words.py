"""Words by which other programs call a command or an option, and what they mean here."""

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


_OPTIONS: Mapping[str, str] = {
    "api-base": "--base-url",
    "background": "--detach",
    "backend": "--sandbox",
    "bg": "--detach",
    "d": "--detach",
    "endpoint": "--base-url",
    "epochs": "--samples",
    "host": "--base-url",
    "j": "--concurrency",
    "max-connections": "--concurrency",
    "max-samples": "--concurrency",
    "max-turns": "--max-steps",
    "m": "--model",
    "n": "--samples",
    "num-runs": "--samples",
    "num-samples": "--samples",
    "p": "--headless",
    "print": "--headless",
    "repeat": "--samples",
    "repeats": "--samples",
    "runs": "--samples",
    "runtime": "--sandbox",
    "step-limit": "--max-steps",
    "temp": "--temperature",
    "timeout": "--time-limit",
    "turns": "--max-steps",
    "url": "--base-url",
    "workers": "--concurrency",
}
"""Options of any command, by other words, without the dashes."""


def option_meant(name: str, options: Collection[str]) -> str:
    """Return which option of a command another word means; empty if none.

    Args:
        name: the word, with dashes.
        options: the options of the command.
    """
    other = _OPTIONS.get(name.lstrip("-"), "")
    return other if other in options else ""


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
