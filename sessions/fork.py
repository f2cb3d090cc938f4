"""Forks of saved sessions: planned from what is stored, run by a worker of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ..core import events as e
from ..core.config import Settings
from ..core.errors import ForkRefused
from ..core.fork import Base, Parting, Repeat, part, seq_at
from ..core.fork_launch import ForkRequest, open_fork, request_like
from ..core.launch import RunRequest
from ..core.run import Run
from ..core.sandboxes.kept_snapshots import kind_of, stands
from .store import Store
from .summary import RunSummary
from .worker import Worker


class Plan:
    """A fork as it would be: what a person is shown before it is begun.

    Args:
        store: where the parent is.
        parent: the session.
        at: the moment: the number of an event, or words as in `core.fork.seq_at`.
        before_call: `call:7` means the moment before it.
        kind: the kind of sandbox it shall have; auto: whatever there is a snapshot of.

    Attributes:
        parting: the moment and what is taken over.
        base: the snapshot it begins from; None where none stands.
        repeats: the recorded calls and commands that are carried out again.

    Raises:
        ForkRefused: nothing can be forked from there.
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
        events = list(store.events(parent.id))
        if not events:
            raise ForkRefused("This session is empty: there is nothing to fork.")
        seq = at if isinstance(at, int) else seq_at(events, at, before_call=before_call)
        self.parent = parent
        self.parting: Parting = part(parent.id, events, seq)
        self.base: Base | None = next(
            (
                base
                for base in self.parting.bases
                if kind in ("auto", kind_of(base.name)) and stands(base.name)
            ),
            None,
        )
        deeds = self.parting.deeds_since(self.base)
        self.repeats = [deed for deed in deeds if isinstance(deed, Repeat)]

    @property
    def started(self) -> e.RunStarted:
        """The parent's beginning."""
        first = self.parting.history[0]
        if not isinstance(first, e.RunStarted):
            raise ForkRefused("This session does not say how it began.")
        return first

    @property
    def sentence(self) -> str:
        """Where the files will come from, for the person who decides."""
        if self.base is None:
            start = "No snapshot stands: it begins with the recorded input"
        else:
            start = f"It begins from the snapshot after step {self.base.step}"
        if not self.repeats:
            return f"{start}; nothing has to be repeated."
        one = len(self.repeats) == 1
        many = "one recorded call is" if one else f"{len(self.repeats)} recorded calls are"
        return f"{start}, and {many} carried out again."

    def request(self, settings: Settings, overrides: Mapping[str, Any]) -> RunRequest:
        """What the parent was asked for, changed as a person says; see `request_like`."""
        return request_like(self.started, settings, overrides, trusted=not self.parent.imported)


class ForkWorker(Worker):
    """A worker whose run goes on from the middle of another session; see `Worker`.

    Whoever watches it sees what it took over first, and then what comes.

    Args:
        plan: the moment.
        request: what is asked of it.
        store: where parent and fork are kept.
    """

    def __init__(self, plan: Plan, request: ForkRequest, store: Store) -> None:
        super().__init__(request.run, store)
        self._plan = plan
        self._asked = request
        self._taken_over: list[e.AnyEvent] = []

    async def _open(self) -> Run:
        blobs = self._store.blobs(self.run_id)
        plan = self._plan
        run, self._taken_over = await open_fork(
            plan.parting, plan.base, self._asked, self.run_id, blobs
        )
        await asyncio.to_thread(
            take_over, self._store, plan.parting.parent, self.run_id, self._taken_over
        )
        return run

    async def _show(self, event: e.AnyEvent) -> None:
        before, self._taken_over = self._taken_over, []
        for earlier in before:
            await super()._show(earlier)
        await super()._show(event)

    async def _put_away(self) -> None:
        """A fork that could not begin leaves nothing behind."""
        if not self.state.seq:
            await asyncio.to_thread(self._store.delete, self.run_id)


def take_over(store: Store, parent: str, run_id: str, events: list[e.AnyEvent]) -> None:
    """Store a fork's beginning: its parent's events, and a hold on the contents they name.

    Raises:
        StoreError: it could not be written.
    """
    with store.transaction() as connection:
        store.append(run_id, events)
        connection.execute(
            "INSERT OR IGNORE INTO run_blobs SELECT ?, digest FROM run_blobs WHERE run_id = ?",
            [run_id, parent],
        )
