"""Writes the pages of an evaluation's sessions to a folder next to its report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions.interchange.exports import Recording, html
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.sessions.store.store import Store

FOLDER = "sessions"
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,100}")


def session_link(run_id: str) -> str | None:
    """Return the link to the page of a session, relative to the report; None for an id that cannot
    be part of a file name."""
    return f"{FOLDER}/{run_id}.html" if _SAFE.fullmatch(run_id) else None


def write_session_pages(
    store: Store, run_ids: Iterable[str], folder: Path, redactor: Redactor | None = None
) -> Iterator[tuple[str, str]]:
    """Write the pages of sessions one by one; yields each session's id and link.

    Deleted and empty sessions are left out.

    Args:
        store: the database.
        run_ids: the sessions.
        folder: the folder of the report.
        redactor: blanks secrets.

    Raises:
        OSError: a page cannot be written.
    """
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    for run_id in dict.fromkeys(run_ids):
        link = session_link(run_id)
        if link is None:
            continue
        try:
            (page,) = html.write(Recording(store, run_id, redactor))
        except StoreError:
            continue
        (folder / link).write_bytes(page.data)
        yield run_id, link
