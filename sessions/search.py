"""Finds sessions by what was said, run and seen in them, whatever a person types.

The index (FTS5) is not kept up while a run is recorded: it is caught up when somebody searches,
so that recording costs nothing more. Its words go with the session when that is deleted.

A query is words and "phrases", all of which must be found; `-word` must not. A word finds also
what begins with it. `model:` `outcome:` `tag:` `tool:` `after:` `before:` `cost:` narrow it down:
`model:qwen tag:todo after:2026-11-01 cost:>0.5 "no such file"`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..core import events as e
from .store import Store
from .summary import RunSummary, summary

LONGEST_BODY = 40_000
"""Characters of one text that are indexed: its two ends, where it is longer."""

BATCH = 200
"""Events indexed in one transaction."""

MOST_TERMS = 32
_TERM = re.compile(r'(-?)"([^"]*)"?|(\S+)')
_FILTER = re.compile(r"(model|outcome|tag|tool|after|before|cost):(.*)", re.IGNORECASE)
_COST = re.compile(r"([<>]?)=?\$?(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})\Z")
_HAS_WORD = re.compile(r"\w")
_OPEN, _CLOSE = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What sessions must be like. None: whatever it is.

    Attributes:
        model, tool: a part of the name, whatever the case.
        outcome: why it ended, or a part of that; `running` and `interrupted` have not ended.
        tag: a tag.
        after, before: seconds since the epoch; `before` itself does not count.
        cost_above, cost_below: US dollars.
    """

    model: str | None = None
    outcome: str | None = None
    tag: str | None = None
    tool: str | None = None
    after: float | None = None
    before: float | None = None
    cost_above: float | None = None
    cost_below: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What to look for.

    Attributes:
        match: words in the index's own language, safe to be given to it; empty where none were.
        ignored: parts that could not be understood, for the reader.
    """

    match: str = ""
    filters: Filters = Filters()
    ignored: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A place where the words were found, or a session where none were asked for.

    Attributes:
        run: the session.
        seq: the event, 0 for a note and for the session as a whole.
        step: of that event.
        kind: task, reply, call, observation, message, command, note or session.
        snippet: text around the words, as it was recorded: clean it before it is shown.
        marks: where in `snippet` they stand (start, end).
    """

    run: RunSummary
    seq: int
    step: int
    kind: str
    snippet: str
    marks: Sequence[tuple[int, int]] = ()


def parse_query(text: str) -> Query:
    """What a person typed; never raises."""
    wanted: list[str] = []
    unwanted: list[str] = []
    ignored: list[str] = []
    filters = Filters()
    for match in list(_TERM.finditer(_plain(text)))[:MOST_TERMS]:
        minus, phrase, word = match[1], match[2], match[3]
        if word is not None:
            named = _FILTER.fullmatch(word)
            if named is not None:
                filters, good = _narrowed(filters, named[1].lower(), named[2].strip('"'))
                ignored += [] if good else [word]
                continue
            minus, phrase = ("-", word[1:]) if word[:1] == "-" and word[1:] else ("", word)
            phrase = phrase.replace('"', " ")
        if not _HAS_WORD.search(phrase):
            continue
        term = f'"{phrase.strip()}"' + ("*" if word is not None else "")
        (unwanted if minus else wanted).append(term)
    if unwanted and not wanted:
        ignored += [f"-{term.strip('*')}" for term in unwanted]
        unwanted = []
    joined = " AND ".join(wanted)
    if unwanted:
        joined = f"({joined}) NOT ({' OR '.join(unwanted)})"
    return Query(match=joined, filters=filters, ignored=ignored)


def search(store: Store, text: str | Query, *, limit: int = 50) -> list[Hit]:
    """The best places, at most one of each event; newest sessions where no words were given.

    Raises:
        StoreError: the file cannot be read; never because of the query.
    """
    query = parse_query(text) if isinstance(text, str) else text
    where, values = _conditions(query.filters)
    if query.match or query.filters.tool is not None:
        catch_up(store)
    if not query.match:
        rows = store.rows(
            f"SELECT runs.* FROM runs WHERE {where} ORDER BY started_at DESC, id DESC LIMIT ?",
            [*values, limit],
        )
        return _ended([_session_hit(row) for row in rows], query.filters)
    rows = store.rows(
        "SELECT texts.seq AS hit_seq, texts.step AS hit_step, texts.kind AS hit_kind,"
        f" snippet(words, 0, '{_OPEN}', '{_CLOSE}', '…', 14) AS hit_snippet, runs.*"
        " FROM words JOIN texts ON texts.id = words.rowid JOIN runs ON runs.id = texts.run_id"
        f" WHERE words MATCH ? AND {where} ORDER BY bm25(words), started_at DESC LIMIT ?",
        [query.match, *values, limit],
    )
    return _ended([_hit(row) for row in rows], query.filters)


