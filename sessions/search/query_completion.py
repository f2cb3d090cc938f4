"""Completes search queries: filter names and their values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sandbox_tui.sessions.search.number_filters import NUMBER_FILTERS
from sandbox_tui.sessions.search.query_filters import ENDINGS, FILTERS, IS
from sandbox_tui.sessions.store.store import Store

Values = Mapping[str, Sequence[str]]
"""Values for each filter in this database, the most frequent first."""

MAX_VALUES = 200
_LAST = re.compile(
    r"(?:^|(?<=\s))"
    r'(?:(?:(?P<name>[A-Za-z_]+):|(?P<short>#))(?P<value>[^\s"<>]*)|(?P<word>[A-Za-z_]+))\Z'
)


def known_values(store: Store) -> Values:
    """Return the models, outcomes, tags and tools in the database.

    Raises:
        StoreError: the database cannot be read.
    """

    def column(query: str) -> list[str]:
        return [str(row["value"]) for row in store.rows(f"{query} LIMIT {MAX_VALUES}")]

    return {
        "model": column(
            "SELECT model AS value FROM runs WHERE model <> ''"
            " GROUP BY model ORDER BY count(*) DESC"
        ),
        "tag": column("SELECT tag AS value FROM tags GROUP BY tag ORDER BY count(*) DESC, tag"),
        "tool": ["execute_bash", "str_replace_editor", "submit"],
        "outcome": ENDINGS,
        "is": IS,
        "after": ["today", "yesterday", "7d", "30d"],
        "before": ["today", "yesterday", "7d", "30d"],
    }


def completions(text: str, values: Values) -> list[str]:
    """Return all completions of the last word of `text`, the likeliest first; each is a whole
    query.

    There are none inside a phrase or after a complete word.
    """
    last = _LAST.search(text)
    if last is None or text.count('"') % 2:
        return []
    before = text[: last.start()]
    if last["word"] is not None:
        names = (name for name in FILTERS if name.startswith(last["word"].lower()))
        return [f"{before}{name}{'>' if name in NUMBER_FILTERS else ':'}" for name in names]
    name, typed = ("tag" if last["short"] else last["name"].lower()), last["value"].lower()
    start = last["short"] or f"{name}:"
    found = [value for value in values.get(name, ()) if value.lower().startswith(typed)]
    found += [
        value for value in values.get(name, ()) if typed in value.lower() and value not in found
    ]
    written = [f'"{value}"' if re.search(r"\s", value) else value for value in found]
    return [f"{before}{start}{value}" for value in written if value.lower() != typed]


def without_half_typed_filter(text: str) -> str:
    """Return a query without its last word if that begins the name of a filter."""
    last = _LAST.search(text)
    if last is None or not last["word"] or text.count('"') % 2:
        return text
    is_half_typed = any(name.startswith(last["word"].lower()) for name in FILTERS)
    return text[: last.start()] if is_half_typed else text
