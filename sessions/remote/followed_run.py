"""Runs that go on in other programs, also in one that does not answer for them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from typing import TYPE_CHECKING

from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.sessions.relations.running_summaries import up_to_now
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.recorded_run import RecordedRun
from sandbox_tui.sessions.remote.sockets import is_served
from sandbox_tui.sessions.store.tables.event_pages import stored_events
from sandbox_tui.sessions.store.tables.runs import unfinished_among

if TYPE_CHECKING:
    from sandbox_tui.sessions.remote.run_handle import FoldedRun, RunHandle
    from sandbox_tui.sessions.store.run_summary import RunSummary
    from sandbox_tui.sessions.store.store import Store


class FollowedRun(RecordedRun):
    """A recorded run shown in full, with all that its terminals have printed; if its record cannot
    be read any more, `failure` says why."""

    failure: SandboxTuiError | None

    @property
    @override
    def audience(self) -> str:
        """That this screen can only watch, as long as the run goes on."""
        return "" if self.ended.is_set() else "watching"

    @override
    def stored_after(self, seq: int) -> AsyncGenerator[e.AnyEvent]:
        return stored_events(self._store, self.run_id, seq)

    @override
    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        try:
            async for event in super().watch():
                yield event
        except SandboxTuiError as error:
            self.failure = error
            self.ended.set()


def follow_elsewhere(run: RunSummary, store: Store) -> RunHandle:
    """Return a run of another program, which may have ended by now: steered from here if that
    program answers, else watched."""
    if run.outcome == "running" and is_served(run.id):
        return RunClient(run, store)
    return FollowedRun(run, store)


def going_on_elsewhere(
    runs: Iterable[FoldedRun], store: Store
) -> list[tuple[FoldedRun, RunClient | RecordedRun]]:
    """Return which of the runs of a wall have another handle from now on: whose program had exited
    and that another resumed since, those that had ended and that another program goes on with, and
    those whose program has begun to answer for them. Blocks.

    Raises:
        StoreError: the database cannot be read.
    """
    runs = list(runs)
    over = [run.run_id for run in runs if _can_go_on(run)]
    resumed = unfinished_among(store, over) if over else set[str]()
    found: list[tuple[FoldedRun, RunClient | RecordedRun]] = []
    for run in runs:
        now = (_resumed if run.run_id in resumed else _another_handle)(run, store)
        found += [(run, now)] if now is not None else []
    return found


def _can_go_on(run: FoldedRun) -> bool:
    """Return whether a run has ended so that any program can resume it."""
    finished = run.state.finished
    return run.ended.is_set() and finished is not None and finished.reason in e.RESUMABLE


def _resumed(run: FoldedRun, store: Store) -> RunClient | RecordedRun | None:
    """Return the handle of a run that has been resumed; None if that program is gone, too."""
    (summary,) = up_to_now(store, [store.run(run.run_id, strict=True)])
    if summary.outcome != "running":
        return None
    return RunClient(summary, store) if is_served(run.run_id) else RecordedRun(summary, store)


def _another_handle(run: FoldedRun, store: Store) -> RunClient | RecordedRun | None:
    has_exited = isinstance(run.failure, ProgramExited)
    if not has_exited and not (isinstance(run, RecordedRun) and run.goes_on):
        return None
    answers = is_served(run.run_id)
    if not has_exited and not answers:
        return None
    (summary,) = up_to_now(store, [store.run(run.run_id, strict=True)])
    if summary.outcome == "running" and answers:
        return RunClient(summary, store)
    is_news = has_exited and summary.outcome != "interrupted"
    return RecordedRun(summary, store) if is_news else None
