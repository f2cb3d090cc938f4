"""Migrations to tables meant for queries: renamed, with row ids, with steps, calls and messages.

`tables_to_query` moves existing rows; no event is changed. `rows_to_query` fills the new tables
from the events and builds the full-text index on them.
"""

from __future__ import annotations

from sqlite3 import Connection
from typing import Any

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.store.compression import decompress
from sandbox_tui.sessions.store.migrations.estimated_tokens import COLUMN
from sandbox_tui.sessions.store.tables.steps_calls_messages import RECORDED, record

_RUN = "run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE"

_RENAMED_COLUMNS = (
    ("runs", "reason", "finish_reason"),
    ("runs", "output", "results_dir"),
    ("runs", "params", "model_params"),
)

_MOVED = (
    (
        "events",
        "events",
        f"{_RUN}, seq INTEGER NOT NULL, t REAL NOT NULL, kind TEXT NOT NULL,"
        " compressed INTEGER NOT NULL, json BLOB NOT NULL, UNIQUE (run_id, seq)",
        "run_id, seq, t, kind, packed, body",
        "ORDER BY run_id, seq",
    ),
    (
        "chunks",
        "terminal_output",
        f"{_RUN}, seq INTEGER NOT NULL, terminal TEXT NOT NULL, compressed INTEGER NOT NULL,"
        " data BLOB NOT NULL, UNIQUE (run_id, seq)",
        "run_id, seq, terminal, packed, data",
        "ORDER BY run_id, seq",
    ),
    (
        "blobs",
        "blobs",
        "digest TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, compressed INTEGER NOT NULL,"
        " data BLOB NOT NULL",
        "digest, size, packed, data",
        "",
    ),
    (
        "run_blobs",
        "run_blobs",
        f"{_RUN}, digest TEXT NOT NULL REFERENCES blobs(digest) ON DELETE CASCADE,"
        " PRIMARY KEY (run_id, digest)",
        "run_id, digest",
        "WHERE run_id IN (SELECT id FROM runs) AND digest IN (SELECT digest FROM blobs)",
    ),
    (
        "keyframes",
        "keyframes",
        f"{_RUN}, seq INTEGER NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL,"
        " UNIQUE (run_id, kind, seq)",
        "run_id, seq, kind, data",
        "ORDER BY run_id, kind, seq",
    ),
    (
        "items",
        "keyframe_items",
        f"{_RUN}, item INTEGER NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL, number INTEGER,"
        " compressed INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (run_id, item, seq)",
        "run_id, item, seq, kind, number, packed, data",
        "ORDER BY run_id, item, seq",
    ),
    (
        "screens",
        "keyframe_screens",
        f"{_RUN}, terminal TEXT NOT NULL, opened_seq INTEGER NOT NULL, seq INTEGER NOT NULL,"
        " lines_scrolled INTEGER NOT NULL, history INTEGER NOT NULL, data BLOB NOT NULL,"
        " UNIQUE (run_id, terminal, opened_seq, seq)",
        "run_id, terminal, born, seq, scrolled, history, data",
        "ORDER BY run_id, terminal, born, seq",
    ),
    (
        "landmarks",
        "markers",
        f"{_RUN}, seq INTEGER NOT NULL, t REAL NOT NULL, kind TEXT NOT NULL, step INTEGER NOT NULL,"
        " PRIMARY KEY (run_id, seq)",
        "run_id, seq, t, kind, step",
        "",
    ),
    (
        "changes",
        "file_changes",
        f"{_RUN}, seq INTEGER NOT NULL, step INTEGER NOT NULL, path TEXT NOT NULL,"
        " change TEXT NOT NULL, kind TEXT NOT NULL, size INTEGER NOT NULL, digest TEXT",
        "run_id, seq, step, path, change, kind, size, digest",
        "ORDER BY rowid",
    ),
    (
        "originals",
        "source_documents",
        "run_id TEXT PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE, format TEXT NOT NULL,"
        " name TEXT NOT NULL, events_fingerprint TEXT NOT NULL, compressed INTEGER NOT NULL,"
        " data BLOB NOT NULL",
        "run_id, format, name, digest, packed, data",
        "",
    ),
    (
        "snapshots_left",
        "orphaned_snapshots",
        "run_id TEXT PRIMARY KEY, sandbox TEXT NOT NULL",
        "run_id, sandbox",
        "",
    ),
)
"""Old table, new table, new columns, old columns in the same order, and the rows with their
order."""

_SMALL_ROWS = frozenset({"run_blobs", "markers", "orphaned_snapshots"})
"""Tables that are faster and smaller without a row id
(https://www.sqlite.org/withoutrowid.html)."""

