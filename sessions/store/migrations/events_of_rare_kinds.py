"""The migration to an index of those events alone that are looked up by their kind."""

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
    """Leave all other kinds out of `events_by_kind`: each kind in it is a page more to write.

    SQLite uses the index for a query that names one of the kinds as it stands here
    (https://www.sqlite.org/partialindex.html, 3.1).
    """
    connection: Connection = db.conn
    kinds = " OR ".join(f"kind = '{kind}'" for kind in _KINDS)
    connection.execute("DROP INDEX events_by_kind")
    connection.execute(f"CREATE INDEX events_by_kind ON events (run_id, kind, seq) WHERE {kinds}")
