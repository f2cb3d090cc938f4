"""Finds the words of a query in texts that no index of the database contains."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Mapping

from sandbox_tui.sessions.search.query import Query
from sandbox_tui.sessions.search.readable_snippet import CLOSE, OPEN, literal_snippet
from sandbox_tui.sessions.store.migrations.tables_to_query import TOKENIZER


def matching_snippets(texts: Mapping[int, str], query: Query, words: int) -> dict[int, str]:
    """Return the snippets of the matching texts, as the database makes them of indexed ones.

    Args:
        texts: by number.
        query: with words that must match.
        words: length of a snippet.
    """
    texts = {
        number: text
        for number, text in texts.items()
        if all(literal in text for literal in query.literals)
        and not any(literal in text for literal in query.excluded_literals)
    }
    if not query.match:
        return {n: literal_snippet(text, query.literals[0], words) for n, text in texts.items()}
    with contextlib.closing(sqlite3.connect(":memory:")) as index:
        index.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='{TOKENIZER}')")
        index.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", texts.items())
        return dict(
            index.execute(
                f"SELECT rowid, snippet(texts, -1, '{OPEN}', '{CLOSE}', '…', {words:d})"
                " FROM texts WHERE texts MATCH ? ORDER BY rowid",
                [query.match],
            ).fetchall()
        )
