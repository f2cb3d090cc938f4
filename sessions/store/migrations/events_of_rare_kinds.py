"""Migration that restricts the index of events by kind to the kinds that are looked up."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Any

_KINDS = (
    "CallHeld",
    "ContextLengthFound",
    "ModelAsked",
    "RunFinished",
    "RunStarted",
    "Scored",
    "SnapshotTaken",
    "ToolFormatChosen",
)


def events_of_rare_kinds(db: Any) -> None:
    """Make `events_by_kind` a partial index, since every kind in it costs a write to another page.

    SQLite uses the index only for queries that contain one of these kinds as a literal
    (https://www.sqlite.org/partialindex.html, section 3.1).
    """
    connection: Connection = db.conn
    kinds = " OR ".join(f"kind = '{kind}'" for kind in _KINDS)
    connection.execute("DROP INDEX events_by_kind")
    connection.execute(f"CREATE INDEX events_by_kind ON events (run_id, kind, seq) WHERE {kinds}")
