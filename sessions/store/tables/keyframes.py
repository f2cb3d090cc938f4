"""The tables of keyframes: their rows as bytes, which `playback` encodes and decodes.

If the file is read-only, `make_temporary` creates temporary tables with the same names, which last
as long as the file is open. SQLite looks up a name among temporary tables first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from sqlite3 import Connection
from typing import NamedTuple

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions.store.database import Database


class ItemRow(NamedTuple):
    """A row of `keyframe_items`.

    Attributes:
        item: index in the list of items.
        seq: the keyframe at which it was new or had changed.
        kind: call, reply, human or note.
        number: of the call or of the user's action; None for others.
        compressed, data: the item.
    """

    item: int
    seq: int
    kind: str
    number: int | None
    compressed: int
    data: bytes


class ScreenRow(NamedTuple):
    """A row of `keyframe_screens`.

    Attributes:
        terminal: its name.
        opened_seq: number of the event that opened it; 0 for the mirror from the start.
        seq: of the keyframe.
        lines_scrolled: number of lines that had left the screen by then.
        history: how many of them are scrollback.
        data: the screen.
    """

    terminal: str
    opened_seq: int
    seq: int
    lines_scrolled: int
    history: int
    data: bytes


class MarkerRow(NamedTuple):
    """A row of `markers`; see `playback.markers`."""

    seq: int
    t: float
    kind: str
    step: int


class KeyframeTables:
    """The keyframes of one session.

    Args:
        database: the database they are stored in.
        run_id: the session.
    """

    def __init__(self, database: Database, run_id: str) -> None:
        self._database = database
        self._run_id = run_id

    # --- keyframes

    def head_until(self, seq: int) -> tuple[int, bytes] | None:
        """Return the number and head of the last keyframe at or before an event; None if there is
        none."""
        rows = self._database.rows(
            "SELECT seq, data FROM keyframes WHERE run_id = ? AND kind = 'head' AND seq <= ?"
            " ORDER BY seq DESC LIMIT 1",
            [self._run_id, seq],
        )
        return (int(rows[0]["seq"]), rows[0]["data"]) if rows else None

    def last(self, before: int = 2**62) -> int:
        """Return the number of the last keyframe before an event; 0 if there is none."""
        rows = self._database.rows(
            "SELECT max(seq) AS seq FROM keyframes WHERE run_id = ? AND kind = 'head' AND seq < ?",
            [self._run_id, before],
        )
        return rows[0]["seq"] or 0

    def files(self, whole: int, seq: int) -> list[bytes]:
        """Return the files at keyframe `whole`, which has all of them, then the changed ones up to
        `seq`; empty if `whole` does not have them."""
        rows = self._database.rows(
            "SELECT data FROM keyframes WHERE run_id = ? AND kind = 'tree' AND seq = ?",
            [self._run_id, whole],
        )
        if rows:
            rows += self._database.rows(
                "SELECT data FROM keyframes WHERE run_id = ? AND kind = 'files'"
                " AND seq > ? AND seq <= ? ORDER BY seq",
                [self._run_id, whole, seq],
            )
        return [row["data"] for row in rows]

    def markers(self, after: int = 0) -> list[MarkerRow]:
        """Return the markers after an event, in order."""
        rows = self._database.rows(
            "SELECT seq, t, kind, step FROM markers WHERE run_id = ? AND seq > ? ORDER BY seq",
            [self._run_id, after],
        )
        return [MarkerRow(**row) for row in rows]

    # --- items

    def items(self, first: int, last: int, seq: int) -> list[ItemRow]:
        """Return items `first` to `last` (exclusive) in their state at a keyframe."""
        rows = self._database.rows(
            "SELECT item, max(seq) AS seq, kind, number, compressed, data FROM keyframe_items"
            " WHERE run_id = ? AND item >= ? AND item < ? AND seq <= ? GROUP BY item",
            [self._run_id, first, last, seq],
        )
        return [ItemRow(**row) for row in rows]

    def which_of(self, items: tuple[int, int], seq: int) -> list[int]:
        """Return which of the two items existed at a keyframe."""
        rows = self._database.rows(
            "SELECT DISTINCT item FROM keyframe_items"
            " WHERE run_id = ? AND item IN (?, ?) AND seq <= ?",
            [self._run_id, *items, seq],
        )
        return [row["item"] for row in rows]

    def item_of(self, kind: str, number: int, seq: int) -> int | None:
        """Return the last item with a kind and number at a keyframe; None if there is none."""
        rows = self._database.rows(
            "SELECT max(item) AS item FROM keyframe_items"
            " WHERE run_id = ? AND kind = ? AND number = ? AND seq <= ?",
            [self._run_id, kind, number, seq],
        )
        return rows[0]["item"]

    def items_by_number(self, kind: str, seq: int) -> dict[int, int]:
        """Return the last item for each number of a kind, in the order in which the numbers
        appeared."""
        rows = self._database.rows(
            "SELECT number, max(item) AS item FROM keyframe_items"
            " WHERE run_id = ? AND kind = ? AND seq <= ? GROUP BY number ORDER BY min(item)",
            [self._run_id, kind, seq],
        )
        return {row["number"]: row["item"] for row in rows}

    # --- screens

    def screen(self, terminal: str, opened_seq: int, seq: int) -> tuple[int, bytes] | None:
        """Return the lines of scrollback and the bytes of a terminal at a keyframe, or None."""
        rows = self._database.rows(
            "SELECT history, data FROM keyframe_screens"
            " WHERE run_id = ? AND terminal = ? AND opened_seq = ? AND seq = ?",
            [self._run_id, terminal, opened_seq, seq],
        )
        return (int(rows[0]["history"]), rows[0]["data"]) if rows else None

    def screen_above(
        self, terminal: str, opened_seq: int, line: int, before: int
    ) -> tuple[int, bytes] | None:
        """Return the keyframe and bytes of a terminal's last screen before a line had scrolled off
        it."""
        rows = self._database.rows(
            "SELECT seq, data FROM keyframe_screens WHERE run_id = ? AND terminal = ?"
            " AND opened_seq = ? AND lines_scrolled <= ? AND seq < ?"
            " ORDER BY lines_scrolled DESC, seq DESC LIMIT 1",
            [self._run_id, terminal, opened_seq, line, before],
        )
        return (int(rows[0]["seq"]), rows[0]["data"]) if rows else None

    def next_screen(self, terminal: str, opened_seq: int, after: int) -> int | None:
        """Return the first keyframe of a terminal after an event; None if there is none."""
        rows = self._database.rows(
            "SELECT min(seq) AS seq FROM keyframe_screens"
            " WHERE run_id = ? AND terminal = ? AND opened_seq = ? AND seq > ?",
            [self._run_id, terminal, opened_seq, after],
        )
        return rows[0]["seq"]

    # --- writing

    def write(
        self,
        seq: int,
        parts: Iterable[tuple[str, bytes]],
        items: Iterable[ItemRow],
        screens: Iterable[ScreenRow],
        markers: Iterable[MarkerRow],
    ) -> None:
        """Store a keyframe, all of it or nothing.

        Args:
            seq: its number.
            parts: kind (`head`, `tree`, `files`) and bytes.
            items, screens, markers: rows that are new with it.

        Raises:
            StoreError: the write failed, or the session has been deleted.
        """
        run_id = self._run_id
        with self._database.transaction() as connection:
            if not connection.execute("SELECT 1 FROM runs WHERE id = ?", [run_id]).fetchone():
                raise StoreError(f"The session {run_id} has been deleted.")
            connection.executemany(
                "INSERT OR REPLACE INTO keyframe_items"
                " (run_id, item, seq, kind, number, compressed, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(run_id, *row) for row in items],
            )
            connection.executemany(
                "INSERT OR REPLACE INTO keyframe_screens"
                " (run_id, terminal, opened_seq, seq, lines_scrolled, history, data)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(run_id, *row) for row in screens],
            )
            connection.executemany(
                "INSERT OR REPLACE INTO keyframes (run_id, seq, kind, data) VALUES (?, ?, ?, ?)",
                [(run_id, seq, kind, data) for kind, data in parts],
            )
            connection.executemany(
                "INSERT OR REPLACE INTO markers (run_id, seq, t, kind, step)"
                " VALUES (?, ?, ?, ?, ?)",
                [(run_id, *row) for row in markers],
            )

    def clear(self) -> None:
        """Delete all keyframes and markers of the session.

        Raises:
            StoreError: the database cannot be written.
        """
        with self._database.transaction() as connection:
            for table in _TEMPORARY:
                connection.execute(f"DELETE FROM {table} WHERE run_id = ?", [self._run_id])

    def make_temporary(self) -> None:
        """Create temporary tables and copy this session's keyframes into them.

        Raises:
            StoreError: the database cannot be read, or there is no space for temporary tables.
        """
        with self._database.autocommit() as connection:
            for table, (columns, keys) in _TEMPORARY.items():
                _make_temporary(connection, table, columns, keys, self._run_id)


_TEMPORARY: dict[str, tuple[str, Sequence[str]]] = {
    "keyframes": ("run_id, seq, kind, data", ("run_id, kind, seq",)),
    "keyframe_items": (
        "run_id, item, seq, kind, number, compressed, data",
        ("run_id, item, seq", "run_id, kind, number, item, seq"),
    ),
    "keyframe_screens": (
        "run_id, terminal, opened_seq, seq, lines_scrolled, history, data",
        ("run_id, terminal, opened_seq, seq", "run_id, terminal, opened_seq, lines_scrolled, seq"),
    ),
    "markers": ("run_id, seq, t, kind, step", ("run_id, seq",)),
}
"""Tables with their columns, and the columns of each index."""


def _make_temporary(
    connection: Connection, table: str, columns: str, keys: Sequence[str], run_id: str
) -> None:
    connection.execute(
        f"CREATE TEMP TABLE IF NOT EXISTS {table} AS SELECT {columns} FROM main.{table} WHERE 0"
    )
    for number, key in enumerate(keys):
        connection.execute(
            f"CREATE INDEX IF NOT EXISTS temp.{table}_temporary_{number} ON {table} ({key})"
        )
    connection.execute(
        f"INSERT INTO temp.{table} ({columns}) SELECT {columns} FROM main.{table}"
        f" WHERE run_id = ?1 AND NOT EXISTS (SELECT 1 FROM temp.{table} WHERE run_id = ?1)",
        [run_id],
    )
