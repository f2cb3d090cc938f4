"""The `.sbx` format: one session in its own SQLite file, with a digest for each part.

A bundle holds everything that the session database knows about the session. Importers treat it as
untrusted.
"""

from __future__ import annotations

APPLICATION_ID = 0x53425831
"""`SBX1`, at offset 68 of the file (sqlite.org/fileformat2.html)."""

FORMAT = 1

MAX_EVENTS = 2_000_000

MAX_SIZES = 5_000
"""Maximum number of resizes of all terminals together; each one reflows a whole screen."""

MAX_UNPACKED_BYTES = 512 << 20
"""Maximum size of all rows together, unpacked: an import holds all of them in memory before it
writes. Larger bundles are neither written nor read."""

MAX_VALUES = 10_000_000
"""Maximum number of values in all events together."""

TABLES: dict[str, str] = {
    "about": "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "events": "CREATE TABLE events (seq INTEGER PRIMARY KEY, packed INTEGER NOT NULL,"
    " data BLOB NOT NULL)",
    "contents": "CREATE TABLE contents (digest TEXT PRIMARY KEY, packed INTEGER NOT NULL,"
    " data BLOB NOT NULL) WITHOUT ROWID",
    "tags": "CREATE TABLE tags (tag TEXT PRIMARY KEY) WITHOUT ROWID",
    "notes": "CREATE TABLE notes (step INTEGER NOT NULL, text TEXT NOT NULL,"
    " written_at REAL NOT NULL)",
    "original": "CREATE TABLE original (format TEXT NOT NULL, name TEXT NOT NULL,"
    " packed INTEGER NOT NULL, data BLOB NOT NULL)",
}
"""The file may contain nothing else: no views, triggers or indexes."""
