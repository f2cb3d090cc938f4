"""The original documents of imported sessions, stored whole since events do not hold all of
them."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.sessions.store.compression import compress, decompress
from sandbox_tui.sessions.store.errors import explained
from sandbox_tui.sessions.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """A document that a session was imported from.

    Attributes:
        format: name of its importer.
        name: of the file.
        fingerprint: of the events built from it (`fingerprint.fingerprint`).
        data: the document, byte for byte.
    """

    format: str
    name: str
    fingerprint: str
    data: bytes


def keep_source_document(store: Store, run_id: str, original: SourceDocument) -> None:
    """Store the document of a session.

    Raises:
        StoreError: the write failed.
    """
    compressed, data = compress(original.data)
    values = (original.format, original.name, original.fingerprint, compressed, data)
    with store.transaction() as connection:
        connection.execute(
            "INSERT INTO source_documents"
            " (run_id, format, name, events_fingerprint, compressed, data)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (run_id, *values),
        )


def source_document_of(store: Store, run_id: str) -> SourceDocument | None:
    """Return the document that a session was imported from; None if it was recorded here.

    Raises:
        StoreError: the database cannot be read.
    """
    for row in store.rows("SELECT * FROM source_documents WHERE run_id = ?", [run_id]):
        with explained(store.path):
            return SourceDocument(
                format=row["format"],
                name=row["name"],
                fingerprint=row["events_fingerprint"],
                data=decompress(row["compressed"], row["data"]),
            )
    return None


def runs_imported_from(store: Store, fingerprint: str) -> list[str]:
    """Return the ids of the sessions imported from a document with these events.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows(
        "SELECT run_id FROM source_documents WHERE events_fingerprint = ?", [fingerprint]
    )
    return [str(row["run_id"]) for row in rows]
