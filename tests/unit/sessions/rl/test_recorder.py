"""A training run in the database: its steps, its rollouts as sessions, and its owner."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.base.errors import ResumeRefused, StoreError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.sessions import Store, replay
from sandbox_tui.sessions.interchange.exports import EXPORTERS, Recording
from sandbox_tui.sessions.rl.recorder import TrainingRecorder
from sandbox_tui.sessions.search.across_sessions import search
from sandbox_tui.sessions.store.tables import rollouts, trainings
from tests.unit.sample_run import sample
from tests.unit.sessions.rl.recorded import INFO, RECIPE, roll, start_training, task, train


async def test_a_rollout_is_a_session_with_a_beginning_a_score_and_an_end(store: Store) -> None:
    recorder = start_training(store)
    record = await recorder.rollout(4, task("sum"), 3)
    posted = sample("hello")[0]
    for event in posted:
        record.events.post(event)
    await record.finish(INFO, 0.75, truncated=True)

    events = list(replay(store, record.run_id))
    first, *_, scored, last = events
    assert isinstance(first, e.RunStarted)
    assert first.run_id == record.run_id
    assert first.model == "tiny"
    assert first.settings is not None
    assert first.settings.labels == {
        "training": recorder.training_id,
        "step": "4",
        "task": "sum",
        "rollout": "3",
        "mode": "sandbox",
        "split": "train",
    }
    assert isinstance(scored, e.Scored)
    assert scored.value == 0.75
    assert isinstance(last, e.RunFinished)
    assert last.reason == "submitted"
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    (entry,) = rollouts.rollouts_of(store, recorder.training_id)
    assert (entry.reward, entry.truncated, entry.reason) == (0.75, True, "submitted")
    assert (entry.steps, entry.tool_calls, entry.tokens) == (2, 2, 120)
    assert store.run(record.run_id).outcome == "submitted"


@pytest.mark.parametrize("writing", [(rollouts, "begin"), (Store, "append"), (rollouts, "finish")])
async def test_a_rollout_cancelled_while_it_is_written_comes_to_an_end(
    store: Store, monkeypatch: pytest.MonkeyPatch, writing: tuple[Any, str]
) -> None:
    recorder = start_training(store)
    loop, begins, goes_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    write = getattr(*writing)

    def held(*args: Any) -> Any:
        loop.call_soon_threadsafe(begins.set)
        goes_on.wait()
        return write(*args)

    monkeypatch.setattr(*writing, held)
    rolling = asyncio.create_task(roll(recorder, 0, "sum", 0, 1.0))
    await begins.wait()
    rolling.cancel()
    await asyncio.sleep(0)  # the cancellation arrives before the write ends
    goes_on.set()
    with pytest.raises(asyncio.CancelledError):
        await rolling
    (entry,) = rollouts.rollouts_of(store, recorder.training_id)
    assert entry.over
    assert store.run(entry.run_id).outcome == entry.reason


async def test_stored_events_are_the_posted_ones(store: Store) -> None:
    """Each event is stored in order, as the journal numbered it, before the rollout ends."""
    recorder = start_training(store)
    record = await recorder.rollout(0, task(), 0)
    events = sample("x")[0][:-1]
    live = [record.events.post(event) for event in events]
    await record.events.wait_durable()
    stored = list(replay(store, record.run_id))
    assert stored[1:] == list(live[1:])
    await record.finish(INFO, 1.0, truncated=False)
    again = list(replay(store, record.run_id))
    assert again[: len(stored)] == stored
    assert fold(again).finished is not None


async def test_search_finds_a_rollout_and_exports_know_it(store: Store) -> None:
    run_id = await roll(start_training(store), 0, "sum", 0, 1.0)
    assert {hit.run.id for hit in search(store, "answer 0")} == {run_id}
    (conversation,) = EXPORTERS["chat-jsonl"].write(Recording(store, run_id))
    assert "answer 0" in conversation.data.decode()


async def test_a_rollout_without_a_single_event_still_has_a_beginning(store: Store) -> None:
    recorder = start_training(store)
    record = await recorder.rollout(0, task(), 0)
    await record.abandon("The sandbox did not start.", "sandbox_error")
    first, last = replay(store, record.run_id)
    assert isinstance(first, e.RunStarted)
    assert first.task == "Solve sum."
    assert isinstance(last, e.RunFinished)
    assert last.error == "The sandbox did not start."
    (entry,) = rollouts.rollouts_of(store, recorder.training_id)
    assert entry.over
    assert entry.reward is None


async def test_a_cancelled_rollout_does_not_wait_for_a_locked_database(store: Store) -> None:
    record = await start_training(store).rollout(0, task(), 0)
    for event in sample("x")[0][:5]:
        record.events.post(event)
    await record.events.wait_durable()
    with store.autocommit() as connection:
        connection.execute("PRAGMA busy_timeout = 1")
    with contextlib.closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another program"):
            await record.abandon("The training was stopped.")


async def test_a_reward_that_is_no_number_is_none(store: Store) -> None:
    recorder = start_training(store)
    record = await recorder.rollout(0, task(), 0)
    await record.finish(INFO, math.nan, truncated=False)
    assert rollouts.rollouts_of(store, recorder.training_id)[0].reward is None


async def test_a_training_at_a_glance(store: Store) -> None:
    recorder = start_training(store)
    await train(recorder, steps=2)
    found = trainings.summary(store)
    assert (found.name, found.engine, found.model, found.seed) == ("hello", "trl", "tiny", 7)
    assert (found.recipe, found.status, found.steps, found.last_step) == (RECIPE, "running", 1, 1)
    assert (found.rollouts, found.mean_reward) == (8, 0.5)
    steps = trainings.steps_of(store, found.id)
    assert [(s.step, s.metrics["held_out_reward"]) for s in steps] == [(0, 0.0), (1, 0.1)]
    assert found.last_step_at == steps[-1].ended_at
    assert {r.advantage for r in rollouts.rollouts_of(store, found.id)} == {-0.5, 0.5}

    recorder.finish("stopped", "You stopped it.")
    found = trainings.summary(store, found.id[-5:])
    assert (found.status, found.error) == ("stopped", "You stopped it.")


def test_only_finite_metrics_are_kept(store: Store) -> None:
    recorder = start_training(store)
    recorder.step_finished(0, {"loss": math.inf, "kl": math.nan, "reward": 1})
    assert trainings.steps_of(store, recorder.training_id)[0].metrics == {"reward": 1.0}


async def test_resuming_does_steps_again(store: Store) -> None:
    recorder = start_training(store)
    await train(recorder, steps=3)
    recorder.finish("stopped")
    again = TrainingRecorder(store)
    assert again.resume("last", from_step=1) == recorder.training_id
    assert [s.step for s in trainings.steps_of(store, again.training_id)] == [0]
    assert {r.step for r in rollouts.rollouts_of(store, again.training_id)} == {0}
    assert len(rollouts.sessions_of(store, again.training_id)) == 12  # nothing is deleted
    await roll(again, 1, "task-0", 0, 1.0)
    assert len(rollouts.rollouts_of(store, again.training_id)) == 5
    assert trainings.summary(store).running


DIES = """
import asyncio, os, sys
from pathlib import Path
from sandbox_tui.sessions import Store
from tests.unit.sample_run import sample
from tests.unit.sessions.rl.recorded import start_training, roll, task