_INDEXES = (
    "CREATE INDEX events_by_kind ON events (run_id, kind, seq)",
    "CREATE INDEX run_blobs_by_digest ON run_blobs (digest)",
    "CREATE INDEX keyframe_items_by_number ON keyframe_items (run_id, kind, number, item, seq)",
    "CREATE INDEX keyframe_screens_by_line"
    " ON keyframe_screens (run_id, terminal, opened_seq, lines_scrolled, seq)",
    "CREATE INDEX file_changes_by_seq ON file_changes (run_id, seq)",
    "CREATE INDEX file_changes_by_path ON file_changes (run_id, path, seq)",
    "CREATE INDEX source_documents_by_fingerprint ON source_documents (events_fingerprint)",
)

_PLAIN_ARGUMENTS = "replace(replace(replace({}, '\\n', char(10)), '\\t', char(9)), '\\\"', '\"')"
"""Removes JSON escapes that would hide the following word from the full-text index."""

_NEW_TABLES = (
    f"CREATE TABLE steps (id INTEGER PRIMARY KEY, {_RUN}, number INTEGER NOT NULL,"
    " seq INTEGER NOT NULL, started_at REAL NOT NULL, latency REAL NOT NULL, first_token REAL,"
    " input_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL,"
    " output_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL, cost REAL,"
    " finish_reason TEXT, text TEXT NOT NULL, reasoning TEXT NOT NULL,"
    " content TEXT GENERATED ALWAYS AS (text || char(10) || reasoning) VIRTUAL,"
    " UNIQUE (run_id, number))",
    f"CREATE TABLE calls (id INTEGER PRIMARY KEY, {_RUN}, number INTEGER NOT NULL,"
    " step INTEGER NOT NULL, proposed_seq INTEGER, finished_seq INTEGER, tool TEXT NOT NULL,"
    " verdict TEXT, decided_by TEXT, started_at REAL, duration REAL, ok INTEGER,"
    " exit_code INTEGER, truncated INTEGER, timed_out INTEGER, interrupted INTEGER,"
    " arguments TEXT NOT NULL, proposed_arguments TEXT, observation TEXT,"
    " input TEXT GENERATED ALWAYS AS (tool || char(10) || "
    f"{_PLAIN_ARGUMENTS.format('arguments')} || coalesce(char(10) || "
    f"{_PLAIN_ARGUMENTS.format('proposed_arguments')}, '')) VIRTUAL,"
    " UNIQUE (run_id, number))",
    f"CREATE TABLE messages (id INTEGER PRIMARY KEY, {_RUN}, seq INTEGER NOT NULL,"
    " step INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (run_id, seq))",
    "ALTER TABLE runs ADD COLUMN seconds_away REAL NOT NULL DEFAULT 0",
)

INDEXED = {
    "steps": ("content",),
    "calls": ("input", "observation"),
    "messages": ("text",),
    "notes": ("text",),
}
"""Indexed columns of each table. Its full-text index is named after it, such as `calls_fts`."""

TOKENIZER = "unicode61 remove_diacritics 2"

_ISO = "strftime('%Y-%m-%dT%H:%M:%fZ', {}, 'unixepoch')"

_VIEWS = (
    "CREATE VIEW v_runs AS SELECT id, coalesce(title, task) AS title, model, sandbox,"
    f" {_ISO.format('started_at')} AS started_at, {_ISO.format('ended_at')} AS ended_at,"
    " coalesce(finish_reason, 'unfinished') AS outcome, round(seconds, 3) AS seconds, steps, calls,"
    " failed_calls, input_tokens, output_tokens, cost, answer, error, results_dir, parent,"
    " parent_seq, imported FROM runs",
    "CREATE VIEW v_steps AS SELECT run_id, number,"
    f" {_ISO.format('started_at')} AS started_at, latency, first_token, input_tokens,"
    " cached_tokens, output_tokens, reasoning_tokens, cost, finish_reason, text, reasoning"
    " FROM steps",
    "CREATE VIEW v_calls AS SELECT run_id, number, step, tool,"
    " CASE WHEN json_valid(arguments) THEN"
    " trim(coalesce(json_extract(arguments, '$.command'), '') || ' '"
    " || coalesce(json_extract(arguments, '$.path'), '')) ELSE '' END AS command,"
    " CASE WHEN verdict IN ('reject', 'skip') THEN verdict || CASE verdict WHEN 'reject'"
    " THEN 'ed' ELSE 'ped' END WHEN timed_out THEN 'timed out' WHEN interrupted THEN 'interrupted'"
    " WHEN ok IS NULL THEN 'unfinished' WHEN ok THEN 'ok' ELSE 'failed' END AS outcome,"
    f" exit_code, {_ISO.format('started_at')} AS started_at, round(duration, 3) AS duration,"
    " arguments, observation FROM calls",
)