def catch_up(store: Store) -> None:
    """Index what has been recorded since the last search; a file that is read-only stays behind.

    Raises:
        StoreError: the file cannot be read.
    """
    if not store.writable:
        return
    behind = store.rows(
        "SELECT runs.id, coalesce(indexed.seq, 0) AS seq, coalesce(indexed.step, 0) AS step"
        " FROM runs LEFT JOIN indexed ON indexed.run_id = runs.id"
        " WHERE runs.last_seq > coalesce(indexed.seq, 0)"
    )
    for row in behind:
        _index(store, row["id"], int(row["seq"]), int(row["step"]))


# --- the query


def _plain(text: str) -> str:
    """Without what no index holds: NUL, lone surrogates; with the quotes that keyboards make."""
    text = text[:2000].replace("\0", " ").replace("“", '"').replace("”", '"').replace("„", '"')
    return text.encode("utf-8", "replace").decode()


def _narrowed(filters: Filters, name: str, value: str) -> tuple[Filters, bool]:
    """The filters with one more, and whether it was understood."""
    if not value:
        return filters, False
    if name in ("after", "before"):
        day = _day(value)
        return (replace(filters, **{name: day}), True) if day is not None else (filters, False)
    if name == "cost":
        found = _COST.match(value)
        if found is None:
            return filters, False
        side = "cost_below" if found[1] == "<" else "cost_above"
        return replace(filters, **{side: float(found[2])}), True
    return replace(filters, **{name: value}), True


def _day(value: str) -> float | None:
    """A date (2026-11-21) or moment in ISO 8601, in local time unless it says otherwise."""
    try:
        return datetime.datetime.fromisoformat(value).astimezone().timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _conditions(filters: Filters) -> tuple[str, list[Any]]:
    parts: list[str] = ["1"]
    values: list[Any] = []

    def add(condition: str, *new: Any) -> None:
        parts.append(condition)
        values.extend(new)

    if filters.model is not None:
        add("instr(lower(model), lower(?))", filters.model)
    if filters.outcome is not None and not _unended(filters.outcome):
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


def _session_hit(row: dict[str, Any]) -> Hit:
    run = summary(row)
    text = (run.title or run.task).strip().split("\n", 1)[0][:120]
    return Hit(run=run, seq=0, step=0, kind="session", snippet=text)


def _hit(row: dict[str, Any]) -> Hit:
    seq, step, kind = row.pop("hit_seq"), row.pop("hit_step"), row.pop("hit_kind")
    snippet, marks = _marked(str(row.pop("hit_snippet")))
    return Hit(
        run=summary(row), seq=max(0, seq), step=step, kind=kind, snippet=snippet, marks=marks
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


# --- the index


def _index(store: Store, run_id: str, seq: int, step: int) -> None:
    batch: list[e.AnyEvent] = []
    for event in store.events(run_id, after=seq):
        batch.append(event)
        if len(batch) >= BATCH:
            step = _index_batch(store, run_id, batch, step)
            batch = []
    if batch:
        _index_batch(store, run_id, batch, step)


def _index_batch(store: Store, run_id: str, batch: Sequence[e.AnyEvent], step: int) -> int:
    rows: list[tuple[Any, ...]] = []
    for event in batch:
        if isinstance(event, e.ModelAsked):
            step = event.step
        for kind, tool, body in texts_of(event):
            if body.strip():
                rows.append((run_id, event.seq, step, kind, tool, _bounded(body)))
    with store.transaction() as connection:
        known = connection.execute("SELECT seq FROM indexed WHERE run_id = ?", [run_id]).fetchone()
        if known is not None and known[0] >= batch[-1].seq:
            return step  # another program was faster
        if connection.execute("SELECT 1 FROM runs WHERE id = ?", [run_id]).fetchone() is None:
            return step  # deleted meanwhile
        connection.executemany(
            "INSERT INTO texts (run_id, seq, step, kind, tool, body) VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )
        connection.execute(
            "INSERT OR REPLACE INTO indexed VALUES (?, ?, ?)", [run_id, batch[-1].seq, step]
        )
    return step


def texts_of(event: e.AnyEvent) -> list[tuple[str, str | None, str]]:
    """Kind, tool and text of what an event has to be found by."""
    match event:
        case e.RunStarted(task=task):
            return [("task", None, task)]
        case e.ModelReplied(text=text, reasoning=reasoning):
            return [("reply", None, f"{text}\n{reasoning}")]
        case e.CallProposed(call=call):
            return [("call", call.name.lower(), f"{call.name}\n{_unescaped(call.arguments)}")]
        case e.CallFinished(observation=text) | e.HumanCommandFinished(observation=text):
            return [("observation", None, text)]
        case e.HumanMessage(text=text):
            return [("message", None, text)]
        case e.HumanCommand(command=command):
            return [("command", None, command)]
        case e.RunFinished(answer=answer, error=error):
            return [("answer", None, f"{answer or ''}\n{error or ''}")]
        case _:
            return []


def _unescaped(arguments: str) -> str:
    """Arguments without the backslashes of JSON, so that words in them are words."""
    return arguments.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


def _bounded(text: str) -> str:
    text = text.replace("\0", " ").encode("utf-8", "replace").decode()
    if len(text) <= LONGEST_BODY:
        return text
    half = LONGEST_BODY // 2
    return f"{text[:half]}\n…\n{text[-half:]}"
