"""The screen of a sample: live if it can be watched, otherwise the end of its session's replay."""

from __future__ import annotations

from collections.abc import Callable

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.remote.run_handle import RunHandle
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.tui.screens.evals.source import EvalSource
from sandbox_tui.tui.textual_support.toasts import note_here


def screen_of(
    below: Screen[None],
    sample: SampleResult,
    source: EvalSource,
    store: Store,
    to_sample: Callable[[int], None] | None = None,
) -> Screen[None] | None:
    """Return the screen of a sample's session; None if it has none, which is said.

    For a sample that runs in a program that does not answer, the events recorded so far are shown.

    Args:
        below: the screen to open it from, which shows what there is to say.
        sample: the sample.
        source: of its evaluation.
        store: has the session.
        to_sample: shows the next sample without a right answer (1), or the previous one (-1).
    """
    worker: RunHandle | None = source.worker(sample)
    if worker is None and sample.status == "running" and is_detached(sample.run_id):
        worker = _attached(sample, store)
    if worker is not None:
        from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen

        return LiveScreen(worker, store, confirm_leave=False)
    from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen

    try:
        run, eval_id = store.run(sample.run_id), source.info.id
        replay = ReplayScreen(run, store, playing=False, eval_id=eval_id, to_sample=to_sample)
    except StoreError as error:  # deleted, or not started
        words = str(error) if sample.run_id else "This sample has no session yet."
        below.notify(sanitize_line(words), severity="error", markup=False)
        return None
    if sample.status == "running" and source.runner is None:
        activity = source.activity(sample)
        doing = "" if activity is None else f" ({activity.words})"
        words = f"It runs {source.program}{doing}; this is its recording so far."
        note_here(below, words)
    return replay


def _attached(sample: SampleResult, store: Store) -> RunHandle | None:
    from sandbox_tui.sessions.remote.client import RunClient

    try:
        return RunClient(store.run(sample.run_id), store)
    except StoreError:  # it has recorded nothing yet
        return None
