"""Records a training run: its steps, and each rollout as a session.

    recorder = TrainingRecorder(store)
    recorder.begin(recipe, name="hello", engine="trl", model="tiny", seed=1)
    record = await recorder.rollout(step, task, number)
    episode = pool.episode(events=record.events, identity=record.identity)
    ...
    await record.finish(result.info, result.reward, result.truncated)
    recorder.set_advantages(step, {record.run_id: 0.5})
    recorder.step_finished(step, {"reward": 0.75, "held_out_reward": 0.5})
    recorder.finish("finished")

A rollout's session begins with the `RunStarted` that its episode posts and ends with its score and
`RunFinished`. It belongs to this program: if that is killed, the session and the training are shown
as interrupted.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Mapping
from typing import Any

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.to_completion import to_completion
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.training.attempt import STOPPED
from sandbox_tui.sessions.rl.rollout_record import RolloutRecord, RolloutSession
from sandbox_tui.sessions.store.ids import new_id
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import rollouts, trainings
from sandbox_tui.sessions.store.tables.rollouts import Rollout, Split
from sandbox_tui.sessions.store.tables.trainings import NewTraining, TrainingStatus

BEAT_SECONDS = 10.0
"""Seconds between the heartbeats of the program that trains."""


class TrainingRecorder:
    """The record of one training run.

    `rollout` belongs to an event loop; the other methods may be called from any thread, and block
    for the length of a write.

    Args:
        store: the database.

    Attributes:
        training_id: of the training; empty before `begin` or `resume`.
    """

    def __init__(self, store: Store) -> None:
        self.training_id = ""
        self._store = store
        self._model = ""
        self._engine = ""
        self._beats = _Beats(store)

    def begin(
        self,
        recipe: Mapping[str, Any],
        *,
        name: str,
        engine: str,
        model: str,
        seed: int | None = None,
    ) -> str:
        """Add a new training run; return its id.

        Args:
            recipe: the specification of the training, as plain data.
            name: human-readable name.
            engine: the training library: `trl`, `verl` and so on.
            model: the model being trained.
            seed: of the training.

        Raises:
            StoreError: the write failed.
        """
        new = NewTraining(
            id=new_id(), name=name, engine=engine, model=model, seed=seed, recipe=recipe
        )
        trainings.create(self._store, new)
        self._adopt(new.id, engine, model)
        return new.id

    def resume(self, training_id: str, from_step: int | None = None) -> str:
        """Resume a training that was stopped or whose program has ended; return its id.

        Args:
            training_id: of the training, or a unique part of it.
            from_step: the next step to run, after a checkpoint. Records of this and later steps no
                longer count; the sessions stay. None: no step is repeated.

        Raises:
            ResumeRefused: another program is running it.
            StoreError: there is no such training, or the write failed.
        """
        found = trainings.summary(self._store, training_id)
        with self._store.transaction():
            trainings.take_ownership(self._store, found.id)
            if from_step is not None:
                trainings.forget_steps(self._store, found.id, from_step)
                rollouts.replace_from(self._store, found.id, from_step)
        self._adopt(found.id, found.engine, found.model)
        return found.id

    async def rollout(
        self,
        step: int,
        task: Task,
        number: int,
        *,
        mode: str = "sandbox",
        split: Split = "train",
    ) -> RolloutRecord:
        """Begin the record of a rollout.

        Args:
            step: the optimizer step it belongs to.
            task: its task; the rollouts of one task in one step form a group.
            number: its index in the group.
            mode: `sandbox` or `text`.
            split: whether the policy is trained on it.

        Raises:
            StoreError: the write failed.
        """
        entry = Rollout(
            run_id=new_id(),
            step=step,
            task=task.id,
            number=number,
            mode=mode,
            split=split,
            began_at=time.time(),
        )
        labels = {
            "training": self.training_id,
            "step": str(step),
            "task": task.id,
            "rollout": str(number),
            "mode": mode,
            "split": split,
        }
        session = RolloutSession(
            task=task, model=self._model, engine=self._engine, labels=labels, entry=entry
        )
        entering = asyncio.to_thread(rollouts.begin, self._store, self.training_id, entry)
        try:
            await to_completion(entering)
        except asyncio.CancelledError:  # it has a row, which needs an end
            await RolloutRecord(self._store, session).abandon(STOPPED)
            raise
        return RolloutRecord(self._store, session)

    def set_advantages(self, step: int, advantages: Mapping[str, float]) -> None:
        """Record the advantage of each rollout of a step within its group.

        Args:
            step: the step.
            advantages: by session id (`RolloutRecord.run_id`).

        Raises:
            StoreError: the write failed.
        """
        rollouts.set_advantages(self._store, self.training_id, step, advantages)

    def step_finished(self, step: int, metrics: Mapping[str, float]) -> None:
        """Record the metrics of a finished step.

        Args:
            step: its number.
            metrics: such as `reward`, `reward_std`, `held_out_reward`, `loss`, `seconds`; values
                that are not finite are left out.

        Raises:
            StoreError: the write failed.
        """
        trainings.finish_step(self._store, self.training_id, step, metrics)

    def finish(self, status: TrainingStatus = "finished", error: str = "") -> None:
        """Record how the training ended.

        Args:
            status: `finished`, `stopped` or `failed`.
            error: the reason, as a sentence, if it ended early.

        Raises:
            StoreError: the write failed.
        """
        self._beats.stop()
        trainings.finish(self._store, self.training_id, status, error)

    def _adopt(self, training_id: str, engine: str, model: str) -> None:
        self.training_id, self._engine, self._model = training_id, engine, model
        self._beats.start(training_id)


class _Beats:
    """Records a heartbeat every `BEAT_SECONDS`, on a separate thread, since a trainer keeps its own
    threads busy for minutes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stopped = threading.Event()

    def start(self, training_id: str) -> None:
        self._stopped.set()  # of an earlier training
        self._stopped = threading.Event()
        threading.Thread(
            target=self._run, args=(training_id, self._stopped), name="beats", daemon=True
        ).start()

    def stop(self) -> None:
        self._stopped.set()

    def _run(self, training_id: str, stopped: threading.Event) -> None:
        while not stopped.wait(BEAT_SECONDS):
            with contextlib.suppress(StoreError):  # the next one may succeed
                trainings.record_heartbeat(self._store, training_id)
