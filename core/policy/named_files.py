"""The files that a command names, as far as they can be determined before it runs.

Names are looked up among the run's known files, relative to the working directory. Names that a
command computes, or reaches by `cd`, are not found.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from sandbox_tui.core.base.defaults import WORKING_DIR
from sandbox_tui.core.policy.bash_parser import Ambiguous, SimpleCommand, Word, parse_command

MAX_NAMES = 200
"""Maximum number of names looked up per command."""

_FOLDERS = ("-r", "-R", "-a", "-t", "--")
"""Beginnings of options of cp and mv with which the last operand may be no file."""

_BETWEEN = re.compile(r"[\s;&|<>()'\"`]+")
"""Separators between the words of a command that cannot be parsed."""

_READERS = frozenset(
    ("cat", "cmp", "diff", "head", "less", "md5sum", "more", "nl", "sha256sum", "tac", "tail", "wc")
)
"""Programs that read every file that they are given."""

_INTERPRETERS = re.compile(r"(python|pypy)[\d.]*|(ba|da|z)?sh|source|\.|node|perl|ruby|Rscript")
"""Programs that read the file in their first word."""

_EXTENSION = re.compile(r"\w\.[A-Za-z][A-Za-z0-9]{0,5}$")


class NamedFile(NamedTuple):
    """A path that a command names.

    Attributes:
        path: absolute.
        written: whether the command writes it, as far as its words tell.
    """

    path: str
    written: bool


def named_files(command: str, known: Collection[str]) -> list[NamedFile]:
    """Return the known paths that a command names, and the files it writes, in order.

    Args:
        command: a bash command; if it cannot be parsed, it is searched for words that are known
            paths.
        known: absolute paths that exist.
    """
    found: dict[str, bool] = {}
    for name, written in list(_names(command))[:MAX_NAMES]:
        for path in _paths(name, written, known):
            found[path] = found.get(path, False) or written
    return [NamedFile(path, written) for path, written in found.items()]


def missing_files(command: str, known: Collection[str]) -> list[str]:
    """Return the paths of files that a command reads first of all, though they do not exist.

    Only what is certain: what runs before may make a file, the shell may be in another folder, and
    only the files in the working directory are known.

    Args:
        command: a bash command.
        known: absolute paths that exist.
    """
    try:
        parts = parse_command(command)
    except Ambiguous:
        return []
    first = next((part for part in parts if not part.writes), None)
    if first is None:
        return []
    written = {part.words[-1].plain for part in parts if part.writes}
    names = [word.plain for word in _read_by(first) if word.plain not in written]
    return list(dict.fromkeys(path for name in names if (path := _missing(name, known))))


def _read_by(part: SimpleCommand) -> Sequence[Word]:
    """Return the words that a command in its simple form reads as files."""
    program = posixpath.basename(part.words[0].plain)
    operands = part.words[1:]
    if _INTERPRETERS.fullmatch(program):
        return operands[:1] if operands and _is_path(operands[0]) else ()
    return [word for word in operands if _is_path(word)] if program in _READERS else ()


def _is_path(word: Word) -> bool:
    """Return whether a word looks like the path of a file: with a slash, or an extension."""
    name = word.plain
    if not word.literal or name.startswith(("-", "~")) or "://" in name or set(name) & set("*?[{"):
        return False
    return bool(_EXTENSION.search(name)) or "/" in name.strip("/")


def _missing(name: str, known: Collection[str]) -> str:
    """Return the path of a name if no file that it may mean exists, otherwise nothing."""
    path = posixpath.normpath(posixpath.join(WORKING_DIR, name))
    folder, base = posixpath.split(path)
    if folder != WORKING_DIR and folder not in known:
        return ""
    is_somewhere = any(posixpath.basename(other) == base for other in known)
    return "" if is_somewhere else path


def _names(command: str) -> Iterator[tuple[str, bool]]:
    try:
        parts = parse_command(command)
    except Ambiguous:
        yield from ((word, False) for word in _BETWEEN.split(command) if word)
        return
    for part in parts:
        yield from _names_of(part)


def _names_of(part: SimpleCommand) -> Iterator[tuple[str, bool]]:
    targets = _targets(part)
    for word in part.words[1:]:
        yield word.plain, word.literal and (part.writes or word in targets)
        if "=" in word.plain:  # of=image.png, --output=report.md
            name, _, value = word.plain.partition("=")
            yield value, word.literal and name == "of" and part.words[0].plain == "dd"


def _targets(part: SimpleCommand) -> tuple[Word, ...]:
    """Return the words that name a file written by a common command in its simple form."""
    operands = tuple(word for word in part.words[1:] if not word.plain.startswith("-"))
    has_options = {word.plain for word in part.words[1:]} - {word.plain for word in operands}
    match part.words[0].plain:
        case "tee":
            return operands
        case "cp" | "mv" if len(operands) == 2 and not operands[-1].plain.endswith(("/", ".")):
            return operands[-1:] if not any(one[:2] in _FOLDERS for one in has_options) else ()
        case "sed" if any(one.startswith(("-i", "--in-place")) for one in has_options):
            return operands[1:]
        case _:
            return ()


def _paths(name: str, written: bool, known: Collection[str]) -> Iterator[str]:
    if not name or name.startswith("/dev/"):
        return
    path = posixpath.normpath(posixpath.join(WORKING_DIR, name))
    if path in known or written:
        yield path
    elif set(name) & set("*?["):
        depth = path.count("/")
        yield from sorted(p for p in known if p.count("/") == depth and fnmatchcase(p, path))
