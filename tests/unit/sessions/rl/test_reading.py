"""A training run watched live, exported as fine-tuning data, and deleted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import ConfigError, StoreError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.rl import reading
from sandbox_tui.sessions.rl.delete import delete_training, delete_with_sessions
from sandbox_tui.sessions.rl.groups import groups_of
from sandbox_tui.sessions.rl.reading import TrainingReader
from sandbox_tui.sessions.rl.recorder import TrainingRecorder
from sandbox_tui.sessions.rl.sft_export import Selection, selected, sft_lines, write_sft
from sandbox_tui.sessions.store.tables import rollouts, trainings
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from tests.unit.sessions.rl.recorded import INFO, roll, start_training, task, train


async def test_a_reader_sees_each_change_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "SLICE", 3)  # so that there are several slices
    recorder = start_training(store)
    reader = TrainingReader(store, recorder.training_id)
    first = reader.read()
    assert first is not None
    assert (first.rollouts, first.steps) == ([], [])
    assert reader.read() is None

    record = await recorder.rollout(0, task("b"), 0)
    running = reader.read()
    assert running is not None
    assert [one.over for one in running.rollouts] == [False]
    await record.finish(INFO, 1.0, truncated=False)
    recorder.set_advantages(0, {record.run_id: 0.25})
    over = reader.read()
    assert over is not None
    assert [(one.reward, one.advantage) for one in over.rollouts] == [(1.0, 0.25)]

    await train(recorder, steps=2)
    trained = reader.read()
    assert trained is not None
    assert trained.rollouts == rollouts.rollouts_of(store, recorder.training_id)
    assert len(trained.rollouts) == 9
    assert [one.step for one in trained.steps] == [0, 1]
    assert reader.read() is None

    recorder.finish("stopped")
    TrainingRecorder(store).resume(recorder.training_id, from_step=1)
    resumed = reader.read()
    assert resumed is not None
    assert resumed.rollouts == rollouts.rollouts_of(store, recorder.training_id)
    assert {one.step for one in resumed.rollouts} == {0}
    assert [one.step for one in resumed.steps] == [0]


async def test_an_advantage_set_after_the_rollout_was_read_is_seen(store: Store) -> None:
    recorder = start_training(store)
    run_id = await roll(recorder, 0, "sum", 0, 1.0)
    reader = TrainingReader(store, recorder.training_id)
    over = reader.read()
    assert over is not None
    assert [one.advantage for one in over.rollouts] == [None]
    recorder.set_advantages(0, {run_id: 0.25})
    known = reader.read()
    assert known is not None
    assert [one.advantage for one in known.rollouts] == [0.25]
    assert reader.read() is None


async def test_nothing_is_missed_after_a_reading_that_failed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = start_training(store)
    reader = TrainingReader(store, recorder.training_id)
    await train(recorder, steps=2)

    def fails(*_: object) -> list[trainings.TrainingStep]:
        raise StoreError("The disk reports an error.")

    with monkeypatch.context() as broken:
        broken.setattr(trainings, "steps_of", fails)
        with pytest.raises(StoreError):
            reader.read()
    await roll(recorder, 2, "sum", 0, 1.0)
    again = reader.read()
    assert again is not None
    assert again.rollouts == rollouts.rollouts_of(store, recorder.training_id)


async def test_groups_know_their_best_and_worst(store: Store) -> None:
    recorder = start_training(store)
    for number, reward in enumerate((0.5, 1.0, 0.0)):
        await roll(recorder, 0, "sum", number, reward)
    await roll(recorder, 0, "same", 0, 1.0)
    await recorder.rollout(1, task("sum"), 0)  # a rollout that has only started
    same, sums, begins = groups_of(rollouts.rollouts_of(store, recorder.training_id))
    assert (same.task, same.differs, sums.differs, begins.differs) == ("same", False, True, False)
    assert (sums.mean_reward, begins.mean_reward) == (0.5, None)
    assert sums.best is not None
    assert sums.worst is not None
    assert (sums.best.number, sums.worst.number, begins.best) == (1, 2, None)


def test_held_out_tasks_that_are_attempted_once_are_one_group() -> None:
    def rollout(step: int, task: str, number: int = 0) -> Rollout:
        held_out = task.startswith("unseen")
        return Rollout(
            run_id=f"{step}-{task}-{number}",
            step=step,
            task=task,
            number=number,
            split="held_out" if held_out else "train",
            reward=float(number),
        )

    once = [rollout(0, "sum"), rollout(0, "unseen-1"), rollout(0, "unseen-2")]
    twice = [rollout(1, "unseen-1"), rollout(1, "unseen-1", 1), rollout(1, "unseen-2")]
    groups = groups_of([*once, *twice])
    assert [(one.step, one.task, len(one.rollouts)) for one in groups] == [
        (0, "sum", 1),
        (0, "held-out tasks", 2),
        (1, "unseen-1", 2),
        (1, "unseen-2", 1),
    ]
    assert not any(one.differs for one in groups)


async def test_only_good_rollouts_are_exported(store: Store) -> None:
    recorder = start_training(store)
    good = await roll(recorder, 0, "sum", 0, 1.0)
    also = await roll(recorder, 1, "sum", 0, 1.0)
    other = await roll(recorder, 1, "other", 0, 0.75)
    await roll(recorder, 1, "other", 1, 0.0)
    measured = await recorder.rollout(1, task("unseen"), 0, split="held_out")
    await measured.finish(INFO, 1.0, truncated=False)
    gone = await roll(recorder, 1, "gone", 0, 1.0)
    store.delete(gone)

    def ids(selection: Selection) -> set[str]:
        return {one.run_id for one in selected(store, recorder.training_id, selection)}

    assert ids(Selection()) == {good, also}
    assert ids(Selection(min_reward=0.5)) == {good, also, other}
    assert ids(Selection(held_out=True)) == {good, also, measured.run_id}
    assert len(ids(Selection(min_reward=0.5, each=1))) == 2

    found = selected(store, recorder.training_id, Selection())
    first, _ = map(json.loads, sft_lines(store, found))
    assert (first["session"], first["task"], first["reward"]) == (good, "sum", 1.0)
    assert {one["function"]["name"] for one in json.loads(first["tools"])} >= {"execute_bash"}
    roles = [message["role"] for message in first["messages"]]
    assert roles[:3] == ["system", "user", "assistant"]
    called = next(message for message in first["messages"] if message.get("tool_calls"))
    assert isinstance(called["content"], str)
    assert isinstance(called["tool_calls"][0]["function"]["arguments"], str)
    assert "weight" not in called


async def test_secrets_are_counted_that_stand_in_the_file(store: Store, tmp_path: Path) -> None:
    recorder = start_training(store)
    run_id = await roll(recorder, 0, "sum", 0, 1.0)
    secret = "the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
    last = store.run(run_id).last_seq
    end = e.RunFinished(seq=last + 1, t=9.0, reason="submitted", error=secret, totals=e.Totals())
    store.append(run_id, [end])  # its error is no part of the conversation
    file = tmp_path / "good.jsonl"
    done = write_sft(store, recorder.training_id, Selection(), file)
    assert done.redacted == file.read_text().count("********") == 0


async def test_a_training_is_deleted_alone_or_with_its_sessions(store: Store) -> None:
    recorder = start_training(store)
    run_id = await roll(recorder, 0, "sum", 0, 1.0)
    with pytest.raises(ConfigError, match="still running"):
        delete_training(store, recorder.training_id)
    recorder.finish()
    delete_training(store, recorder.training_id)
    assert trainings.summaries(store) == []
    assert store.has_run(run_id)

    recorder = start_training(store)
    run_id = await roll(recorder, 0, "sum", 0, 1.0)
    recorder.finish()
    assert delete_with_sessions(store, recorder.training_id) == 1
    assert not store.has_run(run_id)
    assert trainings.summaries(store) == []
