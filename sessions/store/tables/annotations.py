"""The user's annotations: tags on sessions, notes on steps."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass

from sandbox_tui.core.base.errors import RequestRefused
from sandbox_tui.sessions.store.store import Store

MAX_TAG_CHARS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note on a step.

    Attributes:
        step: number of the step; 0 for the whole session.
        written_at: seconds since the epoch.
    """

    id: int
    step: int
    text: str
    written_at: float


def noted_on(note: Note) -> str:
    """Return what a note is on, such as `step 3`."""
    return f"step {note.step}" if note.step else "session"


def add_tag(store: Store, run_id: str, tag: str) -> str:
    """Tag a session; return the tag as stored: one lower-case word.

    Raises:
        RequestRefused: the tag is not valid.
        StoreError: the write failed.
    """
    tag = _as_stored(tag)
    if not tag or len(tag) > MAX_TAG_CHARS or not tag.isprintable():
        raise RequestRefused(f"A tag is one word of at most {MAX_TAG_CHARS} characters.")
    store.run(run_id)
    with store.transaction() as connection:
        connection.execute("INSERT OR IGNORE INTO tags (run_id, tag) VALUES (?, ?)", [run_id, tag])
    return tag


def _as_stored(tag: str) -> str:
    return "-".join(tag.lower().replace(",", " ").split()).lstrip("#")


def split_tags(text: str) -> list[str]:
    """Split tags separated by spaces or commas."""
    return [word for word in re.split(r"[\s,]+", text) if word.strip("#")]


def set_tags(store: Store, run_id: str, tags: Iterable[str]) -> None:
    """Replace the tags of a session.

    Raises:
        RequestRefused: a tag is not valid; nothing was changed.
        StoreError: the write failed; nothing was changed.
    """
    with store.transaction() as connection:
        connection.execute("DELETE FROM tags WHERE run_id = ?", [run_id])
        for tag in tags:
            add_tag(store, run_id, tag)


def remove_tag(store: Store, run_id: str, tag: str) -> bool:
    """Remove a tag, spelt as in `add_tag`; return False if the session had no such tag.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        done = connection.execute(
            "DELETE FROM tags WHERE run_id = ? AND tag = ?", [run_id, _as_stored(tag)]
        )
        return done.rowcount > 0


def tags_of(store: Store, run_id: str) -> list[str]:
    """Return a session's tags, sorted."""
    rows = store.rows("SELECT tag FROM tags WHERE run_id = ? ORDER BY tag", [run_id])
    return [str(row["tag"]) for row in rows]


def all_tags(store: Store) -> dict[str, list[str]]:
    """Return the tags of every tagged session, sorted.

    Raises:
        StoreError: the database cannot be read.
    """
    found: dict[str, list[str]] = {}
    for row in store.rows("SELECT run_id, tag FROM tags ORDER BY tag"):
        found.setdefault(str(row["run_id"]), []).append(str(row["tag"]))
    return found


def titles_of(store: Store, run_ids: Iterable[str]) -> dict[str, str]:
    """Return the titles that the user gave these sessions, by session.

    Raises:
        StoreError: the database cannot be read.
    """
    wanted = list(run_ids)
    marks = ", ".join("?" * len(wanted))
    where = f"id IN ({marks}) AND title IS NOT NULL"
    rows = store.rows(f"SELECT id, title FROM runs WHERE {where}", wanted)
    return {str(row["id"]): str(row["title"]) for row in rows}


def add_note(
    store: Store, run_id: str, step: int, text: str, *, written_at: float | None = None
) -> Note:
    """Add a note to a step.

    Raises:
        RequestRefused: the text is empty, or there is no such step.
        StoreError: the write failed.
    """
    last = store.run(run_id).steps
    text = text.replace("\0", " ").encode("utf-8", "replace").decode()
    if not text.strip():
        raise RequestRefused("A note cannot be empty.")
    if not 0 <= step <= last:
        raise RequestRefused(f"There is no step {step}: the last step of this session is {last}.")
    at = time.time() if written_at is None else written_at
    with store.transaction() as connection:
        done = connection.execute(
            "INSERT INTO notes (run_id, step, text, written_at) VALUES (?, ?, ?, ?)",
            [run_id, step, text, at],
        )
        return Note(id=done.lastrowid or 0, step=step, text=text, written_at=at)


def edit_note(store: Store, run_id: str, note: Note, text: str) -> None:
    """Replace the text of a note; an empty text deletes the note.

    Raises:
        StoreError: the write failed; the note is unchanged.
    """
    with store.transaction():
        remove_note(store, run_id, note.id)
        if text.strip():
            add_note(store, run_id, note.step, text)


def remove_note(store: Store, run_id: str, note: int) -> bool:
    """Delete a note; return False if the session has no such note.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        done = connection.execute("DELETE FROM notes WHERE run_id = ? AND id = ?", [run_id, note])
        return done.rowcount > 0


def notes_of(store: Store, run_id: str) -> list[Note]:
    """Return a session's notes, in the order of their steps."""
    rows = store.rows(
        "SELECT id, step, text, written_at FROM notes WHERE run_id = ? ORDER BY step, id", [run_id]
    )
    return [Note(**row) for row in rows]
