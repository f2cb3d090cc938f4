"""Runs a training: an engine trains a policy on a recipe's tasks, and everything is recorded.

The engine owns the loop over steps and runs in a thread; episodes live on the caller's event loop.
However the training ends, its episodes are closed and the record says how it ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, TypeVar

import msgspec
from typing_extensions import override

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.core.evals.scoring import words_of_bug
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.advantages import group_advantages
from sandbox_tui.core.rl.data.task_file import read_tasks
from sandbox_tui.core.rl.pool import EpisodePool
from sandbox_tui.core.rl.recipe import Recipe
from sandbox_tui.core.rl.rewards.build import build_reward
from sandbox_tui.core.rl.rollouts.record import EpisodeIdentity
from sandbox_tui.core.rl.training.attempt import Attempt, attempt
from sandbox_tui.core.rl.training.engine import (
    Engine,
    ScoredAttempt,
    TrainingJob,
    TrainingStopped,
)
from sandbox_tui.core.rl.training.policy import Policy
from sandbox_tui.core.rl.training.task_order import (
    numbered_attempts,
    seed_of_attempt,
    tasks_of_step,
)
from sandbox_tui.sessions.rl.checkpoints import checkpoint_folder, newest_checkpoint
from sandbox_tui.sessions.rl.recorder import TrainingRecorder
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import trainings
from sandbox_tui.sessions.store.tables.rollouts import Split
from sandbox_tui.sessions.store.tables.trainings import TrainingStatus

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The tasks of a training."""

    train: list[Task]
    held_out: list[Task]

    @classmethod
    def of(cls, recipe: Recipe) -> TrainingData:
        """Read the tasks that a recipe names.

        Raises:
            ConfigError: a file cannot be read or has no tasks, or a document is in both splits.
        """
        train = read_tasks(recipe.data.train)
        held_out = read_tasks(recipe.data.held_out) if recipe.data.held_out else []
        if not train:
            raise ConfigError(f"{recipe.data.train} has no tasks.")
        known = {data for task in train for data in task.files.values()}
        for task in held_out:
            if any(data in known for data in task.files.values()):
                raise ConfigError(
                    f"A document of the held-out task {task.id} also belongs to a training task, "
                    "so nothing would be measured. `sandbox-tui rl data check` lists what leaks."
                )
        return cls(train, held_out[: recipe.evaluation.tasks or None])


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How many of the attempts at a step, or at its held-out tasks, have ended."""

    step: int
    split: Split
    done: int
    total: int


class Training(TrainingJob):
    """Runs and records one training; can be run only once.

    Args:
        recipe: the specification.
        store: the database.
        engine: the training library.
        resume: id of a training to resume; empty to begin a new one.

    Attributes:
        recipe: the specification.
        training_id: of its record, after `begin`.
        folder: of its checkpoints.
        checkpoint: the one it resumes from; None: from the start.
        first_step: the first step to run, counted from 1.
        progress: of the attempts that are running; None between batches.
        on_step: called on the event loop with the number of each finished step.
    """

    def __init__(self, recipe: Recipe, store: Store, engine: Engine, *, resume: str = "") -> None:
        self.recipe = recipe
        self.training_id = ""
        self.folder = Path()
        self.checkpoint: Path | None = None
        self.first_step = 1
        self.progress: BatchProgress | None = None
        self.on_step: Callable[[int], None] = lambda _: None
        self._store = store
        self._engine = engine
        self._resume = resume
        self._data = TrainingData.of(recipe)
        tasks = [*self._data.train, *self._data.held_out]
        self._reward = build_reward(recipe.reward, tasks)
        self._recorder = TrainingRecorder(store)
        self._current_task: asyncio.Task[Any] | None = None
        self._stopped_because = ""
        self._step_began = time.monotonic()
        self._metrics: dict[str, float] = {}

    # --- lifecycle, on the event loop

    def begin(self) -> None:
        """Add the training to the record, or take over a recorded one.

        Raises:
            ConfigError: its folder holds checkpoints of another training.
            ResumeRefused: another program is running it.
            StoreError: the write failed.
        """
        recipe = self.recipe
        if self._resume:
            self._take_over()
            return
        if recipe.checkpoints.folder and newest_checkpoint(Path(recipe.checkpoints.folder)):
            raise ConfigError(
                f"{recipe.checkpoints.folder} holds checkpoints of another training. Resume that "
                "one, or set another checkpoints.folder."
            )
        self.training_id = self._recorder.begin(
            msgspec.to_builtins(recipe),
            name=recipe.name,
            engine=recipe.engine,
            model=Path(recipe.model).name,
            seed=recipe.seed,
        )
        self.folder = checkpoint_folder(recipe, self.training_id)

    def _take_over(self) -> None:
        found = trainings.summary(self._store, self._resume)
        self.folder = checkpoint_folder(self.recipe, found.id)
        if self.recipe.engine == "collect":  # no weights change: steps are independent
            self.first_step = max(found.last_step, 0) + 1
        elif newest := newest_checkpoint(self.folder):
            self.checkpoint, self.first_step = newest.path, newest.step + 1
        again = self.first_step if self.first_step > 1 else 0
        self.training_id = self._recorder.resume(found.id, again)

    async def run(self) -> TrainingStatus:
        """Train until all steps are done or the training is stopped.

        Raises:
            SandboxTuiError: the training failed; the record says so.
        """
        self._loop = asyncio.get_running_loop()
        status: TrainingStatus = "failed"
        because = "The trainer failed."
        try:
            async with self._pool():
                await self._train()
            status, because = "finished", ""
        except TrainingStopped:
            status, because = "stopped", self._stopped_because
        except SandboxTuiError as error:
            because = str(error)
            raise
        except asyncio.CancelledError:
            status, because = "stopped", "The training was cancelled."
            raise
        except Exception as error:
            because = f"The trainer failed: {words_of_bug(error)}."
            raise
        finally:
            self._recorder.finish(status, because)
        return status

    async def _train(self) -> None:
        """Let the engine train; when this returns or raises, the engine has finished."""
        engine = self._loop.run_in_executor(None, self._engine.train, self)
        try:
            await asyncio.shield(engine)
        except asyncio.CancelledError:
            self.stop("The training was cancelled.")
            with contextlib.suppress(Exception, TrainingStopped):
                await engine
            raise

    def stop(self, because: str) -> None:
        """Stop: abort the attempts in progress and start no more. `run` then returns.

        Args:
            because: a sentence for the record.
        """
        if not self._stopped_because:
            self._stopped_because = because
            if self._current_task is not None:
                self._current_task.cancel()

    def _pool(self) -> EpisodePool:
        training = self.recipe.training
        self._episodes = EpisodePool(
            self.recipe.episodes, self._reward, concurrency=training.concurrency
        )
        return self._episodes

    # --- requests from the engine, in its thread

    @override
    def rollouts(self, step: int, policy: Policy) -> Sequence[ScoredAttempt]:
        training, seed = self.recipe.training, self.recipe.seed
        self._step_began = time.monotonic()
        tasks = tasks_of_step(self._data.train, step, training.prompts, seed)
        work = numbered_attempts(tasks, training.group)
        attempts = self._on_loop(self._attempt_all(step, work, policy, "train"))
        rewards = [one.reward for one in attempts]
        if training.shuffle_rewards:
            random.Random(f"{seed}/{step}/rewards").shuffle(rewards)
        advantages = [
            advantage
            for first in range(0, len(rewards), training.group)
            for advantage in group_advantages(
                rewards[first : first + training.group], training.advantages
            )
        ]
        by_run = {one.run_id: own for one, own in zip(attempts, advantages, strict=True)}
        self._recorder.set_advantages(step, by_run)
        self._metrics = _figures(attempts)
        return [ScoredAttempt(one, own) for one, own in zip(attempts, advantages, strict=True)]

    @override
    def measure(self, step: int, policy: Policy) -> None:
        every, last = self.recipe.evaluation.every, self.recipe.training.steps
        if not every or not self._data.held_out or (step % every and step != last):
            return
        work = [(task, 0) for task in self._data.held_out]
        attempts = self._on_loop(self._attempt_all(step, work, policy, "held_out"))
        figures = _figures(attempts)
        held_out = {"held_out_reward": figures["reward"]} if "reward" in figures else {}
        if step:
            self._metrics |= held_out
        else:
            self._recorder.step_finished(0, held_out)
            self._loop.call_soon_threadsafe(self.on_step, 0)

    @override
    def step_finished(self, step: int, metrics: Mapping[str, float]) -> None:
        seconds = time.monotonic() - self._step_began
        self._recorder.step_finished(step, {**self._metrics, **metrics, "seconds": seconds})
        self._loop.call_soon_threadsafe(self.on_step, step)
        self._metrics = {}
        self._require_going()

    def _require_going(self) -> None:
        if self._stopped_because:
            raise TrainingStopped

    def _on_loop(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine on the event loop and wait for it.

        Raises:
            TrainingStopped: it was aborted.
        """
        try:
            return asyncio.run_coroutine_threadsafe(self._unless_stopped(work), self._loop).result()
        except CancelledError as error:
            raise TrainingStopped from error

    async def _unless_stopped(self, work: Coroutine[Any, Any, _T]) -> _T:
        if self._stopped_because:
            work.close()
            raise TrainingStopped
        self._current_task = asyncio.current_task()
        try:
            return await work
        finally:
            self._current_task = None

    # --- attempts, on the event loop

    async def _attempt_all(
        self, step: int, work: Sequence[tuple[Task, int]], policy: Policy, split: Split
    ) -> list[Attempt]:
        places = asyncio.Semaphore(self.recipe.training.concurrency)
        progress = self.progress = BatchProgress(step, split, 0, len(work))

        async def one(task: Task, number: int) -> Attempt:
            nonlocal progress
            async with places:
                made = await self._attempt(step, task, number, policy, split)
            progress = self.progress = replace(progress, done=progress.done + 1)
            return made

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(task, number)) for task, number in work]
        except BaseExceptionGroup as errors:
            self._require_going()
            raise errors.exceptions[0] from None
        finally:
            self.progress = None
        return [task.result() for task in tasks]

    async def _attempt(
        self, step: int, task: Task, number: int, policy: Policy, split: Split
    ) -> Attempt:
        mode = self.recipe.episodes.mode
        record = await self._recorder.rollout(step, task, number, mode=mode, split=split)
        seed = seed_of_attempt(self.recipe.seed, step, task.id, number, split)
        episode = self._episodes.episode(
            events=record.events,
            identity=EpisodeIdentity(
                run_id=record.run_id,
                policy=self.recipe.model,
                policy_params={"temperature": self.recipe.training.temperature},
                seed=seed,
            ),
        )
        return await attempt(episode, task, policy, record, seed)


def _figures(attempts: Sequence[Attempt]) -> dict[str, float]:
    """Return the metrics of a set of attempts."""
    rewards = [one.reward for one in attempts if one.reward is not None]
    infos = [one.info for one in attempts if one.info is not None]
    figures = {
        "unrewarded": float(len(attempts) - len(rewards)),
        "truncated": fmean(float(one.truncated) for one in attempts),
    }
    if rewards:
        figures |= {"reward": fmean(rewards), "reward_std": pstdev(rewards)}
    if infos:
        figures |= {
            "turns": fmean(info.steps for info in infos),
            "tool_calls": fmean(info.tool_calls for info in infos),
            "tokens": fmean(info.tokens for info in infos),
        }
    return figures
