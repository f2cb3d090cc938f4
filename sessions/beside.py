"""Room for keyframes where the session database cannot be written.

SQLite looks for a table among the temporary ones first, so tables of the same names, which last as
long as the file is open, take what the file's own cannot.
"""

from __future__ import annotations

from .store import Store

_TABLES = {
    "keyframes": ("run_id, kind, seq",),
    "items": ("run_id, item, seq", "run_id, kind, number, item, seq"),
    "screens": ("run_id, terminal, born, seq", "run_id, terminal, born, scrolled, seq"),
    "landmarks": ("run_id, seq",),
}
"""Tables, and what they are looked through by."""


def make_room(store: Store, run_id: str) -> None:
    """Make temporary tables, with what the file has of this session.

    Raises:
        StoreError: the file cannot be read, or there is no room for temporary tables.
    """
    with store.alone() as connection:
        for table, indexes in _TABLES.items():
            connection.execute(
                f"CREATE TEMP TABLE IF NOT EXISTS {table} AS SELECT * FROM main.{table} WHERE 0"
            )
            for number, columns in enumerate(indexes):
                name = f"{table}_beside_{number}"
                connection.execute(f"CREATE INDEX IF NOT EXISTS temp.{name} ON {table} ({columns})")
            connection.execute(
                f"INSERT INTO temp.{table} SELECT * FROM main.{table} WHERE run_id = ?1"
                f" AND NOT EXISTS (SELECT 1 FROM temp.{table} WHERE run_id = ?1)",
                [run_id],
            )
