"""Frees space after a deletion on the command line."""

from __future__ import annotations

import click

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.session_snapshots import remove_orphaned_snapshots
from sandbox_tui.sessions.store.maintenance import reclaim


def free_space(store: Store) -> None:
    """Return the space of deleted sessions to the disk and remove their snapshots.

    Prints what could not be removed.

    Raises:
        StoreError: the database cannot be read or written.
    """
    reclaim(store)
    for problem in remove_orphaned_snapshots(store):
        click.echo(f"sandbox-tui: {problem}", err=True)
