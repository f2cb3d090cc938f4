"""What the calls of a session that were cut off with its program had printed."""

from __future__ import annotations

from sandbox_tui.core.terminal.partial_output import partial_outputs
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.calls import first_unfinished_call


def cut_off_output(store: Store, run_id: str) -> dict[int, str]:
    """Return the lines that each started call without an observation has printed, by its number.

    Only the events from the first of these calls on are read. In a session that still runs, this
    is the running call.

    Raises:
        StoreError: the database cannot be read.
    """
    first = first_unfinished_call(store, run_id)
    return {} if first is None else partial_outputs(store.events(run_id, after=first))
