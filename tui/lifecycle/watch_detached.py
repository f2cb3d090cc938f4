"""Shows detached runs first: one, or several side by side."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.app import App

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions import RunRegistry, RunSummary

if TYPE_CHECKING:  # the screens are imported when they are shown
    from sandbox_tui.sessions.remote.run_handle import RunHandle


def in_place(begun: Sequence[RunHandle], worker: RunHandle | None) -> list[RunHandle]:
    """Return the runs that the program was started for, with this handle for its session."""
    return [worker if worker and one.run_id == worker.run_id else one for one in begun]


def watch_detached(
    app: App[int],
    runs: Sequence[RunSummary],
    workers: RunRegistry,
    complain: Callable[[str], None],
) -> list[RunHandle]:
    """Show detached runs and return them.

    Args:
        app: shows them.
        runs: the sessions; several are numbered in the order in which they were launched.
        workers: the runs of this program, and the store.
        complain: called with a sentence if an operation fails whose result nothing awaits.
    """
    from sandbox_tui.sessions.relations.running_summaries import up_to_now
    from sandbox_tui.sessions.remote.client import RunClient
    from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
    from sandbox_tui.tui.screens.wall.run_group import RunGroup, in_order_of_launch
    from sandbox_tui.tui.screens.wall.wall_screen import WallScreen

    with contextlib.suppress(StoreError):  # without it, less is known until they are attached to
        runs = up_to_now(workers.store, runs)
    if len(runs) == 1:
        client = RunClient(runs[0], workers.store, complain)
        app.push_screen(LiveScreen(client, workers.store, confirm_leave=False))
        return [client]
    group = RunGroup(in_order_of_launch(runs), workers)
    app.push_screen(WallScreen(workers, group, confirm_leave=True))  # one may be resumed here
    return [run for run in group.all.values() if isinstance(run, RunClient)]
