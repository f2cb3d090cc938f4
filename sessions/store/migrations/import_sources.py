"""Migration that records which file an imported session came from, and its format."""

from __future__ import annotations

from typing import Any


def import_sources(db: Any) -> None:
    """Add `imported_from`, the name of the file, and `import_format` to `runs`.

    For sessions imported earlier, they are taken from the documents that were kept with them; a
    bundle of such a session names the first file. Otherwise they are NULL.
    """
    for column in ("imported_from", "import_format"):
        db.conn.execute(f"ALTER TABLE runs ADD COLUMN {column} TEXT")
    db.conn.execute(
        "UPDATE runs SET (imported_from, import_format) ="
        " (SELECT name, format FROM source_documents WHERE run_id = runs.id)"
        " WHERE imported AND sandbox = 'imported'"
    )
