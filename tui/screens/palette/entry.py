"""The entries of the palette, and which of them match the typed text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.key_names import key_of_caret
from sandbox_tui.tui.screens.palette.matching.closest_words import closest_words
from sandbox_tui.tui.screens.palette.matching.fewer_words import without_a_word, without_fillers
from sandbox_tui.tui.screens.palette.matching.fuzzy import NOISE, SEVERAL, WHOLE, WORDS, Fit, fit
from sandbox_tui.tui.screens.palette.other_screens import (
    action_begun_elsewhere,
    action_elsewhere,
    action_mistyped_elsewhere,
)

KINDS = ("Actions", "Sessions", "Evaluations", "Models", "Themes", "Settings")
"""Kinds of entries, in the order in which they are listed while nothing is typed."""

WAITING = "Waiting for you"
"""Heading of the runs that wait for the user; they come before everything else."""

RECENT = "Recent"
"""Heading of the most recently chosen entries."""

NOT_ALL_WORDS = "No match for all words"
"""How the heading of entries begins that match all typed words but one: enter chooses none before
the user has moved the cursor to it."""

CLOSEST = "No match; the closest:"
"""How the heading of entries begins that match corrected words."""

SOME_LETTERS = "No match; some letters are in:"
"""Heading of entries whose letters match by coincidence: enter chooses none before the user has
moved the cursor to it."""

_ENDS = ("skip", "end", "end_all", "stop", "delete", "quit", "leave", "back")
GRAVE = frozenset(("approve", "approve_always", "reject", *_ENDS))
"""What actions do that decide, end or leave something."""

QUITS = ("app.quit", "home.quit")
"""The actions that leave the program."""

MAX_RECENT = 5
"""Maximum number of recently chosen entries listed."""

MAX_OF_A_KIND = 12
"""Maximum entries listed per kind, except actions; typing finds the others."""

ACTIONS_LEAD = 2.0
"""Score by which another kind must match better to be listed before the actions."""

ALSO_SCORE = 3.5
"""Score per letter of other words for an entry: above letters inside its own words, below the
beginnings of those."""

NOW_SCORE = 5.0
"""Score per letter of what a session does now: above the beginnings of words, below whole ones, as
in the name of an action here."""

MIN_ALSO_CHARACTERS = 2
"""Minimum length of typed text that is taken for another word."""

ID_SCORE = 2.5
"""Score per letter of a part of an id, below all letters of words."""

MIN_ID_CHARACTERS = 3
"""Minimum length of a part of an id that is no coincidence."""

MIN_KIND_CHARACTERS = 4
"""Minimum length of typed text that is taken for the name of a kind."""

NOT_KINDS = frozenset(("mode",))
"""Words that are something else although the name of a kind begins like them."""


@dataclass(frozen=True)
class Entry:
    """A line of the palette.

    Attributes:
        kind: one of `KINDS`.
        name: unique within its kind, and stable between openings of the palette.
        words: the text to match.
        detail: text on the right: a key, a date, a location.
        choose: runs the entry.
        off: why it cannot be chosen now; empty if it can.
        also: other words that find it, in lower case, separated by blanks.
        own: number of characters of its words that are its name; 0 if all are.
        id: of a session or an evaluation; any part of it finds the entry, too.
        now: other words that find it before entries with the same words in `also`, such as what a
            session does now that is going on.
        waits: whether it waits for the user, and no screen shows that.
        last: whether it is listed after all others of its kind that match.
        for_typed: whether it is listed only for a typed text.
    """

    kind: str
    name: str
    words: str
    detail: str
    choose: Callable[[], object]
    off: str = ""
    also: str = ""
    own: int = 0
    id: str = ""
    now: str = ""
    waits: bool = False
    last: bool = False
    for_typed: bool = False

    @property
    def is_grave(self) -> bool:
        """Whether it decides, ends or leaves something, and so is not to be chosen by chance."""
        return self.kind == "Actions" and self.name.partition(".")[2] in GRAVE


class Match(NamedTuple):
    """An entry that matches.

    Attributes:
        entry: the entry.
        places: the matched characters of its words.
        score: how well it matches.
        level: the level of the match; only those of the highest one are listed.
        exact: the text is the name of the action, which is listed first even if it is off: another
            one that can be chosen is not what is meant.
    """

    entry: Entry
    places: tuple[int, ...] = ()
    score: float = 0.0
    level: int = WORDS
    exact: bool = False

    @property
    def comes_later(self) -> bool:
        """Whether all that can be chosen is listed before it."""
        return bool(self.entry.off) and not self.exact


_WORD = re.compile(r"[\w-]+")

Group = tuple[str, list[Match]]
"""Heading and matches."""


def grouped(entries: Sequence[Entry], typed: str, recent: Sequence[str]) -> list[Group]:
    """Return the matching entries by kind, the kind of the best match first. Matches of
    a lower level than the best are left out. If no word matches, or only settings do, a heading
    without matches names the action of another screen that is meant. Otherwise one says what is
    matched instead: the closest words, all words but one, or letters here and there. Closest words
    also come before words of which letters are left out.

    While nothing is typed: what waits for the user, the recently chosen entries, then all others
    that are available.

    Args:
        entries: all entries.
        typed: the typed text.
        recent: names of chosen entries, the latest first.
    """
    if not typed.strip():
        return _all(entries, recent)
    kept = without_fillers(typed)
    found = _with_all_words(entries, typed) or _with_all_words(entries, kept)
    if found and _level(found) != SEVERAL:
        return found
    here = {entry.name for entry in entries}
    if not found and (elsewhere := action_begun_elsewhere(typed, here)):
        return [_elsewhere(elsewhere)]
    meant = closest_words(typed, _words_of(entries))
    corrected = _found(entries, meant) if meant else []
    if corrected and (not found or _level(corrected) == WORDS):
        return [(f"{CLOSEST} {meant}", []), *corrected]
    if found:
        return found
    if elsewhere := action_mistyped_elsewhere(typed, here):
        return [_elsewhere(elsewhere)]
    groups: list[Group] = []
    for rest in without_a_word(kept or typed):
        if found := _with_all_words(entries, rest):
            groups += [(f"{NOT_ALL_WORDS}; some for: {rest}", []), *found]
    return groups or _by_coincidence(entries, typed)


def _by_coincidence(entries: Sequence[Entry], typed: str) -> list[Group]:
    found = _found(entries, typed)
    return [(SOME_LETTERS, []), *found] if found else []


def _elsewhere(action: str) -> Group:
    return f"Not on this screen: {action}", []


def _with_all_words(entries: Sequence[Entry], typed: str) -> list[Group]:
    """Return the entries of which words match, or the action of another screen that is meant; empty
    if there are none."""
    if not typed:
        return []
    found = _found(entries, typed)
    level = _level(found)
    found, here = found if level > NOISE else [], {entry.name for entry in entries}
    if not _is_found(found, level) and (elsewhere := action_elsewhere(typed, here)):
        return [_elsewhere(elsewhere), *(found if level == WORDS else [])]
    return found


def _level(groups: Sequence[Group]) -> int:
    """Return the level of the best match; of none as of the worst."""
    return max((match.level for _, matches in groups for match in matches), default=NOISE)


def _is_found(groups: Sequence[Group], level: int) -> bool:
    """Return whether matches of this level are what is looked for: words of something other than
    settings, which are often called as an action is."""
    return level == WORDS and any(kind != "Settings" for kind, _ in groups)


def _words_of(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield all words that find an entry."""
    for entry in entries:
        yield from _WORD.findall(f"{entry.words} {entry.also} {entry.now} {entry.kind}".lower())


