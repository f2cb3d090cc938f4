"""`.sbx`: everything of a session in one file, to be imported by somebody else. See `bundles`."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable

import msgspec

from ...core import events as e
from ...core.blobs import digest
from ..bundles import APPLICATION_ID, FORMAT, TABLES
from ..fingerprint import fingerprint
from ..packing import pack
from .base import Exporter, Part, Recording


def write(recording: Recording) -> Iterable[Part]:
    """See `Exporter`."""
    events, contents = _with_contents(recording)
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
            ((event.seq, *pack(e.to_json(event))) for event in events),
        )
        db.executemany(
            "INSERT INTO contents VALUES (?, ?, ?)",
            ((digest(data), *pack(data)) for data in contents),
        )
        db.executemany("INSERT INTO tags VALUES (?)", ((tag,) for tag in recording.tags))
        db.executemany(
            "INSERT INTO notes VALUES (?, ?, ?)",
            ((note.step, note.text, note.written_at) for note in recording.notes),
        )
        original = recording.kept_original()
        if original is not None:
            values = (original.format, original.name, *pack(original.data))
            db.execute("INSERT INTO original VALUES (?, ?, ?, ?)", values)
        db.execute("COMMIT")
        return [Part(".sbx", db.serialize())]


def _with_contents(recording: Recording) -> tuple[list[e.AnyEvent], list[bytes]]:
    """Events and contents of files; a content in which a secret was blanked has a new digest."""
    contents: dict[str, bytes] = {}
    renamed: dict[str, str] = {}
    events: list[e.AnyEvent] = []
    for event in recording.events:
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


EXPORTER = Exporter("bundle", "everything, for another sandbox-tui", write)