_RUNS = (
    "CREATE TABLE runs (id TEXT PRIMARY KEY NOT NULL, task TEXT NOT NULL, model TEXT,"
    " sandbox TEXT, started_at REAL NOT NULL, finish_reason TEXT, error TEXT, answer TEXT,"
    " results_dir TEXT, steps INTEGER, calls INTEGER, failed_calls INTEGER, input_tokens INTEGER,"
    " output_tokens INTEGER, cost REAL, seconds REAL, last_seq INTEGER NOT NULL, parent TEXT,"
    " parent_seq INTEGER, owner_pid INTEGER, owner_started TEXT, owner_host TEXT, title TEXT,"
    " model_params TEXT, ended_at REAL, imported INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX idx_runs_started_at ON runs (started_at)",
    "CREATE INDEX runs_of_parent ON runs (parent)",
    f"CREATE TABLE tags ({_RUN}, tag TEXT NOT NULL, PRIMARY KEY (run_id, tag)) WITHOUT ROWID",
    f"CREATE TABLE notes (id INTEGER PRIMARY KEY, {_RUN}, step INTEGER NOT NULL,"
    " text TEXT NOT NULL, written_at REAL NOT NULL)",
    "CREATE INDEX notes_of_run ON notes (run_id, step)",
)
"""Tables that the migrations did not recreate; only a new file needs these statements."""


def create_tables(db: Any) -> None:
    """Create the tables of a new file, identical to those of a migrated one."""
    connection: Connection = db.conn
    for statement in _RUNS:
        connection.execute(statement)
    for _, new, columns, *_ in _MOVED:
        connection.execute(_create(new, columns))
    for statement in (*_INDEXES, *_NEW_TABLES, *_VIEWS):
        connection.execute(statement)
    _enable_search(db)


def _create(table: str, columns: str) -> str:
    return f"CREATE TABLE {table} ({columns}){' WITHOUT ROWID' if table in _SMALL_ROWS else ''}"


def _enable_search(db: Any) -> None:
    for table, columns in INDEXED.items():
        db[table].enable_fts(columns, create_triggers=True, tokenize=TOKENIZER)
    _narrow_trigger(db.conn)


def _narrow_trigger(connection: Connection) -> None:
    """Reindex a call only when its text changes, since most updates are decisions."""
    query = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'calls_au'"
    (sql,) = connection.execute(query).fetchone()
    connection.execute("DROP TRIGGER calls_au")
    columns = "arguments, proposed_arguments, observation"
    connection.execute(str(sql).replace("AFTER UPDATE ON", f"AFTER UPDATE OF {columns} ON"))


def tables_to_query(db: Any) -> None:
    """Rename tables and columns, and give tables with large rows a row id.

    Raises:
        StoreError: an older program is recording into this file.
    """
    connection: Connection = db.conn
    _refuse_while_recorded(connection)
    for name in ("texts_added", "texts_deleted"):
        connection.execute(f"DROP TRIGGER {name}")
    for name in ("words", "texts", "indexed"):
        connection.execute(f"DROP TABLE {name}")
    for table, old, new in _RENAMED_COLUMNS:
        connection.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    for old, new, columns, taken, rows in _MOVED:
        connection.execute(f"ALTER TABLE {old} RENAME TO _old_{old}")
        connection.execute(_create(new, columns))
        connection.execute(f"INSERT INTO {new} SELECT {taken} FROM _old_{old} {rows}")
    for old, *_ in _MOVED:
        connection.execute(f"DROP TABLE _old_{old}")
    for statement in (*_INDEXES, *_NEW_TABLES, *_VIEWS):
        connection.execute(statement)


def _refuse_while_recorded(connection: Connection) -> None:
    rows = connection.execute(
        "SELECT id, owner_pid, owner_started, owner_host FROM runs WHERE reason IS NULL"
        " AND owner_pid IS NOT NULL"
    )
    me = ProcessIdentity.this_process()
    for run_id, pid, started, host in rows.fetchall():
        owner = ProcessIdentity(pid, started, host or "")
        if owner.here and owner.alive and owner.pid != me.pid:
            raise StoreError(
                f"An older sandbox-tui is recording the session {run_id} (process {pid}), so the "
                "session database cannot be upgraded. Wait until it ends, then try again."
            )


def rows_to_query(db: Any) -> None:
    """Fill the tables of steps, calls and messages, and build the full-text index."""
    connection: Connection = db.conn
    connection.execute(f"ALTER TABLE steps ADD COLUMN {COLUMN}")  # `record` fills it, too
    for (run_id,) in connection.execute("SELECT id FROM runs").fetchall():
        _record_run(connection, run_id)
    _enable_search(db)


def _record_run(connection: Connection, run_id: str) -> None:
    marks = ", ".join("?" * len(_KINDS))
    rows = connection.execute(
        "SELECT compressed, json FROM events INDEXED BY events_by_kind"
        f" WHERE run_id = ? AND kind IN ({marks}) ORDER BY seq",
        [run_id, *_KINDS],
    )
    for compressed, json in rows:
        event = e.from_json(decompress(compressed, json))
        if isinstance(event, e.RunResumed):
            connection.execute(
                "UPDATE runs SET seconds_away = seconds_away + ? WHERE id = ?",
                [event.away, run_id],
            )
        else:
            record(connection, run_id, event)


_KINDS = tuple(kind.__name__ for kind in (*RECORDED, e.RunResumed))
