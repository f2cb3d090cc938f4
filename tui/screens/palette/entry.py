"""What the palette lists, and which of it fits what is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sandbox_tui.tui.screens.palette.fuzzy import fit

KINDS = ("Actions", "Sessions", "Models", "Themes", "Settings")
"""Groups of entries, in the order in which they are listed while nothing is typed."""

RECENT = "Recent"
"""The group of what was chosen last."""

MAX_RECENT = 5
"""Entries in the group of what was chosen last."""

MAX_OF_A_KIND = 12
"""Entries of one kind that are listed at once, but for actions: typing finds the others."""


@dataclass(frozen=True)
class Entry:
    """A line of the palette.

    Attributes:
        kind: one of `KINDS`.
        name: tells it from the others of its kind, from one opening of the palette to the next.
        words: what is matched.
        detail: at the right: a key, a date, where something is.
        choose: does it.
        off: why it cannot be chosen now; empty where it can.
    """

    kind: str
    name: str
    words: str
    detail: str
    choose: Callable[[], object]
    off: str = ""


class Match(NamedTuple):
    """An entry that fits.

    Attributes:
        entry: which.
        places: the characters of its words that were typed.
        score: how well it fits.
    """

    entry: Entry
    places: tuple[int, ...] = ()
    score: float = 0.0


Group = tuple[str, list[Match]]
"""Its heading and what is in it."""


def grouped(entries: Sequence[Entry], typed: str, recent: Sequence[str]) -> list[Group]:
    """The entries that fit what is typed, by kind; the kind of the best one first. While nothing is
    typed: what was chosen last, then everything that is not off.

    Args:
        entries: all there are.
        typed: what the person looks for.
        recent: names of entries that were chosen, the last one first.
    """
    return _found(entries, typed) if typed.strip() else _all(entries, recent)


def _all(entries: Sequence[Entry], recent: Sequence[str]) -> list[Group]:
    usable = [entry for entry in entries if not entry.off]
    by_name = {entry.name: entry for entry in usable}
    last = [by_name[name] for name in recent if name in by_name][:MAX_RECENT]
    others = [entry for entry in usable if entry not in last]
    groups = [(RECENT, last), *((kind, _of_kind(others, kind)) for kind in KINDS)]
    return [(name, [Match(entry) for entry in found]) for name, found in groups if found]


def _of_kind(entries: Iterable[Entry], kind: str) -> list[Entry]:
    found = [entry for entry in entries if entry.kind == kind]
    return found if kind == "Actions" else found[:MAX_OF_A_KIND]


def _found(entries: Sequence[Entry], typed: str) -> list[Group]:
    matches: list[Match] = []
    for entry in entries:
        found = fit(typed, entry.words)
        if found is not None:
            matches.append(Match(entry, found.places, found.score))
    groups: list[Group] = []
    for kind in KINDS:
        of_kind = [match for match in matches if match.entry.kind == kind]
        of_kind.sort(key=lambda match: (bool(match.entry.off), -match.score))
        if of_kind:
            groups.append((kind, of_kind[:MAX_OF_A_KIND]))
    return sorted(groups, key=lambda group: -group[1][0].score)
