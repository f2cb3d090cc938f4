"""Appends events to the database and reads them back, by range or by kind."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from sqlite3 import Connection
from typing import Any

import msgspec

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.store.compression import compress, decompress
from sandbox_tui.sessions.store.database import Database
from sandbox_tui.sessions.store.errors import explained
from sandbox_tui.sessions.store.tables import runs
from sandbox_tui.sessions.store.tables.steps_calls_messages import has_failed, record

PAGE = 500
"""Number of events read at a time."""

INDEXED_KINDS = frozenset(
    {
        *("CallHeld", "ContextLengthFound", "ModelAsked", "RunFinished", "RunStarted", "Scored"),
        *("SnapshotTaken", "ToolFormatChosen"),
    }
)
"""Kinds in the partial index `events_by_kind`."""

_ONLY_EVENTS = frozenset({e.TerminalOutput, e.ModelDelta, e.ModelAsked, e.CallStarted})
"""The most frequent events; no other table has data derived from them."""


def insert(connection: Connection, run_id: str, batch: Sequence[e.AnyEvent]) -> None:
    """Store events, and update all rows derived from the run's events."""
    if isinstance(batch[0], e.RunStarted):
        runs.begin(connection, run_id, batch[0])
    connection.executemany(
        "INSERT INTO events (run_id, seq, t, kind, compressed, json) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (run_id, event.seq, event.t, _kind_name(type(event)), *compress(_body(event)))
            for event in batch
        ],
    )
    outputs = [event for event in batch if isinstance(event, e.TerminalOutput)]
    if outputs:
        connection.executemany(
            "INSERT INTO terminal_output (run_id, seq, terminal, compressed, data)"
            " VALUES (?, ?, ?, ?, ?)",
            [(run_id, event.seq, event.terminal, *compress(event.data)) for event in outputs],
        )
    derived = [event for event in batch if type(event) not in _ONLY_EVENTS]
    failed_calls = sum([_derive(connection, run_id, event) for event in derived])
    runs.summarise(connection, run_id, batch[-1], derived, failed_calls)


def _derive(connection: Connection, run_id: str, event: e.AnyEvent) -> bool:
    """Update the rows derived from an event, but for the run's totals.

    Returns:
        Whether the event is the end of a failed call.
    """
    record(connection, run_id, event)
    match event:
        case e.CallFinished():
            return has_failed(connection, run_id, event)
        case e.FilesListed():
            _file_changes(connection, run_id, event.seq, 0, event.files)
        case e.FilesChanged():
            _file_changes(connection, run_id, event.seq, event.step, event.changes)
        case e.RunResumed():
            runs.resume(connection, run_id, event)
        case e.RunFinished():
            runs.finish(connection, run_id, event)
        case _:
            pass
    return False


def _body(event: e.AnyEvent) -> bytes:
    """Return an event as JSON, without the bytes of terminal output."""
    if isinstance(event, e.TerminalOutput):  # faster than `replace`, and most events are output
        event = e.TerminalOutput(seq=event.seq, t=event.t, terminal=event.terminal, data=b"")
    return e.to_json(event)


@functools.cache
def _kind_name(kind: type[e.AnyEvent]) -> str:
    """Return `Event.kind`, worked out once for each class: storing asks for it with every event."""
    return str(kind.__struct_config__.tag)


def _file_changes(
    connection: Connection, run_id: str, seq: int, step: int, changes: Sequence[e.FileChange]
) -> None:
    connection.executemany(
        "INSERT INTO file_changes (run_id, seq, step, path, change, kind, size, digest)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(run_id, seq, step, c.path, c.change, c.kind, c.size, c.blob) for c in changes],
    )


def read(
    database: Database, run_id: str, after: int, until: int | None, output: bool
) -> Iterator[e.AnyEvent]:
    """Yield events with `after` < seq <= `until`, a page at a time; with or without terminal
    `output`."""
    last = 2**62 if until is None else until
    joined = "LEFT JOIN terminal_output o ON o.run_id = e.run_id AND o.seq = e.seq"
    bytes_ = "o.compressed AS output_compressed, o.data AS output" if output else "NULL AS output"
    while True:
        rows = database.rows(
            f"SELECT e.seq, e.compressed, e.json, {bytes_} FROM events e {joined if output else ''}"
            " WHERE e.run_id = ? AND e.seq > ? AND e.seq <= ? ORDER BY e.seq LIMIT ?",
            [run_id, after, last, PAGE],
        )
        for row in rows:
            yield _event(database, row)
        if len(rows) < PAGE:
            return
        after = int(rows[-1]["seq"])


def _event(database: Database, row: Mapping[str, Any]) -> e.AnyEvent:
    with explained(database.path):
        event = e.from_json(decompress(row["compressed"], row["json"]))
        if isinstance(event, e.TerminalOutput) and row.get("output") is not None:
            data = decompress(row["output_compressed"], row["output"])
            return msgspec.structs.replace(event, data=data)
        return event


