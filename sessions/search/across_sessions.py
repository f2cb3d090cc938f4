"""Finds sessions by their text: titles, tags, tasks, replies, calls, observations, messages,
answers, notes."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.run.task_title import title_line
from sandbox_tui.sessions.search.cut_off_matches import CutOffMatch, cut_off_matches
from sandbox_tui.sessions.search.query import Filters, Query, outcomes_meant, parse_query
from sandbox_tui.sessions.search.readable_snippet import (
    CLOSE,
    OPEN,
    literal_snippet,
    readable_snippet,
)
from sandbox_tui.sessions.search.searchable_texts import SOURCES, Source, matching
from sandbox_tui.sessions.search.titles_and_tags import matching_names
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.runs import STANDALONE

_NO_BOUND = 1 << 30

UNENDED = frozenset(("running", "interrupted"))
"""Outcomes of sessions without an end; the database does not tell them apart."""

OF_WHOLE_SESSION = frozenset(("session", "title", "tag"))
"""Kinds of hits that are not at a place within the session."""

WORDS = 14
"""Length of a snippet on the command line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A match in a session, or a session if the query has no words.

    Attributes:
        run: the session.
        seq: number of the event; 0 for a note and for the session as a whole.
        step: of that event.
        kind: title, tag, task, reply, call, observation, message, command, answer, note or session.
        snippet: recorded text around the match; sanitize it before showing it.
        marks: (start, end) of each matching word in `snippet`.
        in_session: number of matches in this session.
    """

    run: RunSummary
    seq: int
    step: int
    kind: str
    snippet: str
    marks: Sequence[tuple[int, int]] = ()
    in_session: int = 1


def search(store: Store, text: str | Query, *, limit: int = 50) -> list[Hit]:
    """Parse a query and `find` it.

    Raises:
        StoreError: the database cannot be read; never because of the query.
    """
    query = parse_query(text) if isinstance(text, str) else text
    return find(store, query, limit=limit)


def find(
    store: Store, query: Query, *, limit: int = 50, each: int = _NO_BOUND, words: int = WORDS
) -> list[Hit]:
    """Matches grouped by session, those of evaluations and trainings after all others. Sessions
    whose title matches come first, then those with a tag, then the best ones; within a session,
    matches are in order of events. Samples of one task that are equally good are next to each
    other, in the order of their numbers.

    With a filter for a tool, matches are in calls of that tool and their output. A match in events
    that a fork shares with its parent is listed only for the parent. Without words that must match,
    these are the newest sessions, except those with an excluded word.

    Args:
        store: the database.
        query: what to find.
        limit: maximum number of matches.
        each: maximum number of matches per session; the best are kept.
        words: length of a snippet, at most 64.

    Raises:
        StoreError: the database cannot be read; never because of the query.
    """
    where, values = _conditions(query.filters)
    if query.has_words or query.excluded or query.excluded_literals:
        with contextlib.suppress(StoreError):  # the rest of the index can still be searched
            store.index_texts()
    if not query.has_words:
        for unwanted in _excluded(query):
            found, more, _ = _matching(store, unwanted, words)
            where += f" AND runs.id NOT IN (SELECT run_id FROM ({found}))"
            values += more
        rows = store.rows(
            f"SELECT runs.* FROM runs WHERE {where} ORDER BY {STANDALONE} DESC,"
            f" max(started_at) OVER (PARTITION BY {_TOGETHER}) DESC, {_TOGETHER} DESC,"
            " coalesce(sample, 0), started_at DESC, id DESC LIMIT ?",
            [*values, limit],
        )
        return _ended([_session_hit(run) for run in store.summaries(rows)], query.filters)
    found, words_found, names = _matching(store, query, words)
    places = store.rows(
        f"WITH found AS ({found}),"
        " matched AS MATERIALIZED (SELECT found.*, runs.parent, runs.parent_seq, runs.started_at,"
        f" runs.sample, {_TOGETHER} AS together, {STANDALONE} AS is_own"
        f" FROM found JOIN runs ON runs.id = found.run_id WHERE {where}),"
        " own AS (SELECT one.* FROM matched AS one LEFT JOIN matched AS same"
        " ON same.run_id = one.parent AND same.seq = one.seq AND same.kind = one.kind"
        " WHERE same.id IS NULL OR one.seq NOT BETWEEN 1 AND one.parent_seq),"
        " placed AS (SELECT *, count(*) OVER whole AS many, min(score) OVER whole AS best,"
        " max(started_at) OVER (PARTITION BY together) AS last_started,"
        " row_number() OVER (PARTITION BY run_id ORDER BY score, seq) AS place"
        " FROM own WINDOW whole AS (PARTITION BY run_id))"
        " SELECT source, id, run_id, seq, step, kind, many FROM placed WHERE place <= ?"
        " ORDER BY is_own DESC, best, last_started DESC, together, coalesce(sample, 0),"
        " run_id, step, abs(seq) LIMIT ?",
        [*words_found, *values, each, limit],
    )
    hits = _hits(store, query, places, words, names)
    for match in cut_off_matches(store, query, where, values, words):
        hits = _with_cut_off(hits, match, limit, each)
    return _ended(hits, query.filters)


def _with_cut_off(hits: list[Hit], match: CutOffMatch, limit: int, each: int) -> list[Hit]:
    """Add what a call had printed when it was cut off, after the other matches of its session; a
    session without others comes last."""
    run, (text, marks) = match.run, _marked(match.snippet)
    others = [at for at, hit in enumerate(hits) if hit.run.id == run.id]
    in_session = 1 + (hits[others[0]].in_session if others else 0)
    for at in others:
        hits[at] = replace(hits[at], in_session=in_session)
    added = Hit(
        run=run,
        seq=run.last_seq,
        step=match.step,
        kind="observation",
        snippet=text,
        marks=marks,
        in_session=in_session,
    )
    if not others:
        return [*hits[: limit - 1], added]
    return (
        hits if len(others) >= each else [*hits[: others[-1] + 1], added, *hits[others[-1] + 1 :]]
    )


def _matching(
    store: Store, query: Query, words: int
) -> tuple[str, list[str], dict[tuple[str, int], str]]:
    """Return SQL for all texts that match the words of a query, its parameters, and the snippets
    of the titles and tags among them."""
    sql, values = matching(query)
    names = matching_names(store, query, words)
    if not names.sql:
        return sql, values, {}
    return f"{names.sql} UNION ALL {sql}", [*names.values, *values], names.snippets


_TOGETHER = "coalesce(CASE WHEN runs.parent IS NULL THEN runs.samples END, runs.id)"
"""SQL for what samples of one task share; the id of any other session."""


def _excluded(query: Query) -> list[Query]:
    """Return a query for each part that a session must not contain."""
    parts = [Query(literals=[literal]) for literal in query.excluded_literals]
    return [*parts, Query(match=query.excluded)] if query.excluded else parts


# --- filters


def _conditions(filters: Filters) -> tuple[str, list[Any]]:
    parts: list[str] = ["1"]
    values: list[Any] = []

    def add(condition: str, *new: Any) -> None:
        parts.append(condition)
        values.extend(new)

    if filters.model is not None:
        add("instr(lower(model), lower(?))", filters.model)
    if filters.outcome is not None:
        meant = outcomes_meant(filters.outcome)
        ends = "finish_reason IN (SELECT value FROM json_each(?))"
        if "failed" in meant:
            ends += " OR finish_reason NOT IN ('submitted', 'imported')"
        if not UNENDED.isdisjoint(meant):
            ends += " OR finish_reason IS NULL"
        add(f"({ends})", json.dumps(meant))
    if filters.tag is not None:
        add(
            "runs.id IN (SELECT run_id FROM tags WHERE tag = lower(?) OR (instr(tag, lower(?)) = 1"
            " AND NOT EXISTS (SELECT 1 FROM tags WHERE tag = lower(?))))",
            *[filters.tag] * 3,
        )
    if filters.tool is not None:
        add(
            "runs.id IN (SELECT run_id FROM calls WHERE instr(lower(tool), lower(?)))",
            filters.tool,
        )
    if filters.is_sample is not None:
        add(f"NOT ({STANDALONE})" if filters.is_sample else STANDALONE)
    for sign, value in ((">=", filters.after), ("<", filters.before)):
        if value is not None:
            add(f"started_at {sign} ?", value)
    for number in filters.numbers:
        add(number.condition, number.value)
    return " AND ".join(parts), values


def _ended(hits: list[Hit], filters: Filters) -> list[Hit]:
    """Filter unfinished sessions: only the process tells running ones from interrupted ones."""
    meant = UNENDED if filters.outcome is None else outcomes_meant(filters.outcome)
    return [hit for hit in hits if hit.run.outcome not in UNENDED or hit.run.outcome in meant]


# --- hits


def _hits(
    store: Store,
    query: Query,
    places: list[dict[str, Any]],
    words: int,
    snippets: dict[tuple[str, int], str],
) -> list[Hit]:
    """Return the matches with their sessions and snippets, some of which are known."""
    ids = json.dumps(list({place["run_id"] for place in places}))
    rows = store.rows("SELECT * FROM runs WHERE id IN (SELECT value FROM json_each(?))", [ids])
    runs = {run.id: run for run in store.summaries(rows)}
    snippets = dict(snippets)
    for source in SOURCES:
        here = [place["id"] for place in places if place["source"] == source.name]
        for row_id, snippet in _snippets(store, source, query, here, words).items():
            snippets[source.name, row_id] = snippet
    return [
        _hit(place, runs[place["run_id"]], snippets[place["source"], place["id"]])
        for place in places
        if place["run_id"] in runs  # not deleted in the meantime
        and (place["source"], place["id"]) in snippets
    ]


def _snippets(
    store: Store, source: Source, query: Query, ids: list[int], words: int
) -> dict[int, str]:
    if not ids:
        return {}
    if not query.match:
        rows = store.rows(
            f"SELECT t.id, {source.text} AS text FROM {source.table} AS t"
            " WHERE t.id IN (SELECT value FROM json_each(?))",
            [json.dumps(ids)],
        )
        return {
            int(row["id"]): literal_snippet(str(row["text"]), query.literals[0], words)
            for row in rows
        }
    rows = store.rows(
        f"SELECT rowid AS id,"
        f" snippet({source.index}, -1, '{OPEN}', '{CLOSE}', '…', {words:d}) AS text"
        f" FROM {source.index} WHERE {source.index} MATCH ?"
        " AND rowid IN (SELECT value FROM json_each(?))",
        [source.match(query.match), json.dumps(ids)],
    )
    return {int(row["id"]): str(row["text"]) for row in rows}


def _session_hit(run: RunSummary) -> Hit:
    text = (run.title or title_line(run.task)).strip().split("\n", 1)[0][:120]
    return Hit(run=run, seq=0, step=0, kind="session", snippet=text)


def _hit(place: dict[str, Any], run: RunSummary, snippet: str) -> Hit:
    if place["kind"] == "call":
        snippet = readable_snippet(snippet)
    plain, marks = _marked(snippet)
    return Hit(
        run=run,
        seq=max(0, place["seq"]),
        step=place["step"],
        kind=place["kind"],
        snippet=plain,
        marks=marks,
        in_session=place["many"],
    )


def _marked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the snippet without its markers, and their positions."""
    plain, marks, start = "", list[tuple[int, int]](), 0
    for part in re.split(f"([{OPEN}{CLOSE}])", text):
        if part == OPEN:
            start = len(plain)
        elif part == CLOSE:
            marks.append((start, len(plain)))
        else:
            plain += part
    return plain, marks
