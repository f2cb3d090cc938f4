"""Records one rollout as a session."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from typing_extensions import override

from sandbox_tui.core.base.to_completion import to_completion
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.journal import Journal
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.rl.rollouts.record import EpisodeIdentity
from sandbox_tui.core.rl.turn import EpisodeInfo
from sandbox_tui.sessions.recording.recorder import record
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import rollouts
from sandbox_tui.sessions.store.tables.blobs import RunBlobs
from sandbox_tui.sessions.store.tables.rollouts import Rollout


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutSession:
    """The description of a rollout's session.

    Attributes:
        task: the rollout's task.
        model: the model being trained.
        engine: the training library.
        labels: of the session.
        entry: the rollout's row.
    """

    task: Task
    model: str
    engine: str
    labels: Mapping[str, str]
    entry: Rollout


class RolloutRecord:
    """A rollout that is being recorded.

    Args:
        store: the database.
        session: the description of its session.

    Attributes:
        run_id: the session's id.
        identity: for the episode, so that its sandbox is labelled with the session.
        events: receives the episode's events.
        blobs: receives the contents of its files.
    """

    def __init__(self, store: Store, session: RolloutSession) -> None:
        self.run_id = session.entry.run_id
        self.identity = EpisodeIdentity(
            run_id=self.run_id, policy=session.model, labels=session.labels
        )
        self.blobs: RunBlobs = store.blobs(self.run_id)
        self._store = store
        self._entry = session.entry
        self._journal = Journal(held=True)
        self._journal.durability.begin()  # at once: the recording task has not run yet
        self._state = RunState()
        self._journal.observers.append(self._state.apply)
        self._sink = _RolloutSink(self._journal, session)
        self.events: EventSink = self._sink
        self._recording = asyncio.create_task(self._record())

    async def finish(self, info: EpisodeInfo, reward: float | None, truncated: bool) -> None:
        """End the session and wait until all of it is stored.

        Args:
            info: the episode's report.
            reward: of the episode; None if it has none, for example because the sandbox failed.
            truncated: whether a limit ended it.

        Raises:
            StoreError: the session could not be stored.
        """
        await to_completion(self._finish(info, reward, truncated))

    async def _finish(self, info: EpisodeInfo, reward: float | None, truncated: bool) -> None:
        finite = None if reward is None or not math.isfinite(reward) else reward
        reason = info.reason or "cancelled"  # the episode was closed before its end
        self._sink.score(finite, info.explanation, info.reward_seconds)
        finished = await self._end(reason, info.error, info.answer)
        over = msgspec.structs.replace(
            self._entry,
            ended_at=time.time(),
            reward=finite,
            truncated=truncated,
            reason=finished.reason,
            steps=info.steps,
            tool_calls=info.tool_calls,
            tokens=info.tokens,
            seconds=info.seconds,
        )
        await asyncio.to_thread(rollouts.finish, self._store, over)

    async def abandon(self, because: str, reason: e.FinishReason = "cancelled") -> None:
        """End the session of an episode that was aborted and has no reward.

        A cancelled one does not wait for a database that cannot be written.

        Raises:
            StoreError: the session could not be stored.
        """
        if reason == "cancelled":
            self._journal.durability.give_up()
        await to_completion(self._abandon(because, reason))

    async def _abandon(self, because: str, reason: e.FinishReason) -> None:
        finished = await self._end(reason, because, None)
        totals = finished.totals
        over = msgspec.structs.replace(
            self._entry,
            ended_at=time.time(),
            reason=finished.reason,
            steps=totals.steps,
            tool_calls=totals.calls,
            tokens=totals.usage.output_tokens,
            seconds=totals.seconds,
        )
        await asyncio.to_thread(rollouts.finish, self._store, over)

    async def _end(
        self, reason: e.FinishReason, error: str | None, answer: str | None
    ) -> e.RunFinished:
        """Write and return the last event: the episode's own, if it has posted one that says more
        than that it was closed."""
        self._sink.begin()
        finished = self._sink.finished
        if finished is None or finished.reason == "cancelled" != reason:
            seconds = round(self._journal.elapsed, 3)
            finished = e.RunFinished(
                reason=reason,
                error=error,
                totals=msgspec.structs.replace(self._state.totals, seconds=seconds),
                answer=answer,
            )
        self._journal.end(finished)
        self._journal.close()
        await self._recording
        return finished

    async def _record(self) -> None:
        stored = record(self._journal.read(), self._store, self.run_id, self._journal.durability)
        async with contextlib.aclosing(stored):
            async for _ in stored:
                pass


class _RolloutSink(EventSink):
    """Passes an episode's events to a journal, except for the first and the last one.

    The session's `RunStarted` is completed with its description; its `RunFinished` is left to the
    record.
    """

    def __init__(self, journal: Journal, session: RolloutSession) -> None:
        self._journal = journal
        self._session = session
        self._started = False
        self._scored = False
        self.finished: e.RunFinished | None = None

    @override
    def post(self, event: e.AnyEvent) -> e.AnyEvent:
        match event:
            case e.RunStarted() if not self._started:
                self._begin(event)
                return event
            case e.RunFinished():
                self.finished = event
                return event
            case e.Scored():
                self._scored = True
            case _:
                pass
        return self._journal.post(event)

    @override
    def post_delta(self, delta: e.ModelDelta) -> None:
        self._journal.post_delta(delta)

    @override
    async def output(self, terminal: str, data: bytes) -> None:
        await self._journal.output(terminal, data)

    @override
    async def wait_for_room(self) -> None:
        await self._journal.wait_for_room()

    @override
    async def wait_durable(self) -> None:
        await self._journal.wait_durable()

    def begin(self) -> None:
        """Write a `RunStarted` if the episode has not."""
        if not self._started:
            self._begin(_bare_start(self._session))

    def score(self, reward: float | None, explanation: str, seconds: float) -> None:
        """Write the reward if the episode has not."""
        self.begin()
        if not self._scored:
            self._scored = True
            self._journal.post(
                e.Scored(scorer="reward", value=reward, explanation=explanation, seconds=seconds)
            )

    def _begin(self, event: e.RunStarted) -> None:
        self._started = True
        session = self._session
        settings = event.settings or e.RunSettings()
        labels = {**settings.labels, **session.labels}
        self._journal.begin(
            [
                msgspec.structs.replace(
                    event,
                    run_id=session.entry.run_id,
                    model=session.model,
                    model_params={"engine": session.engine, **event.model_params},
                    settings=msgspec.structs.replace(settings, labels=labels),
                )
            ]
        )


def _bare_start(session: RolloutSession) -> e.RunStarted:
    """Return a `RunStarted` for a rollout whose episode failed before it could post one."""
    return e.RunStarted(
        schema=e.SCHEMA_VERSION,
        run_id=session.entry.run_id,
        started_at=session.entry.began_at,
        task=session.task.problem,
        model=session.model,
        model_params={},
        sandbox="none",
        sandbox_info={},
        prompt_pack="",
        system_prompt="",
        instance_prompt=session.task.problem,
        working_dir="/",
        input_dir="/",
        output_dir="/",
        limits=e.Limits(),
    )
