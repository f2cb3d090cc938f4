"""Takes a run up whose program is gone: its record, its sandbox, and the right to both."""

from __future__ import annotations

import asyncio

from ..core import events as e
from ..core.config import Settings
from ..core.errors import ResumeRefused
from ..core.fork import unprepared
from ..core.past import past_of
from ..core.processes import Owner
from ..core.resume import NOT_RECORDED, open_again, request_again
from ..core.run import Run
from .store import Store
from .summary import RunSummary
from .worker import Worker


class ResumedWorker(Worker):
    """A worker that goes on with a session that was interrupted; see `Worker`.

    Whoever watches it sees all that was stored first, and then what comes.

    Args:
        run: the session.
        settings: of today, for what is not recorded.
        store: where it is kept.

    Raises:
        ResumeRefused: it cannot be taken up, saying why.
    """

    def __init__(self, run: RunSummary, settings: Settings, store: Store) -> None:
        if problem := problem_with(run):
            raise ResumeRefused(problem)
        first = next(store.events(run.id, until=1), None)
        if not isinstance(first, e.RunStarted):
            raise ResumeRefused(NOT_RECORDED)
        super().__init__(request_again(first, settings), store, run.id)
        self._before: list[e.AnyEvent] = []
        self._owner: Owner | None = None

    async def _open(self) -> Run:
        self._owner = await asyncio.to_thread(claim, self._store, self.run_id)
        self._before = await asyncio.to_thread(lambda: list(self._store.events(self.run_id)))
        past = await asyncio.to_thread(past_of, self._before)
        if past is None:
            raise ResumeRefused(NOT_RECORDED)
        if unprepared(self._before):
            at = past.started.parent_seq
            raise ResumeRefused(
                "This fork's program ended while its sandbox was still being brought to the moment "
                f"of the fork. `sandbox-tui fork {self.run_id} --at seq:{at}` begins it anew."
            )
        return open_again(past, self.request, self._store.blobs(self.run_id))

    async def _show(self, event: e.AnyEvent) -> None:
        before, self._before = self._before, []
        for earlier in before:
            await super()._show(earlier)
        await super()._show(event)

    async def _put_away(self) -> None:
        """A session that could not be taken up stays as it was, for another try."""
        if self._owner is not None and not self.state.seq:
            await asyncio.to_thread(own, self._store, self.run_id, self._owner)


def problem_with(run: RunSummary) -> str:
    """Why a session cannot be taken up, as a sentence, as far as its record tells; else empty."""
    if run.imported:
        return "This session was recorded elsewhere: it can be replayed, and forked."
    if run.outcome == "running":
        return "This session is still running in another program."
    if run.outcome != "interrupted":
        ended = run.outcome.replace("_", " ")
        return f"This session has ended ({ended}): there is nothing to take up. It can be replayed."
    return ""


def claim(store: Store, run_id: str) -> Owner:
    """Make a session whose program is gone this program's; the owner before.

    Raises:
        ResumeRefused: it has ended, or a program that lives goes on with it.
    """
    me = Owner.this_process()
    with store.transaction() as connection:
        row = connection.execute(
            "SELECT reason, owner_pid, owner_started, owner_host FROM runs WHERE id = ?", [run_id]
        ).fetchone()
        if row is None or row[0] is not None:
            raise ResumeRefused("This session has ended, or was deleted.")
        owner = Owner(*row[1:])
        if owner != me and owner.alive:
            raise ResumeRefused(
                f"Another program goes on with this session (process {owner.pid} on {owner.host})."
            )
        own(store, run_id, me)
    return owner


def own(store: Store, run_id: str, owner: Owner) -> None:
    """Write down which program a session belongs to.

    Raises:
        StoreError: it could not be written.
    """
    with store.transaction() as connection:
        connection.execute(
            "UPDATE runs SET owner_pid = ?, owner_started = ?, owner_host = ? WHERE id = ?",
            [*owner, run_id],
        )
