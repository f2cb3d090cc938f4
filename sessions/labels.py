"""What people write on sessions: tags on the whole, notes on a step."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from ..core.errors import StoreError
from .store import Store

LONGEST_TAG = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A person's words on a step.

    Attributes:
        step: 0 for the session as a whole.
        written_at: seconds since the epoch.
    """

    id: int
    step: int
    text: str
    written_at: float


def add_tag(store: Store, run_id: str, tag: str) -> str:
    """Tag a session; returns the tag as it is kept: one lower-case word.

    Raises:
        StoreError: that is no tag, or it could not be written.
    """
    tag = "-".join(tag.lower().split())
    if not tag or len(tag) > LONGEST_TAG or not tag.isprintable():
        raise StoreError(f"A tag is one word of at most {LONGEST_TAG} characters.")
    store.run(run_id)
    with store.transaction() as connection:
        connection.execute("INSERT OR IGNORE INTO tags VALUES (?, ?)", [run_id, tag])
    return tag


def set_tags(store: Store, run_id: str, tags: Iterable[str]) -> None:
    """Let a session have these tags and no others.

    Raises:
        StoreError: one of them is no tag, or they could not be written; nothing was changed.
    """
    with store.transaction() as connection:
        connection.execute("DELETE FROM tags WHERE run_id = ?", [run_id])
        for tag in tags:
            add_tag(store, run_id, tag.removeprefix("#"))


def remove_tag(store: Store, run_id: str, tag: str) -> bool:
    """Take a tag away; False when the session had no such tag.

    Raises:
        StoreError: it could not be written.
    """
    with store.transaction() as connection:
        done = connection.execute("DELETE FROM tags WHERE run_id = ? AND tag = ?", [run_id, tag])
        return done.rowcount > 0


def tags_of(store: Store, run_id: str) -> list[str]:
    """A session's tags, sorted."""
    rows = store.rows("SELECT tag FROM tags WHERE run_id = ? ORDER BY tag", [run_id])
    return [str(row["tag"]) for row in rows]


def all_tags(store: Store) -> dict[str, list[str]]:
    """The tags of every session that has some, sorted.

    Raises:
        StoreError: the file cannot be read.
    """
    found: dict[str, list[str]] = {}
    for row in store.rows("SELECT run_id, tag FROM tags ORDER BY tag"):
        found.setdefault(str(row["run_id"]), []).append(str(row["tag"]))
    return found


def add_note(
    store: Store, run_id: str, step: int, text: str, *, written_at: float | None = None
) -> Note:
    """Write a note on a step.

    Raises:
        StoreError: it is empty, there is no such step, or it could not be written.
    """
    last = store.run(run_id).steps
    text = text.replace("\0", " ").encode("utf-8", "replace").decode()
    if not text.strip():
        raise StoreError("A note needs some words.")
    if not 0 <= step <= last:
        raise StoreError(f"There is no step {step}: this session has {last}.")
    at = time.time() if written_at is None else written_at
    with store.transaction() as connection:
        done = connection.execute(
            "INSERT INTO notes (run_id, step, text, written_at) VALUES (?, ?, ?, ?)",
            [run_id, step, text, at],
        )
        note = Note(id=done.lastrowid or 0, step=step, text=text, written_at=at)
        connection.execute(
            "INSERT INTO texts (run_id, seq, step, kind, body) VALUES (?, ?, ?, 'note', ?)",
            [run_id, -note.id, step, text],
        )
        return note


def change_note(store: Store, run_id: str, note: Note, text: str) -> None:
    """Put other words in a note's place; none: only take it away.

    Raises:
        StoreError: it could not be written; the note stays.
    """
    with store.transaction():
        remove_note(store, run_id, note.id)
        if text.strip():
            add_note(store, run_id, note.step, text)


def remove_note(store: Store, run_id: str, note: int) -> bool:
    """Delete a note; False when the session has no such note.

    Raises:
        StoreError: it could not be written.
    """
    with store.transaction() as connection:
        connection.execute("DELETE FROM texts WHERE run_id = ? AND seq = ?", [run_id, -note])
        done = connection.execute("DELETE FROM notes WHERE run_id = ? AND id = ?", [run_id, note])
        return done.rowcount > 0


def notes_of(store: Store, run_id: str) -> list[Note]:
    """A session's notes, by step."""
    rows = store.rows(
        "SELECT id, step, text, written_at FROM notes WHERE run_id = ? ORDER BY step, id", [run_id]
    )
    return [Note(**row) for row in rows]
