"""Finds what calls had printed when their program was killed, which no index contains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sandbox_tui.sessions.search.query import Query
from sandbox_tui.sessions.search.texts_without_index import matching_snippets
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store

MAX_RUNS = 50
"""Maximum number of killed sessions whose output is read, the newest ones: it is read anew for
every query."""


class CutOffMatch(NamedTuple):
    """A call that was cut off, whose output matches.

    Attributes:
        run: its session.
        step: its step.
        snippet: of the output, with matching words marked.
    """

    run: RunSummary
    step: int
    snippet: str


def cut_off_matches(
    store: Store, query: Query, where: str, values: Sequence[Any], words: int
) -> list[CutOffMatch]:
    """Return the calls of killed sessions whose output matches.

    Args:
        store: the database.
        query: with words that must match.
        where, values: SQL conditions on the sessions, and its parameters.
        words: length of a snippet.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows(
        f"SELECT runs.* FROM runs WHERE finish_reason IS NULL AND {where}"
        " ORDER BY started_at DESC LIMIT ?",
        [*values, MAX_RUNS],
    )
    killed = (run for run in store.summaries(rows) if run.outcome == "interrupted")
    return [match for run in killed for match in _matches_in(store, run, query, words)]


def _matches_in(store: Store, run: RunSummary, query: Query, words: int) -> Iterator[CutOffMatch]:
    # imported here because home starts without the emulator of a terminal
    from sandbox_tui.sessions.playback.cut_off_output import cut_off_output

    printed = cut_off_output(store, run.id)
    if not printed:
        return
    rows = store.rows("SELECT number, step, tool FROM calls WHERE run_id = ?", [run.id])
    calls = {int(row["number"]): row for row in rows}
    tool = (query.filters.tool or "").lower()
    texts = {
        number: text
        for number, text in printed.items()
        if number in calls and tool in str(calls[number]["tool"]).lower()
    }
    for number, snippet in matching_snippets(texts, query, words).items():
        yield CutOffMatch(run, int(calls[number]["step"]), snippet)