async def main():
    recorder = start_training(Store(Path(sys.argv[1])))
    await roll(recorder, 0, "sum", 0, 1.0)
    record = await recorder.rollout(0, task(), 1)
    for event in sample("x")[0][:5]:
        record.events.post(event)
    await record.events.wait_durable()
    print(recorder.training_id, record.run_id, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def test_a_trainer_that_is_killed_is_seen_as_gone(store: Store, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", DIES, str(tmp_path / "s.db")], stdout=subprocess.PIPE, text=True
    ) as trainer:
        try:
            assert trainer.stdout is not None
            training_id, run_id = trainer.stdout.readline().split()
            assert trainings.summary(store, training_id).running
            with pytest.raises(ResumeRefused, match=f"process {trainer.pid} "):
                TrainingRecorder(store).resume(training_id)
            assert store.run(run_id).outcome == "running"
        finally:
            os.kill(trainer.pid, signal.SIGKILL)
    assert trainings.summary(store, training_id).status == "interrupted"
    assert store.run(run_id).outcome == "interrupted"
    finished, killed = rollouts.rollouts_of(store, training_id)
    assert finished.reward == 1.0
    assert not killed.over
    recorder = TrainingRecorder(store)
    recorder.resume(training_id, from_step=0)
    assert trainings.summary(store, training_id).running


def test_a_trainer_elsewhere_is_gone_when_its_beats_stop(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = start_training(store)
    elsewhere = "other_00000000-0000-0000-0000-000000000000.1"
    with store.transaction() as connection:
        connection.execute("UPDATE trainings SET owner_host = ?", [elsewhere])
    assert trainings.summary(store).running
    monkeypatch.setattr(trainings, "MAX_BEAT_AGE_SECONDS", -1.0)
    assert trainings.summary(store).status == "interrupted"
    monkeypatch.undo()
    trainings.record_heartbeat(store, recorder.training_id)
    assert trainings.summary(store).running


def test_names_that_fit_nothing_or_too_much(store: Store) -> None:
    with pytest.raises(StoreError, match="no training runs yet"):
        trainings.summary(store)
    start_training(store)
    start_training(store)
    with pytest.raises(StoreError, match="matches 2"):
        trainings.summary(store, "20")
    with pytest.raises(StoreError, match="no training run 'zzz'"):
        trainings.summary(store, "zzz")
    with pytest.raises(StoreError, match="too short"):
        trainings.summary(store, "2", strict=True)
    assert trainings.summary(store, "last", strict=True) == trainings.summary(store)
