"""Lists snapshots with their sizes, and prunes them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.config.settings import snapshot_dir
from sandbox_tui.core.sandboxes.base import StoredSnapshot
from sandbox_tui.core.sandboxes.snapshot_store import SnapshotStores
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.session_snapshots import (
    remove_orphaned_snapshots,
    snapshot_inventory,
)
from sandbox_tui.tui.cli.settings.confirm import confirm
from sandbox_tui.tui.format import numbers


def print_snapshots(store: Store, *, as_json: bool) -> None:
    """Print one line per snapshot: session, size, name."""
    found = snapshot_inventory(store)
    for one in [*found.own, *found.orphaned]:
        if as_json:
            fields = {"session": one.session, "name": one.name, "kind": one.kind, "size": one.size}
            click.echo(json.dumps(fields))
        else:
            note = "  (session deleted)" if one in found.orphaned else ""
            size = numbers.size(one.size)
            click.echo(f"{one.session}  {size:>8}  {sanitize_line(one.name)}{note}")
    if as_json:
        return
    total = numbers.size(sum(one.size for one in found.own))
    click.echo(f"{_count(found.own)}, {total}" if found.own else "There are no snapshots.")
    if found.foreign_count:
        click.echo(f"{found.foreign_count} more belong to sessions that are not in this database.")
    if found.problem:
        click.echo(f"Container snapshots are not listed: {found.problem}")


def prune(store: Store, sessions: Sequence[str] | None, *, ask: bool) -> bool:
    """Remove the snapshots of deleted sessions, and those of `sessions`, or of all if it is None.

    Returns:
        False if some could not be removed.
    """
    found = snapshot_inventory(store)
    chosen = [one for one in found.own if sessions is None or one.session in sessions]
    if chosen and ask:
        total = numbers.size(sum(one.size for one in chosen))
        confirm(f"Remove {_count(chosen)} ({total})?", "Nothing was removed")
    problems = [
        *remove_orphaned_snapshots(store),
        *SnapshotStores(snapshot_dir()).remove_all(chosen),
    ]
    for problem in problems:
        click.echo(f"sandbox-tui: {sanitize(problem)}", err=True)
    click.echo(
        f"{_count([*found.orphaned, *chosen])} removed"
        if not problems
        else "some could not be removed"
    )
    return not problems


def _count(snapshots: Sequence[StoredSnapshot]) -> str:
    return "1 snapshot" if len(snapshots) == 1 else f"{len(snapshots)} snapshots"
