"""The common base of both kinds of episode: lifecycle, time limit and final reward."""

from __future__ import annotations

import asyncio
from abc import abstractmethod

import msgspec
from typing_extensions import override

from sandbox_tui.core.agent.loop import AgentResult, TurnResult
from sandbox_tui.core.base.errors import SandboxError, SandboxTuiError
from sandbox_tui.core.evals.scoring import fresh_sandbox, words_of_bug
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.sink import EventSink, NullEventSink
from sandbox_tui.core.events.types import FinishReason, RunFinished, Totals
from sandbox_tui.core.models.base import Message, Reply
from sandbox_tui.core.rl.episode import Episode
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.rewards.base import Reward, RewardResult, RolloutEnd
from sandbox_tui.core.rl.rollouts.final_reward import rewarded
from sandbox_tui.core.rl.rollouts.record import CountingSink, EpisodeIdentity
from sandbox_tui.core.rl.rollouts.rollout import Rollout, Workplace
from sandbox_tui.core.rl.turn import EpisodeInfo, StepResult, Turn
from sandbox_tui.core.sandboxes.no_sandbox import NoSandbox

NOT_BEGUN = "The episode has not started: call reset first."
IS_OVER = "The episode is over."


class AgentEpisode(Episode):
    """An episode; see `Episode` for its lifecycle.

    It ends itself when its time is up, so that a policy that never answers does not hold a sandbox;
    the next step then returns that result.

    Args:
        settings: settings that the episodes of a training run share.
        reward: called at the end.
        events: receives the events, from `RunStarted` to `Scored` and `RunFinished`; None: nothing
            is recorded.
        identity: names of the episode in the record; None: generated.

    Attributes:
        settings, identity: as above.
    """

    def __init__(
        self,
        settings: EpisodeSettings,
        reward: Reward,
        *,
        events: EventSink | None = None,
        identity: EpisodeIdentity | None = None,
    ) -> None:
        self.settings = settings
        self.identity = identity or EpisodeIdentity()
        self._events = CountingSink(events or NullEventSink())
        self._reward = reward
        self._began = self._over = self._closed = False
        self._rollout: Rollout | None = None
        self._turn: Turn | None = None
        self._start = 0.0
        self._busy = asyncio.Lock()
        self._alarm: asyncio.TimerHandle | None = None
        self._work: asyncio.Task[StepResult] | None = None
        self._expiry: asyncio.Task[None] | None = None
        self._unseen: StepResult | SandboxTuiError | None = None

    @abstractmethod
    async def _open(self, task: Task) -> Workplace:
        """Prepare the workplace in which the task is attempted."""

    @abstractmethod
    def _release(self) -> None:
        """Start to release the sandbox."""

    @abstractmethod
    async def _released(self) -> None:
        """Wait until the sandbox has been released."""

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended and is releasing its sandbox."""
        return self._over

    @property
    def replies(self) -> tuple[Reply, ...]:
        """The policy's replies so far, with token ids and log-probabilities if it gave them."""
        return () if self._rollout is None else tuple(self._rollout.replies)

    @property
    def conversation(self) -> tuple[Message, ...]:
        """All messages so far, in the OpenAI format."""
        return () if self._rollout is None else tuple(self._rollout.conversation)

    # --- lifecycle

    @override
    async def reset(self, task: Task) -> Turn:
        if self._began or self._over:
            raise RuntimeError("An episode can be started only once: create another one.")
        self._began = True
        async with self._busy:
            try:
                place = await self._open(task)
                self._rollout = Rollout(task, place, self.settings, self.identity, self._events)
                self._turn = await self._rollout.next_turn()
            except BaseException:
                self._over = True
                self._release()
                raise
            self._start_clock(self._rollout.limits.time_limit)
        return self._turn

    @override
    async def step(self, reply: Message | str | Reply) -> StepResult:
        self._work = work = asyncio.create_task(self._step(reply))
        try:
            return await work
        except asyncio.CancelledError:
            if self._closed and not _is_cancelled():
                raise RuntimeError(IS_OVER) from None
            raise

    async def _step(self, reply: Message | str | Reply) -> StepResult:
        async with self._busy:
            if (unseen := self._take_unseen()) is not None:
                return unseen
            rollout, turn = self._running()
            read = rollout.read(reply)
            try:
                done = await self._answered(rollout, read)
                if done.result is None:
                    return await self._continue(rollout, turn, done)
                return await self._end(rollout, turn, done, done.result)
            except BaseException as error:
                self._abort(*_reason_of(error))
                raise

    @override
    async def close(self) -> None:
        self._closed = True
        for task in (self._work, self._expiry):
            if task is not None:
                task.cancel()
        async with self._busy:
            if not self._over:
                self._abort("cancelled", "The episode was closed before its end.")
        await self._released()

    # --- steps

    def _running(self) -> tuple[Rollout, Turn]:
        if self._over:
            raise RuntimeError(IS_OVER)
        if self._rollout is None or self._turn is None:
            raise RuntimeError(NOT_BEGUN)
        return self._rollout, self._turn

    async def _answered(self, rollout: Rollout, reply: Reply) -> TurnResult:
        """Process the reply within the episode's remaining time."""
        limit = rollout.limits.time_limit
        deadline = asyncio.timeout_at(None if limit is None else self._start + limit)
        try:
            async with deadline:
                return await rollout.answer(reply)
        except TimeoutError:
            if not deadline.expired():
                raise
            return TurnResult(result=_out_of_time(limit))

    async def _continue(self, rollout: Rollout, turn: Turn, done: TurnResult) -> StepResult:
        self._turn = await rollout.next_turn()
        return StepResult(
            observations=done.observations,
            messages=rollout.messages_since(turn),
            turn=self._turn,
            reward=0.0,
            terminated=False,
            truncated=False,
            info=self._info(),
        )

    async def _end(
        self, rollout: Rollout, turn: Turn, done: TurnResult, result: AgentResult
    ) -> StepResult:
        """Reward the episode and release its sandbox."""
        answer = await rollout.final_answer(result)
        end = self._rollout_end(rollout, result, answer)
        worth, seconds = await rewarded(self._reward, end, self.settings.overlong, self._events)
        info = self._info(result, answer, worth, seconds)
        self._finish(result.reason, result.error, answer)
        return StepResult(
            observations=done.observations,
            messages=rollout.messages_since(turn),
            turn=None,
            reward=worth.value,
            terminated=not end.truncated,
            truncated=end.truncated,
            info=info,
        )

    def _rollout_end(self, rollout: Rollout, result: AgentResult, answer: str | None) -> RolloutEnd:
        sandbox, totals = rollout.place.environment.sandbox, self._totals()
        has_computer = not isinstance(sandbox, NoSandbox)
        return RolloutEnd(
            task=rollout.task,
            mode=self.settings.mode,
            answer=answer,
            reason=result.reason,
            truncated=result.reason != "submitted",
            messages=tuple(rollout.conversation),
            steps=totals.steps,
            tool_calls=totals.calls,
            sandbox=sandbox if has_computer else None,
            fresh_sandbox=(
                (lambda: fresh_sandbox(sandbox, self.settings.sandbox)) if has_computer else None
            ),
        )

    # --- time limit

    def _start_clock(self, limit: float | None) -> None:
        loop = asyncio.get_running_loop()
        self._start = loop.time()
        if limit is not None:
            self._alarm = loop.call_at(self._start + limit, self._on_time_limit)

    def _on_time_limit(self) -> None:
        self._expiry = asyncio.create_task(self._expire())

    async def _expire(self) -> None:
        """End the episode between two steps."""
        async with self._busy:
            if self._over or self._rollout is None or self._turn is None:
                return
            result = _out_of_time(self._rollout.limits.time_limit)
            try:
                done = TurnResult(result=result)
                self._unseen = await self._end(self._rollout, self._turn, done, result)
            except SandboxTuiError as error:
                self._unseen = error
                self._abort(*_reason_of(error))

    def _take_unseen(self) -> StepResult | None:
        """Return the result of an episode that ended between two steps, once."""
        unseen, self._unseen = self._unseen, None
        if isinstance(unseen, SandboxTuiError):
            raise unseen
        return unseen

    def _totals(self) -> Totals:
        seconds = asyncio.get_running_loop().time() - self._start if self._start else 0.0
        return msgspec.structs.replace(self._events.totals, seconds=round(seconds, 3))

    # --- end

    def _abort(self, reason: FinishReason, error: str) -> None:
        """End the episode without a reward."""
        if not self._over:
            self._finish(reason, error, None)

    def _finish(self, reason: FinishReason, error: str | None, answer: str | None) -> None:
        self._over = True
        if self._alarm is not None:
            self._alarm.cancel()
        if self._rollout is not None:
            self._events.post(
                RunFinished(reason=reason, error=error, totals=self._totals(), answer=answer)
            )
        self._release()

    def _info(
        self,
        result: AgentResult | None = None,
        answer: str | None = None,
        worth: RewardResult | None = None,
        reward_seconds: float = 0.0,
    ) -> EpisodeInfo:
        totals = self._totals()
        return EpisodeInfo(
            reason=None if result is None else result.reason,
            error=None if result is None else result.error,
            answer=answer,
            reward_parts={} if worth is None else dict(worth.parts),
            explanation="" if worth is None else worth.explanation,
            steps=totals.steps,
            tool_calls=totals.calls,
            failed_calls=totals.failed_calls,
            usage=totals.usage,
            seconds=totals.seconds,
            reward_seconds=reward_seconds,
        )


def _is_cancelled() -> bool:
    """Return whether the caller itself is being cancelled, rather than its work."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _out_of_time(limit: float | None) -> AgentResult:
    return AgentResult("time_limit", f"The episode reached its limit of {limit or 0:g} s.")


def _reason_of(error: BaseException) -> tuple[FinishReason, str]:
    """Return the finish reason and error message of an episode that was aborted."""
    if isinstance(error, asyncio.CancelledError):
        return "cancelled", "The episode was cancelled."
    if isinstance(error, SandboxError):
        return "sandbox_error", str(error)
    if isinstance(error, SandboxTuiError):  # its reward failed, which the record already says
        return "internal_error", str(error)
    return "internal_error", f"The episode failed: {words_of_bug(error)}."
