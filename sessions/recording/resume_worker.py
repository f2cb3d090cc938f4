"""Resumes a run whose program has ended: claims its record and its sandbox."""

from __future__ import annotations

import asyncio
import time

from sandbox_tui.core.base.errors import ResumeRefused, RunsElsewhere, SandboxLost, SandboxNotLeft
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.events import types as e
from sandbox_tui.core.lineage.fork_point import never_prepared
from sandbox_tui.core.lineage.open_resumed import NOT_RECORDED, open_resumed, recorded_request
from sandbox_tui.core.lineage.recovery import recover
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions.recording.give_way import asking_for
from sandbox_tui.sessions.recording.run_worker import RunWorker
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store

CLAIM_SECONDS = 0.1
"""Seconds between two attempts to claim a session that another program was asked for."""

HEARD_SECONDS = 2.0
"""How long to wait for that program to hear."""

GIVEN_UP_SECONDS = 30.0
"""How much longer to wait once it has heard: it has to release the sandbox."""


class ResumedWorker(RunWorker):
    """A worker that resumes an interrupted session; see `RunWorker`.

    Watchers see all stored events first, then the new ones.

    Args:
        run: the session.
        settings: the present ones, for values that are not recorded.
        store: the database.
        began: see `ResumedStart`.
        before: the worker in this program that ran it before, which may have kept its sandbox.

    Raises:
        ResumeRefused: the session cannot be resumed; the message says why.
    """

    def __init__(
        self,
        run: RunSummary,
        settings: Settings,
        store: Store,
        began: float | None = None,
        before: RunWorker | None = None,
    ) -> None:
        handed_over = began is not None and _is_ours(store, run)
        if not handed_over and (problem := problem_with(run)):
            raise ResumeRefused(problem)
        super().__init__(request_of(run, settings, store), store, run.id)
        self._began_before = began
        self._worker_before = before
        self._claim: asyncio.Future[ProcessIdentity] | None = None

    async def _open(self) -> Run:
        await self._claim_in_turn()
        if self._worker_before is not None:
            await self._worker_before.release_sandbox()
        self._history = await asyncio.to_thread(self._read)
        recovered = await asyncio.to_thread(recover, self._history)
        if recovered is None:
            raise ResumeRefused(NOT_RECORDED)
        if never_prepared(self._history):
            at = recovered.started.parent_seq
            raise ResumeRefused(
                "This fork's program ended while its sandbox was still being prepared. Start it "
                f"again with `sandbox-tui fork {self.run_id} --at seq:{at}`."
            )
        blobs = self._store.blobs(self.run_id)
        return open_resumed(recovered, self.request, blobs, began=self._began_before)

    async def _claim_in_turn(self) -> None:
        """Claim the session; if the program that ran it still has it, ask for it first.

        Raises:
            ResumeRefused: the session cannot be resumed, or that program does not give it up.
            RunsElsewhere: a live program runs it.
        """
        if await self._is_claimed():
            return
        with asking_for(self._store, self.run_id) as asked:
            until = time.monotonic() + HEARD_SECONDS
            while not await self._is_claimed():
                if time.monotonic() > until + (0 if asked.exists() else GIVEN_UP_SECONDS):
                    raise ResumeRefused(self._kept_words())
                await asyncio.sleep(CLAIM_SECONDS)

    async def _is_claimed(self) -> bool:
        """Claim the session; return whether the program that ran it no longer has it."""
        self._claim = asyncio.ensure_future(asyncio.to_thread(claim, self._store, self.run_id))
        try:
            await asyncio.shield(self._claim)
        except RunsElsewhere:
            if await asyncio.to_thread(self._goes_on):
                raise
            return False
        return True

    def _goes_on(self) -> bool:
        return self._store.run(self.run_id).outcome == "running"

    def _kept_words(self) -> str:
        """Say which program keeps the sandbox of a session that has ended."""
        owned = self._store.ownership(self.run_id)
        which = f" (process {owned.owner.pid} on {owned.owner.host_name})" if owned else ""
        return (
            f"The program that ran session {self.run_id}{which} still keeps its sandbox. Resume "
            "it there, or quit that program and resume it here."
        )

    def _read(self) -> list[e.AnyEvent]:
        """Return the run's events, without terminal output, which is not needed to resume."""
        return list(self._store.events(self.run_id, output=False))

    async def _cleanup(self) -> None:
        """Release a session that could not be resumed, so that this can be tried again."""
        if self._claim is None or self.state.seq:
            return
        if isinstance(self.failure, SandboxLost):
            why = str(self.failure).removesuffix(".")
            self.failure = SandboxNotLeft(
                f"This session cannot be resumed ({why[:1].lower()}{why[1:]}), but "
                f"`sandbox-tui fork {self.run_id}` continues it in a new sandbox."
            )
        await asyncio.wait([self._claim])  # its thread cannot be cancelled
        if self._claim.exception() is None:
            owner = self._claim.result()
            if self._worker_before is not None:  # of this program
                await self._worker_before.release_sandbox()
                owner = ProcessIdentity.no_process()
            await asyncio.to_thread(set_owner, self._store, self.run_id, owner)


def request_of(run: RunSummary, settings: Settings, store: Store) -> RunRequest:
    """Return the request with which a session started; see `recorded_request`.

    Raises:
        ResumeRefused: it is not recorded.
    """
    first = next(store.events(run.id, until=1), None)
    if not isinstance(first, e.RunStarted):
        raise ResumeRefused(NOT_RECORDED)
    return recorded_request(first, settings)


def problem_with(run: RunSummary) -> str:
    """Return why a session cannot be resumed, as a sentence, judged by its record; otherwise
    empty."""
    if run.imported:
        return "This session was recorded elsewhere, so it cannot be resumed. Replay or fork it."
    if run.outcome == "running":
        return f"This session is still running in {run.program}."
    if not run.is_resumable:
        ended = run.outcome.replace("_", " ")
        return (
            f"This session has ended ({ended}), so there is nothing to resume. `sandbox-tui fork "
            f"{run.id}` continues it in a new sandbox."
        )
    return ""


def _is_ours(store: Store, run: RunSummary) -> bool:
    """Return whether this program owns a session that has not ended."""
    owned = store.ownership(run.id)
    me = ProcessIdentity.this_process()
    return owned is not None and not owned.finished and owned.owner == me


def claim(store: Store, run_id: str) -> ProcessIdentity:
    """Claim a session whose program has ended for this program; return its former owner.

    Raises:
        ResumeRefused: the session has ended.
        RunsElsewhere: a live program runs it.
    """
    me = ProcessIdentity.this_process()
    with store.transaction():
        before = store.ownership(run_id)
        if before is None or before.finished:
            raise ResumeRefused("This session has ended, or was deleted.")
        owner = before.owner
        if owner != me and owner.alive:
            raise RunsElsewhere(
                "Another program is running this session "
                f"(process {owner.pid} on {owner.host_name})."
            )
        set_owner(store, run_id, me)
    return owner


def set_owner(store: Store, run_id: str, owner: ProcessIdentity) -> None:
    """Record which program owns a session.

    Raises:
        StoreError: the write failed.
    """
    store.set_owner(run_id, owner)
