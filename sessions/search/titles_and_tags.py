"""Finds sessions by the titles and tags that the user gave them.

No index contains these texts: there are few different ones.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple

from sandbox_tui.sessions.search.query import Query
from sandbox_tui.sessions.search.texts_without_index import matching_snippets
from sandbox_tui.sessions.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """One kind of names.

    Attributes:
        kind: of a hit.
        rows: SQL for sessions (`run_id`) and their names (`text`).
        score: puts a match before all others; less is better.
    """

    kind: str
    rows: str
    score: float


_NAMES = (
    _Names(
        kind="title",
        rows="SELECT id AS run_id, title AS text FROM runs WHERE title IS NOT NULL",
        score=-2e6,
    ),
    _Names(
        kind="tag",
        rows="SELECT run_id, group_concat(tag, ' ') AS text"
        " FROM (SELECT run_id, tag FROM tags ORDER BY run_id, tag) GROUP BY run_id",
        score=-1e6,
    ),
)


class NameMatches(NamedTuple):
    """Sessions whose names match.

    Attributes:
        sql: rows with the columns of `searchable_texts.matching`, with the kind as the source.
        values: its parameters.
        snippets: by source and `id`.
    """

    sql: str
    values: list[str]
    snippets: dict[tuple[str, int], str]


def matching_names(store: Store, query: Query, words: int) -> NameMatches:
    """Return the sessions whose title or tags match the words of a query; none with a filter for a
    tool.

    Args:
        store: the database.
        query: with words that must match.
        words: length of a snippet.

    Raises:
        StoreError: the database cannot be read.
    """
    selects, values = list[str](), list[str]()
    snippets: dict[tuple[str, int], str] = {}
    for names in _NAMES if query.filters.tool is None else ():
        rows = store.rows(f"SELECT DISTINCT text FROM ({names.rows})")
        texts = {number: str(row["text"]) for number, row in enumerate(rows)}
        found = matching_snippets(texts, query, words)
        snippets |= {(names.kind, number): snippet for number, snippet in found.items()}
        selects.append(
            f"SELECT '{names.kind}' AS source, CAST(given.key AS INTEGER) AS id, named.run_id,"
            f" 0 AS seq, 0 AS step, '{names.kind}' AS kind, {names.score} AS score"
            f" FROM json_each(?) AS given JOIN ({names.rows}) AS named ON named.text = given.value"
        )
        values.append(json.dumps({number: texts[number] for number in found}))
    return NameMatches(" UNION ALL ".join(selects), values, snippets)
