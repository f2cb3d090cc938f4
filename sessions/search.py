"""Finds sessions by what was said, run and seen in them, whatever a person types."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .search_index import catch_up
from .search_query import Filters, Query, parse_query
from .store import Store
from .summary import RunSummary, summary

_OPEN, _CLOSE = "\ue000", "\ue001"
_NO_BOUND = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A place where the words were found, or a session where none were asked for.

    Attributes:
        run: the session.
        seq: the event, 0 for a note and for the session as a whole.
        step: of that event.
        kind: task, reply, call, observation, message, command, answer, note or session.
        snippet: text around the words, as it was recorded: clean it before it is shown.
        marks: where in `snippet` they stand (start, end).
        in_session: how many places there are in this session.
    """

    run: RunSummary
    seq: int
    step: int
    kind: str
    snippet: str
    marks: Sequence[tuple[int, int]] = ()
    in_session: int = 1


def search(store: Store, text: str | Query, *, limit: int = 50) -> list[Hit]:
    """All there is by now: `find`, with the index caught up before.

    Raises:
        StoreError: the file cannot be read; never because of the query.
    """
    query = parse_query(text) if isinstance(text, str) else text
    if query.match or query.filters.tool is not None:
        catch_up(store)
    return find(store, query, limit=limit)


def find(store: Store, query: Query, *, limit: int = 50, each: int = _NO_BOUND) -> list[Hit]:
    """What the index knows: sessions with the best places first, each with its places in order.

    What a fork has of its parent is shown with the parent alone, where it is found there. Where no
    words were given: the newest sessions.

    Args:
        store: where the sessions are.
        query: what to look for.
        limit: at most so many places.
        each: at most so many of one session, the best ones.

    Raises:
        StoreError: the file cannot be read; never because of the query.
    """
    where, values = _conditions(query.filters)
    if not query.match:
        rows = store.rows(
            f"SELECT runs.* FROM runs WHERE {where} ORDER BY started_at DESC, id DESC LIMIT ?",
            [*values, limit],
        )
        return _ended([_session_hit(row) for row in rows], query.filters)
    places = store.rows(
        "WITH matched AS MATERIALIZED (SELECT texts.id, texts.run_id, texts.seq, texts.step,"
        " texts.kind, words.rank AS score, runs.parent, runs.parent_seq, runs.started_at"
        " FROM words JOIN texts ON texts.id = words.rowid JOIN runs ON runs.id = texts.run_id"
        f" WHERE words MATCH ? AND {where}),"
        " own AS (SELECT one.* FROM matched AS one LEFT JOIN matched AS same"
        " ON same.run_id = one.parent AND same.seq = one.seq"
        " WHERE same.id IS NULL OR one.seq NOT BETWEEN 1 AND one.parent_seq),"
        " placed AS (SELECT *, count(*) OVER whole AS many, min(score) OVER whole AS best,"
        " row_number() OVER (PARTITION BY run_id ORDER BY score, seq) AS place"
        " FROM own WINDOW whole AS (PARTITION BY run_id))"
        " SELECT id, run_id, seq, step, kind, many FROM placed WHERE place <= ?"
        " ORDER BY best, started_at DESC, run_id, step, abs(seq) LIMIT ?",
        [query.match, *values, each, limit],
    )
    return _ended(_hits(store, query.match, places), query.filters)


# --- filters


def _conditions(filters: Filters) -> tuple[str, list[Any]]:
    parts: list[str] = ["1"]
    values: list[Any] = []

    def add(condition: str, *new: Any) -> None:
        parts.append(condition)
        values.extend(new)

    if filters.model is not None:
        add("instr(lower(model), lower(?))", filters.model)
    if filters.outcome is not None and filters.outcome.lower() == "failed":
        add("reason <> 'submitted'")
    elif filters.outcome is not None and not _unended(filters.outcome):
        add("instr(lower(reason), lower(?))", filters.outcome.replace(" ", "_"))
    if filters.outcome is not None and _unended(filters.outcome):
        add("reason IS NULL")
    if filters.tag is not None:
        add("runs.id IN (SELECT run_id FROM tags WHERE tag = lower(?))", filters.tag)
    if filters.tool is not None:
        add("runs.id IN (SELECT run_id FROM texts WHERE instr(tool, lower(?)))", filters.tool)
    for column, sign, value in (
        ("started_at", ">=", filters.after),
        ("started_at", "<", filters.before),
        ("cost", ">=", filters.cost_above),
        ("cost", "<", filters.cost_below),
    ):
        if value is not None:
            add(f"{column} {sign} ?", value)
    return " AND ".join(parts), values


def _unended(outcome: str) -> bool:
    return any(word.startswith(outcome.lower()) for word in ("running", "interrupted"))


def _ended(hits: list[Hit], filters: Filters) -> list[Hit]:
    """Whether a session without an end runs or was interrupted, only its process can tell."""
    if filters.outcome is None or not _unended(filters.outcome):
        return hits
    return [hit for hit in hits if hit.run.outcome.startswith(filters.outcome.lower())]


# --- hits


def _hits(store: Store, match: str, places: list[dict[str, Any]]) -> list[Hit]:
    """The places with the text around the words, and their sessions."""
    snippets = {
        row["rowid"]: row["snippet"]
        for row in store.rows(
            f"SELECT rowid, snippet(words, 0, '{_OPEN}', '{_CLOSE}', '…', 14) AS snippet"
            " FROM words WHERE words MATCH ? AND rowid IN (SELECT value FROM json_each(?))",
            [match, json.dumps([place["id"] for place in places])],
        )
    }
    ids = json.dumps(list({place["run_id"] for place in places}))
    rows = store.rows("SELECT * FROM runs WHERE id IN (SELECT value FROM json_each(?))", [ids])
    runs = {row["id"]: summary(row) for row in rows}
    return [
        _hit(place, runs[place["run_id"]], str(snippets[place["id"]]))
        for place in places
        if place["run_id"] in runs and place["id"] in snippets  # not deleted meanwhile
    ]


def _session_hit(row: dict[str, Any]) -> Hit:
    run = summary(row)
    text = (run.title or run.task).strip().split("\n", 1)[0][:120]
    return Hit(run=run, seq=0, step=0, kind="session", snippet=text)


def _hit(place: dict[str, Any], run: RunSummary, snippet: str) -> Hit:
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
    """The snippet without its marks, and where they were."""
    plain, marks, start = "", list[tuple[int, int]](), 0
    for part in re.split(f"([{_OPEN}{_CLOSE}])", text):
        if part == _OPEN:
            start = len(plain)
        elif part == _CLOSE:
            marks.append((start, len(plain)))
        else:
            plain += part
    return plain, marks
