"""Exports a whole session to one `.sbx` file, which sandbox-tui can import (see
`bundle_format`)."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.base.errors import RequestRefused
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
from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording
from sandbox_tui.sessions.interchange.fingerprint import fingerprint
from sandbox_tui.sessions.interchange.imports.base import count_values
from sandbox_tui.sessions.store.compression import compress, decompress
from sandbox_tui.sessions.store.tables.source_documents import SourceDocument


def write(recording: Recording) -> Iterable[Part]:
    """Write the whole session, including file contents, as one SQLite file.

    Raises:
        RequestRefused: the session exceeds the limits of a bundle.
    """
    events, contents = with_contents(recording)
    original = recording.kept_original()
    _refuse_too_large(events, contents, original)
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("BEGIN")
        for statement in TABLES.values():
            db.execute(statement)
        about = {
            "format": str(FORMAT),
            "schema": str(e.SCHEMA_VERSION),
            "session": recording.summary.id,
            "events": str(len(events)),
            "fingerprint": fingerprint(events),
        }
        if recording.summary.title:
            about["title"] = recording.summary.title
        db.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        db.executemany(
            "INSERT INTO events VALUES (?, ?, ?)",
            ((event.seq, *compress(e.to_json(event))) for event in events),
        )
        db.executemany(
            "INSERT INTO contents VALUES (?, ?, ?)",
            ((digest(data), *compress(data)) for data in contents),
        )
        db.executemany("INSERT INTO tags VALUES (?)", ((tag,) for tag in recording.tags))
        db.executemany(
            "INSERT INTO notes VALUES (?, ?, ?)",
            ((note.step, note.text, note.written_at) for note in recording.notes),
        )
        if original is not None:
            values = (original.format, original.name, *compress(original.data))
            db.execute("INSERT INTO original VALUES (?, ?, ?, ?)", values)
        db.execute("COMMIT")
        return [Part(".sbx", db.serialize())]


def _refuse_too_large(
    events: Sequence[e.AnyEvent], contents: Sequence[bytes], original: SourceDocument | None
) -> None:
    size = sum(map(len, contents)) + (len(original.data) if original else 0)
    values = 0
    for event in events:
        data = e.to_json(event)
        size += len(data)
        values += count_values(data.decode())
    sizes = sum(isinstance(event, e.TerminalResized) for event in events)
    many = values > MAX_VALUES or len(events) > MAX_EVENTS or sizes > MAX_SIZES
    if many or size > MAX_UNPACKED_BYTES:
        raise RequestRefused(
            f"This session is too large for a bundle that can be read again: {len(events)} events, "
            f"{size >> 20} MiB, {sizes} changes of a terminal's size; at most {MAX_EVENTS}, "
            f"{MAX_UNPACKED_BYTES >> 20} MiB and {MAX_SIZES} are read. Export it as html or "
            "trajectory, or share the session database."
        )


def with_contents(recording: Recording) -> tuple[list[e.AnyEvent], list[bytes]]:
    """Return events and file contents; a content in which secrets were redacted gets a new
    digest."""
    contents: dict[str, bytes] = {}
    renamed: dict[str, str] = {}
    events: list[e.AnyEvent] = []
    for event in recording.events_with_output:
        if isinstance(event, e.FilesListed):
            files = _renamed(recording, event.files, contents, renamed)
            event = msgspec.structs.replace(event, files=files)
        elif isinstance(event, e.FilesChanged):
            changes = _renamed(recording, event.changes, contents, renamed)
            event = msgspec.structs.replace(event, changes=changes)
        events.append(event)
    return events, list(contents.values())


def _renamed(
    recording: Recording,
    changes: tuple[e.FileChange, ...],
    contents: dict[str, bytes],
    renamed: dict[str, str],
) -> tuple[e.FileChange, ...]:
    for change in changes:
        if change.blob is None or change.blob in renamed:
            continue
        data = recording.blob(change.blob)
        if data is not None:
            renamed[change.blob] = digest(data)
            contents[renamed[change.blob]] = data
    return tuple(
        change
        if change.blob is None
        else msgspec.structs.replace(change, blob=renamed.get(change.blob))
        for change in changes
    )


def unpack(data: bytes) -> Iterable[bytes]:
    """Yield the texts, events and file contents of a bundle that was just written; of terminal
    output and input, the bytes."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.deserialize(data)
        for statement in _TEXTS:
            yield from (text.encode() for (text,) in db.execute(statement))
        for packed in db.execute("SELECT packed, data FROM events ORDER BY seq"):
            line = decompress(*packed)
            event = e.from_json(line)
            yield event.data if isinstance(event, e.TerminalOutput | e.TerminalInput) else line
        for table in ("contents", "original"):
            for packed in db.execute(f"SELECT packed, data FROM {table}"):
                yield decompress(*packed)


_TEXTS = (
    "SELECT value FROM about",
    "SELECT tag FROM tags",
    "SELECT text FROM notes",
    "SELECT name FROM original",
)

EXPORTER = Exporter("bundle", "all of it, for another sandbox-tui", ".sbx", write, unpack)
