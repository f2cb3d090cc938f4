"""Forks of recorded sessions: planned from the stored events, run by a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from sandbox_tui.core.base.errors import ForkRefused
from sandbox_tui.core.base.tool_names import SUBMIT
from sandbox_tui.core.config.settings import Settings, snapshot_dir
from sandbox_tui.core.events import types as e
from sandbox_tui.core.lineage.fork_point import (
    BaseSnapshot,
    CommandReplay,
    ForkPoint,
    fork_point_at,
    resolve_position,
)
from sandbox_tui.core.lineage.open_fork import ForkRequest, open_fork, request_like_parent
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.sandboxes.snapshot_store import SnapshotStores, kind_of
from sandbox_tui.sessions.recording.run_worker import RunWorker
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store

COPY_BATCH_EVENTS = 500
"""Number of the parent's events that are read and written at a time."""


class ForkPlan:
    """A planned fork, for the user to review before it begins.

    Args:
        store: the database.
        parent: the session to fork.
        at: the fork point: the number of an event, or words for `resolve_position`.
        before_call: whether `call:7` means the position before the call.
        kind: the kind of sandbox to use; `auto` for any of which there is a snapshot.

    Attributes:
        fork_point: the position and the history taken over.
        base: the snapshot it starts from; None if there is none.
        repeats: recorded calls and commands that are run again.
        submitting_step: the step in which the parent submitted; 0 if it did not end so.

    Raises:
        ForkRefused: the session cannot be forked there.
        StoreError: the session cannot be read.
    """

    def __init__(
        self,
        store: Store,
        parent: RunSummary,
        at: int | str,
        *,
        before_call: bool = False,
        kind: str = "auto",
    ) -> None:
        events = list(store.events(parent.id, output=False))
        if not events:
            raise ForkRefused("This session is empty: there is nothing to fork.")
        seq = at if isinstance(at, int) else resolve_position(events, at, before_call=before_call)
        self.parent = parent
        self.fork_point: ForkPoint = fork_point_at(parent.id, events, seq)
        stored = SnapshotStores(snapshot_dir())
        self.base: BaseSnapshot | None = next(
            (
                base
                for base in self.fork_point.bases
                if kind in ("auto", kind_of(base.name)) and stored.exists(base.name)
            ),
            None,
        )
        self.submitting_step = _submitting_step(events) if parent.outcome == "submitted" else 0
        effects = self.fork_point.effects_since(self.base)
        self.repeats = [effect for effect in effects if isinstance(effect, CommandReplay)]

    @property
    def started(self) -> e.RunStarted:
        """The parent's `RunStarted`."""
        first = self.fork_point.history[0]
        if not isinstance(first, e.RunStarted):
            raise ForkRefused("This session does not record how it started.")
        return first

    @property
    def is_after_submit(self) -> bool:
        """Whether the model has submitted at the fork point, so that only a message gives it
        something else to do."""
        fork_point = self.fork_point
        return fork_point.next_call is None and 0 < self.submitting_step == fork_point.step

    @property
    def calls(self) -> list[e.ToolCall]:
        """The next call and those that were executed, the last one first."""
        events = reversed(self.fork_point.history)
        proposed = (event.call for event in events if isinstance(event, e.CallProposed))
        return [call for call in (self.fork_point.next_call, *proposed) if call is not None]

    @property
    def sentence(self) -> str:
        """Where the files come from, as a sentence for the user."""
        if self.base is None:
            start = "There is no snapshot: it starts from the recorded input"
        else:
            start = f"It starts from the snapshot after step {self.base.step}"
        if not self.repeats:
            return f"{start}; no calls have to be run again."
        one = len(self.repeats) == 1
        many = "one recorded call is" if one else f"{len(self.repeats)} recorded calls are"
        return f"{start}, and {many} run again."

    def request(self, settings: Settings, overrides: Mapping[str, Any]) -> RunRequest:
        """Return the parent's request with the user's changes; see `request_like_parent`."""
        return request_like_parent(
            self.started, settings, overrides, trusted=not self.parent.imported
        )


def _submitting_step(events: Sequence[e.AnyEvent]) -> int:
    calls = [x.call for x in events if isinstance(x, e.CallProposed)]
    return calls[-1].step if calls and calls[-1].name == SUBMIT else 0


class ForkWorker(RunWorker):
    """A worker whose run continues from the middle of another session.

    Watchers see the copied history first, then the new events.

    Args:
        plan: the planned fork.
        request: of the new run.
        store: the database with the parent, and for the fork.
    """

    def __init__(self, plan: ForkPlan, request: ForkRequest, store: Store) -> None:
        super().__init__(request.run, store)
        self._plan = plan
        self._run_request = request
        self._storing: asyncio.Future[None] | None = None

    async def _open(self) -> Run:
        blobs = self._store.blobs(self.run_id)
        plan = self._plan
        run, self._history = await open_fork(
            plan.fork_point, plan.base, self._run_request, self.run_id, blobs
        )
        self._storing = asyncio.ensure_future(
            asyncio.to_thread(
                copy_history, self._store, plan.fork_point.parent, self.run_id, self._history
            )
        )
        await asyncio.shield(self._storing)
        return run

    async def _cleanup(self) -> None:
        """Delete a fork that could not begin."""
        if self._storing is None or self.state.seq:
            return
        await asyncio.wait([self._storing])  # its thread continues even if the run has ended
        if self._storing.exception() is None:
            await asyncio.to_thread(self._store.delete, self.run_id)


def copy_history(store: Store, parent: str, run_id: str, events: Sequence[e.AnyEvent]) -> None:
    """Store the first part of a fork: its parent's events, and references to their file contents.

    Args:
        store: the database.
        parent: the parent's session.
        run_id: the fork's session.
        events: the parent's, adapted for the fork. Their terminal output comes without bytes, which
            are read here, a page at a time.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction():
        for at in range(0, len(events), COPY_BATCH_EVENTS):
            batch = events[at : at + COPY_BATCH_EVENTS]
            store.append(run_id, list(_with_output(store, parent, batch)))
        store.put_blobs_of(run_id, parent)


def _with_output(store: Store, parent: str, batch: Sequence[e.AnyEvent]) -> Iterator[e.AnyEvent]:
    stored = store.events(parent, after=batch[0].seq - 1, until=batch[-1].seq)
    written = {x.seq: x.data for x in stored if isinstance(x, e.TerminalOutput)}
    for event in batch:
        if isinstance(event, e.TerminalOutput):
            event = msgspec.structs.replace(event, data=written[event.seq])
        yield event
