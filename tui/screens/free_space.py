"""Frees disk space after a deletion on a screen, and notifies the user."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.screen import Screen

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.maintenance import reclaim
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.textual_support.toasts import note_here

KEPT = "space is used again for new sessions."


async def free_space(
    screen: Screen[Any], store: Store, deleted: str, count: int, *, is_recording: bool
) -> None:
    """Return the space of deleted sessions to the disk, and remove their snapshots.

    Args:
        screen: where the user is notified.
        store: the store from which the sessions were deleted.
        deleted: a sentence about what was deleted.
        count: how many things it names.
        is_recording: whether runs are being recorded; if so, the file keeps its size.

    Raises:
        StoreError: the database cannot be read or written.
    """
    from sandbox_tui.sessions.recording.session_snapshots import remove_orphaned_snapshots

    freed = 0 if is_recording else await asyncio.to_thread(reclaim, store)
    problems = await asyncio.to_thread(remove_orphaned_snapshots, store)
    words = (
        f"{numbers.size(freed)} freed." if freed else f"{'Its' if count == 1 else 'Their'} {KEPT}"
    )
    note_here(screen, f"{deleted} {words}")
    for problem in problems:
        screen.notify(sanitize_line(problem), severity="warning", markup=False)
