"""Commands run by other commands, which deny rules must check too."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

WRAPPERS = frozenset(
    {
        *("builtin", "busybox", "chroot", "command", "doas", "env", "exec", "ionice", "nice"),
        *("nohup", "setsid", "stdbuf", "sudo", "time", "timeout", "unshare", "xargs"),
    }
)
"""Programs whose arguments are another command, which is checked for denials too."""

SHELLS = frozenset(("bash", "dash", "eval", "sh", "zsh"))
_ROUGHLY = re.compile(r"[;&|\n(){}`<>]+")


def inner_commands(words: list[str]) -> Iterator[str]:
    """Yield the commands that a command itself runs, as far as its words show them."""
    while words and re.match(r"[A-Za-z_]\w*\+?=", words[0]):
        words = words[1:]
        yield " ".join(words)
    if not words:
        return
    name = posixpath.basename(words[0])
    if name != words[0]:
        yield " ".join([name, *words[1:]])
    if name in WRAPPERS:
        for at in range(1, len(words)):
            rest = [posixpath.basename(words[at]), *words[at + 1 :]]
            yield " ".join(words[at:])
            yield " ".join(rest)
    if name in SHELLS or (name in WRAPPERS and SHELLS & set(words)):
        for word in words[1:]:
            yield from _rough_inner(word)


def _rough_inner(command: str) -> Iterator[str]:
    for piece in _ROUGHLY.split(command):
        if piece.strip():
            yield piece.strip()
            yield " ".join([posixpath.basename(piece.split()[0]), *piece.split()[1:]])


def rough_pieces(command: str) -> list[str]:
    """Return the likely parts of a command that cannot be parsed, and the commands that these
    run."""
    pieces = [piece.strip() for piece in _ROUGHLY.split(command)]
    return [*pieces, *(found for piece in pieces for found in inner_commands(piece.split()))]
