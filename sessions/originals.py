"""The documents that sessions were imported from, kept whole: what our events cannot hold stays."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import explained
from .packing import pack, unpack
from .store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A document from which a session was made.

    Attributes:
        format: name of its format, as the importers have it.
        name: of the file.
        fingerprint: of the events that were made of it (`fingerprint.fingerprint`).
        data: the document, byte for byte.
    """

    format: str
    name: str
    fingerprint: str
    data: bytes


def keep_original(store: Store, run_id: str, original: Original) -> None:
    """Keep the document of a session.

    Raises:
        StoreError: it could not be written.
    """
    packed, data = pack(original.data)
    values = (original.format, original.name, original.fingerprint, packed, data)
    with store.transaction() as connection:
        connection.execute("INSERT INTO originals VALUES (?, ?, ?, ?, ?, ?)", (run_id, *values))


def original_of(store: Store, run_id: str) -> Original | None:
    """The document a session was made from, None where it was recorded here.

    Raises:
        StoreError: the file cannot be read.
    """
    for row in store.rows("SELECT * FROM originals WHERE run_id = ?", [run_id]):
        with explained(store.path):
            return Original(
                format=row["format"],
                name=row["name"],
                fingerprint=row["digest"],
                data=unpack(row["packed"], row["data"]),
            )
    return None
