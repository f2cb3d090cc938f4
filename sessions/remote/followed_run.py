"""A run that goes on in another program without answering for it, followed by its record."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.recorded_run import RecordedRun
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.sessions.store.tables.event_pages import stored_events

if TYPE_CHECKING:
    from sandbox_tui.sessions.remote.run_handle import RunHandle
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
    if run.outcome == "running" and is_detached(run.id):
        return RunClient(run, store)
    return FollowedRun(run, store)