def _all(entries: Sequence[Entry], recent: Sequence[str]) -> list[Group]:
    usable = [entry for entry in entries if not entry.off and not entry.for_typed]
    waiting = [entry for entry in usable if entry.waits][:MAX_OF_A_KIND]
    usable = [entry for entry in usable if entry not in waiting]
    by_name = {entry.name: entry for entry in usable}
    last = [by_name[name] for name in recent if name in by_name]
    last = [entry for entry in last if not entry.is_grave][:MAX_RECENT]
    others = [entry for entry in usable if entry not in last]
    groups = [
        (WAITING, waiting),
        (RECENT, last),
        *((kind, _of_kind(others, kind)) for kind in KINDS),
    ]
    return [(name, [Match(entry) for entry in found]) for name, found in groups if found]


def _of_kind(entries: Iterable[Entry], kind: str) -> list[Entry]:
    found = [entry for entry in entries if entry.kind == kind]
    return found if kind == "Actions" else found[:MAX_OF_A_KIND]


def _found(entries: Sequence[Entry], typed: str) -> list[Group]:
    matches: list[Match] = []
    for entry in entries:
        found = _fit(typed, entry)
        if found is not None:
            exact = _is_name(typed, entry) and not (entry.for_typed and entry.off)
            matches.append(Match(entry, found.places, found.score, found.level, exact))
    best = max((match.level for match in matches), default=WORDS)
    matches = [match for match in matches if match.level == best]
    if any(match.exact and not match.entry.off for match in matches):
        matches = [match._replace(exact=not match.entry.off) for match in matches]
    groups: list[Group] = []
    for kind in KINDS:
        of_kind = [match for match in matches if match.entry.kind == kind]
        of_kind.sort(key=_place)
        if of_kind:
            groups.append((kind, of_kind if kind == "Themes" else of_kind[:MAX_OF_A_KIND]))
    return sorted(groups, key=_rank)


