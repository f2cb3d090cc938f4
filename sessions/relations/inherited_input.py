"""The input of a fork: its sandbox began with the files of its parent, or of that one's parent."""

from __future__ import annotations

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store


def inherited_input(store: Store, run: RunSummary) -> str | None:
    """Return the host path that the nearest ancestor with an input had copied in; None without one.

    An imported ancestor ends the search, because a file from elsewhere must not decide what is
    copied in, and so does a deleted one.
    """
    seen = {run.id}
    while run.parent is not None and run.parent not in seen:
        seen.add(run.parent)
        try:
            run = store.run(run.parent, strict=True)
            first = store.events_at(run.id, [1]).get(1)
        except StoreError:
            return None
        if run.imported or not isinstance(first, e.RunStarted):
            return None
        if first.settings is not None and first.settings.input:
            return first.settings.input
    return None
