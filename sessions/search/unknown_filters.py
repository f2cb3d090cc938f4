"""Words of a search query that look like filters but are none."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from sandbox_tui.sessions.search.number_filters import NUMBER_FILTERS
from sandbox_tui.sessions.search.query_filters import ENDINGS, FILTERS, IS

LIKENESS, SHORT_LIKENESS = 0.6, 0.5
"""Minimum likeness of a filter to suggest; of two letters, one may be wrong."""

_DATE = re.compile(r"today|yesterday|\d+d|\d{4}-\d\d-\d\d.*")


def looks_like_filter(word: re.Match[str]) -> bool:
    """Return whether a word with a colon, or with another sign and a number, may be meant as a
    filter.

    Args:
        word: matched in four groups: minus, name, colon or other sign, and value.
    """
    begins = r"[\w.]" if word[3] == ":" else r"[$.]?\d"
    return len(word[2]) > 1 and re.match(begins, word[4]) is not None


def remark_on_unknown(words: Sequence[re.Match[str]]) -> list[str]:
    """Return one sentence about all words that look like filters, with those that may be meant;
    none without such words."""
    if not words:
        return []
    meant = [_meant(word) for word in words]
    found = [filter_ for filter_ in meant if filter_]
    names = [f"{word[2]}{word[3]}" if _is_known(word) else word[2] for word in words]
    several = len(names) > 1
    what = f"are no filters {_listed(names)}" if several else f"is no filter {names[0]}"
    more = f" (did you mean {' '.join(found)}?)" if found else ""
    effect = "they are searched as words" if several else "it is searched as a word"
    known = "" if all(meant) else f" Filters are {_listed(list(FILTERS))}."
    return [f"There {what}{more}: {effect}.{known}"]


def _meant(word: re.Match[str]) -> str:
    """Return the filter that may be meant: one named alike, or one that takes the value."""
    name, value = word[2].lower(), word[4].strip('"')
    likeness = LIKENESS if len(name) > 2 else SHORT_LIKENESS
    if word[3] != ":" and not _is_known(word):
        near = difflib.get_close_matches(name, NUMBER_FILTERS, 1, cutoff=likeness)
        return f"{near[0]}{word[3]}{word[4]}" if near else ""
    alike = difflib.get_close_matches(name, FILTERS, 1, cutoff=likeness)
    if alike and (alike[0] != "is" or value.lower() in IS):
        meant = alike[0]
    elif value.lower() in ENDINGS:
        meant = "outcome"
    else:
        meant = "after" if _DATE.fullmatch(value.lower()) else ""
    return meant and f"{meant}:{word[4]}"


def _is_known(word: re.Match[str]) -> bool:
    """Return whether a filter has this name, which takes another sign."""
    return word[2].lower() in FILTERS


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