def _place(match: Match) -> tuple[bool, bool, float]:
    """Return the sort key of a match within its kind. What escape does is the way out of something,
    and comes after what leads to it, unless its first word is typed; so does leaving the program,
    unless it is called so."""
    is_way_out = match.entry.detail == "esc" and 0 not in match.places
    quits = match.entry.name in QUITS and not match.exact
    return match.comes_later, match.entry.last or is_way_out or quits, -match.score


def _rank(group: Group) -> tuple[bool, float]:
    """Return the sort key of a group with matches, by the first of these."""
    kind, (first, *_) = group
    return first.comes_later, -first.score - (ACTIONS_LEAD if kind == "Actions" else 0)


def _fit(typed: str, entry: Entry) -> Fit | None:
    """Match typed text with an entry's words, or with other words for it; parts of it may name the
    entry's kind instead."""
    parts = typed.lower().split()
    ways = [
        _fit_name(" ".join(parts), entry),
        _fit_key(typed.strip(), entry),
        fit(typed, entry.words, entry.own),
        _fit_others(parts, entry, entry.now, NOW_SCORE),
        _fit_others(parts, entry, entry.also, ALSO_SCORE),
        _fit_id(parts, entry),
    ]
    others = [part for part in parts if not _names_kind(part, entry.kind)]
    if len(others) < len(parts):
        ways += _fit_kind(others, entry, sum(map(len, parts)) - sum(map(len, others)))
    known = [way for way in ways if way is not None]
    if entry.kind == "Sessions":  # scattered letters are somewhere in every long title
        known = [way for way in known if way.level > NOISE]
    return max(known, default=None, key=lambda way: (way.level, way.score))


def _fit_kind(others: Sequence[str], entry: Entry, named: int) -> Iterator[Fit | None]:
    """Match what was typed besides the entry's kind, which was named with this many letters."""
    if not others:
        yield Fit(0, ())
        return
    for way in (
        fit(" ".join(others), entry.words, entry.own),
        _fit_others(others, entry, entry.now, NOW_SCORE),
        _fit_others(others, entry, entry.also, ALSO_SCORE),
    ):
        yield None if way is None else way._replace(score=way.score + ALSO_SCORE * named)


def _fit_name(typed: str, entry: Entry) -> Fit | None:
    """Match the name of an action, which the key bar shows, such as `step`: it comes first."""
    return Fit((WHOLE + 1) * len(typed), ()) if _is_name(typed, entry) else None


def _is_name(typed: str, entry: Entry) -> bool:
    purpose = entry.name.partition(".")[2].replace("_", " ")
    title = entry.words.lower()
    if entry.off and " " not in title:  # one word may mean others too
        title = ""
    return entry.kind == "Actions" and " ".join(typed.lower().split()) in (purpose, title)


def _fit_key(typed: str, entry: Entry) -> Fit | None:
    """Match the name of an action's key, such as `ctrl+r`, or `^r` as the key bar writes it."""
    typed = key_of_caret(typed)
    is_key = entry.name in ACTIONS and typed.lower() in entry.detail.lower().split()
    return Fit(WHOLE * len(typed), ()) if is_key and len(typed) > 1 else None


def _fit_others(parts: Sequence[str], entry: Entry, others: str, score: float) -> Fit | None:
    """Match the beginnings of other words for an entry, of which the first fit best; the other
    parts must begin its own."""
    words, own = others.split(), entry.words.lower().split()
    if not any(_begins_any(part, words) for part in parts):
        return None
    if not all(_begins_any(part, [*words, *own]) for part in parts):
        return None
    first = min(place for place, word in enumerate(words) if any(map(word.startswith, parts)))
    return Fit(score * sum(map(len, parts)) - first / 100 - len(entry.words) / 1000, ())


def _fit_id(parts: Sequence[str], entry: Entry) -> Fit | None:
    """Match parts of an entry's id; the other parts must occur in its words."""
    of_id = [part for part in parts if len(part) >= MIN_ID_CHARACTERS and part in entry.id.lower()]
    if not of_id or not all(part in entry.words.lower() for part in parts if part not in of_id):
        return None
    return Fit(ID_SCORE * sum(map(len, parts)) - len(entry.words) / 1000, ())


def _begins_any(part: str, words: Sequence[str]) -> bool:
    if part.isdigit():  # the number of a step
        return part in words
    return len(part) >= MIN_ALSO_CHARACTERS and any(word.startswith(part) for word in words)


def _names_kind(part: str, kind: str) -> bool:
    is_kind = len(part) >= MIN_KIND_CHARACTERS and part not in NOT_KINDS
    return is_kind and kind.lower().startswith(part)
