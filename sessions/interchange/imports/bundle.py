"""Imports `.sbx` bundles, which are untrusted SQLite files (see `bundle_format`).

The file is opened read-only with SQLite's own defences enabled: its schema is not trusted,
extensions are off, lengths and the work of one query are bounded. Every digest is verified.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.base.errors import ImportRefused
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.interchange.bundle_format import (
    APPLICATION_ID,
    FORMAT,
    MAX_EVENTS,
    MAX_SIZES,
    MAX_UNPACKED_BYTES,
    MAX_VALUES,
    TABLES,
)
from sandbox_tui.sessions.interchange.fingerprint import fingerprint
from sandbox_tui.sessions.interchange.imports.base import (
    Imported,
    Importer,
    Opened,
    check_numbers,
    count_values,
)
from sandbox_tui.sessions.store.tables.source_documents import SourceDocument

MAX_ROW_BYTES = 80 << 20
"""Maximum size of a row, unpacked; the largest is the document that a session was imported from."""

MAX_SQL_STEPS = 200_000_000
"""Maximum number of steps of SQLite's virtual machine for one read."""

_LARGE_NUMBER = re.compile(rb"[0-9]{12}|[0-9][eE]")
"""Matches anything that may be part of a number that is too large; matches in text are harmless."""

VERBATIM_FIELDS = ("message", "model_params")
"""Event fields kept exactly as a server sent them; no code calculates with them."""

_ID = re.compile(r"\d{8}-\d{6}-[a-z0-9]{5}\Z")


def recognises(opened: Opened) -> bool:
    """Return whether a file has this format."""
    return opened.is_database


def read(opened: Opened) -> Sequence[Imported]:
    """Return the sessions in a file.

    Raises:
        ImportRefused: the file cannot be used; the message says why.
    """
    name = opened.source.name
    try:
        with contextlib.closing(_open(opened.source.path)) as db:
            _check_file(db, name)
            return [_session(db, name)]
    except (sqlite3.Error, zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ImportRefused(f"{name} is damaged: {error}.") from error


def _open(path: Path) -> sqlite3.Connection:
    """Open the file and ignore any log next to it, since anyone may have put it there."""
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES)
    db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    db.execute("PRAGMA mmap_size = 0")
    left = [MAX_SQL_STEPS // 10_000]

    def over() -> int:
        left[0] -= 1
        return left[0] < 0

    db.set_progress_handler(over, 10_000)
    return db


def _check_file(db: sqlite3.Connection, name: str) -> None:
    if _one(db, "PRAGMA application_id") != APPLICATION_ID:
        raise ImportRefused(f"{name} is a database, but not a bundle of sandbox-tui.")
    found = db.execute("SELECT type, name, sql FROM sqlite_master LIMIT 50").fetchall()
    if sorted(found) != sorted(("table", name, sql) for name, sql in TABLES.items()):
        raise ImportRefused(f"{name} is damaged: it does not have the tables of a bundle.")
    result = _one(db, "PRAGMA quick_check(1)")
    if result != "ok":
        raise ImportRefused(f"{name} is damaged: {result}.")


def _one(db: sqlite3.Connection, query: str) -> Any:
    row = db.execute(query).fetchone()
    return row[0] if row else None


def _session(db: sqlite3.Connection, name: str) -> Imported:
    about = {
        str(key): str(value) for key, value in db.execute("SELECT name, value FROM about LIMIT 100")
    }
    for field, known in (("format", FORMAT), ("schema", e.SCHEMA_VERSION)):
        version = about.get(field, "")
        if not version.isascii() or not version.isdigit() or len(version) > 6:
            raise ImportRefused(f"{name} is damaged: its {field} is missing.")
        if int(version) > known:
            raise ImportRefused(f"{name} was written by a newer sandbox-tui. Upgrade the program.")
    if cast(int, _one(db, "SELECT count(*) FROM events")) > MAX_EVENTS:
        raise ImportRefused(f"{name} has more than {MAX_EVENTS} events.")
    budget = [MAX_UNPACKED_BYTES]
    events = _events(db, name, budget)
    if fingerprint(events) != about.get("fingerprint"):
        raise ImportRefused(f"{name} is damaged: its events have changed since it was written.")
    contents: list[bytes] = []
    for expected, data in _rows(db, "SELECT digest, packed, data FROM contents", budget):
        if digest(data) != expected:
            raise ImportRefused(f"{name} is damaged: the content of a file in it has changed.")
        contents.append(data)
    run_id = about.get("session", "")
    return Imported(
        events=events,
        contents=contents,
        original=_original(db, events, budget),
        run_id=run_id if _ID.match(run_id) else None,
        title=about.get("title", "")[:500] or None,
        tags=[str(row[0]) for row in db.execute("SELECT tag FROM tags LIMIT 1000")],
        notes=[
            (int(step), str(text), float(at))
            for step, text, at in db.execute("SELECT * FROM notes LIMIT 100000")
        ],
    )


def _events(db: sqlite3.Connection, name: str, budget: list[int]) -> list[e.AnyEvent]:
    events: list[e.AnyEvent] = []
    values = 0
    for _, data in _rows(db, "SELECT seq, packed, data FROM events", budget):
        values += count_values(data.decode())
        if values > MAX_VALUES:
            raise ImportRefused(f"{name} holds more than {MAX_VALUES} values.")
        if _LARGE_NUMBER.search(data):
            fields: dict[str, Any] = msgspec.json.decode(data)
            check_numbers({k: v for k, v in fields.items() if k not in VERBATIM_FIELDS})
        events.append(e.from_json(data))
    if sum(isinstance(event, e.TerminalResized) for event in events) > MAX_SIZES:
        raise ImportRefused(f"{name} changes the size of terminals more than {MAX_SIZES} times.")
    return events


def _original(
    db: sqlite3.Connection, events: Sequence[e.AnyEvent], budget: list[int]
) -> SourceDocument | None:
    row = db.execute("SELECT format, name FROM original").fetchone()
    if row is None:
        return None
    _, data = next(_rows(db, "SELECT 0, packed, data FROM original", budget))
    return SourceDocument(
        format=str(row[0]), name=str(row[1]), fingerprint=fingerprint(events), data=data
    )


def _rows(db: sqlite3.Connection, query: str, budget: list[int]) -> Iterator[tuple[Any, bytes]]:
    """Yield the first column and the decompressed data of each row, in order."""
    for key, packed, data in db.execute(f"{query} ORDER BY 1"):
        if not isinstance(data, bytes):
            raise ImportRefused("The bundle is damaged: it has text where bytes should be.")
        if packed:
            unpacker = zlib.decompressobj()
            data = unpacker.decompress(data, min(MAX_ROW_BYTES, max(1, budget[0])))
            if not unpacker.eof:
                raise ImportRefused(
                    "The bundle is damaged, or too large: a row cannot be unpacked."
                )
        budget[0] -= len(data)
        if budget[0] < 0:
            raise ImportRefused(
                f"The bundle is too large: it unpacks to over {MAX_UNPACKED_BYTES} bytes."
            )
        yield key, data


IMPORTER = Importer(
    name="a bundle of sandbox-tui (.sbx)",
    short="bundle",
    lacks="",
    recognises=recognises,
    read=read,
)