def read_at(database: Database, run_id: str, seqs: Iterable[int]) -> dict[int, e.AnyEvent]:
    """Return events by number; terminal output comes without its bytes."""
    rows = database.rows(
        "SELECT seq, compressed, json FROM events WHERE run_id = ?"
        " AND seq IN (SELECT value FROM json_each(?))",
        [run_id, msgspec.json.encode(sorted(set(seqs))).decode()],
    )
    return {int(row["seq"]): _event(database, row) for row in rows}


def of_kinds(database: Database, run_id: str, kinds: Sequence[str]) -> list[e.AnyEvent]:
    """Return a run's events of these kinds, in order; terminal output comes without its bytes."""
    marks = ", ".join("?" * len(kinds))
    rows = database.rows(
        f"SELECT seq, compressed, json FROM events WHERE run_id = ? AND kind IN ({marks})"
        " ORDER BY seq",
        [run_id, *kinds],
    )
    return [_event(database, row) for row in rows]


def read_first_own(database: Database, run_ids: Sequence[str]) -> dict[str, e.AnyEvent]:
    """Return the first event of each of these forks that is not its parent's, in one query."""
    rows = database.rows(
        "SELECT r.id AS fork, e.seq, e.compressed, e.json FROM json_each(?) given"
        " JOIN runs r ON r.id = given.value"
        " JOIN events e ON e.run_id = r.id AND e.seq = r.parent_seq + 1",
        [msgspec.json.encode(run_ids).decode()],
    )
    return {str(row["fork"]): _event(database, row) for row in rows}


def first_after_last(
    database: Database, run_ids: Iterable[str], kind: str, later: Collection[str]
) -> dict[str, str]:
    """Return which of the `later` kinds was recorded first after a run's last event of `kind`, for
    each of these runs with such an event, in one query; empty if none was.

    `kind` is one of `INDEXED_KINDS`.
    """
    marks = ", ".join("?" * len(later))
    rows = database.rows(
        "SELECT run_id, coalesce((SELECT kind FROM events WHERE run_id = found.run_id"
        f" AND seq > found.seq AND kind IN ({marks}) ORDER BY seq LIMIT 1), '') AS next"
        f" FROM (SELECT value AS run_id, ({_last('value', kind)}) AS seq FROM json_each(?)) found"
        " WHERE seq IS NOT NULL",
        [*later, msgspec.json.encode(list(run_ids)).decode()],
    )
    return {str(row["run_id"]): str(row["next"]) for row in rows}


RECENT = 5000
"""How many of a run's last events `recent_of` looks at: kinds are in no index."""


def recent_of(
    database: Database, run_ids: Iterable[str], kinds: Collection[str]
) -> dict[str, e.AnyEvent]:
    """Return the last event of these kinds in each of these runs, in one query; a run in which that
    was long ago is left out."""
    marks = ", ".join("?" * len(kinds))
    rows = database.rows(
        "SELECT e.run_id, e.compressed, e.json FROM json_each(?) given"
        " JOIN runs r ON r.id = given.value"
        " JOIN events e ON e.run_id = r.id AND e.seq = (SELECT seq FROM events WHERE run_id = r.id"
        f" AND seq > r.last_seq - ? AND kind IN ({marks}) ORDER BY seq DESC LIMIT 1)",
        [msgspec.json.encode(list(run_ids)).decode(), RECENT, *kinds],
    )
    return {str(row["run_id"]): _event(database, row) for row in rows}


def last_of_kind(database: Database, run_id: str, kind: str) -> e.AnyEvent | None:
    """Return the last event of a kind, which is one of `INDEXED_KINDS`."""
    seq = _last_seq(database, run_id, kind)
    return None if seq is None else read_at(database, run_id, [seq])[seq]


def _last_seq(database: Database, run_id: str, kind: str) -> int | None:
    """Return the number of the last event of a kind."""
    return database.rows(_last("?", kind), [run_id])[0]["seq"]


def _last(run_id: str, kind: str) -> str:
    """Return the query for the number of a run's last event of a kind.

    The kind is a literal in the query, because SQLite uses the partial index only then.
    """
    if kind not in INDEXED_KINDS:
        raise ValueError(f"{kind} is not in the index of kinds")
    return f"SELECT max(seq) AS seq FROM events WHERE run_id = {run_id} AND kind = '{kind}'"


def time_of(database: Database, run_id: str, seq: int) -> float | None:
    """Return when an event happened, in seconds since the run began; None if there is no such
    event."""
    rows = database.rows("SELECT t FROM events WHERE run_id = ? AND seq = ?", [run_id, seq])
    return float(rows[0]["t"]) if rows else None
