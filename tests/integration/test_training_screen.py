"""Recorded episodes of a scripted policy in real sandboxes, and the screen of their training."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.pool import EpisodePool
from sandbox_tui.sessions import Store, replay
from sandbox_tui.sessions.rl.recorder import TrainingRecorder
from sandbox_tui.sessions.rl.rollout_record import RolloutRecord
from sandbox_tui.sessions.store.tables import rollouts, trainings
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.lifecycle.first_screen import WatchTraining
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.delete_with_sessions import DeleteWithSessionsDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.training.training_screen import TrainingScreen
from sandbox_tui.tui.screens.training.trainings_screen import TrainingsScreen
from sandbox_tui.tui.widgets.training.rollout_wall import RolloutWall
from sandbox_tui.tui.widgets.training.training_list import TrainingList
from tests.integration.conftest import require
from tests.unit.core.rl.episode_parts import LOOK, SUBMIT, TASK, SameAsTarget, answering, message
from tests.waiting import until

READ = message(("execute_bash", {"command": "cat input/rooms/list.txt"}))

RIGHT = (READ, answering("42"), SUBMIT)
WRONG = (LOOK, READ, answering("7"), SUBMIT)


async def attempt(pool: EpisodePool, record: RolloutRecord, script: tuple[Message, ...]) -> float:
    """One episode of a policy that sends these messages."""
    episode = pool.episode(events=record.events, identity=record.identity)
    await episode.reset(TASK)
    for said in script:
        result = await episode.step(said)
    await episode.close()
    await record.finish(result.info, result.reward, result.truncated)
    return result.reward


async def trained(store: Store) -> TrainingRecorder:
    """A step with one group: a correct answer and a wrong one."""
    recorder = TrainingRecorder(store)
    recorder.begin({}, name="keys", engine="script", model="scripted", seed=1)
    async with EpisodePool(EpisodeSettings(sandbox="bubblewrap"), SameAsTarget()) as pool:
        records = [await recorder.rollout(0, TASK, number) for number in range(2)]
        rewards = [
            await attempt(pool, record, script)
            for record, script in zip(records, (RIGHT, WRONG), strict=True)
        ]
    assert rewards == [1.0, 0.0]
    advantages = {
        record.run_id: reward - 0.5 for record, reward in zip(records, rewards, strict=True)
    }
    recorder.set_advantages(0, advantages)
    recorder.step_finished(0, {"reward": 0.5, "held_out_reward": 0.25, "loss": 0.1})
    return recorder


def on_top(app: SandboxTui, kind: type[Screen[Any]]) -> Callable[[], bool]:
    return lambda: isinstance(app.screen, kind)


async def test_a_recorded_episode_is_a_session(store: Store) -> None:
    require("bubblewrap")
    recorder = await trained(store)
    right, wrong = rollouts.rollouts_of(store, recorder.training_id)
    assert (right.reward, right.reason, right.steps, right.tool_calls) == (1.0, "submitted", 3, 3)
    assert (wrong.reward, wrong.advantage, wrong.truncated) == (0.0, -0.5, False)
    events = list(replay(store, right.run_id))
    kinds = [event.kind for event in events]
    assert kinds[0] == "RunStarted"
    assert kinds[-2:] == ["Scored", "RunFinished"]
    assert [kinds.count(kind) for kind in ("RunStarted", "Scored", "RunFinished")] == [1, 1, 1]
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    first = events[0]
    assert isinstance(first, e.RunStarted)
    assert (first.sandbox, first.model, first.run_id) == ("bubblewrap", "scripted", right.run_id)
    assert first.settings is not None
    assert first.settings.labels["training"] == recorder.training_id
    assert any("room 7: 42" in call.observation for call in store.calls(right.run_id))
    assert store.run(right.run_id).outcome == "submitted"


@pytest.mark.parametrize("size", [(160, 45), (60, 20)], ids=["160x45", "60x20"])
async def test_a_training_is_watched(
    store: Store, size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("bubblewrap")
    monkeypatch.chdir(tmp_path)
    recorder = await trained(store)
    begin = WatchTraining(trainings.summary(store))
    app = SandboxTui(load({"model.local_ports": []}), store, begin)
    async with app.run_test(size=size) as pilot:
        await until(pilot, on_top(app, TrainingScreen))
        screen = app.screen
        assert isinstance(screen, TrainingScreen)
        await until(pilot, lambda: screen.is_settled)
        wall = screen.query_one(RolloutWall)
        await until(pilot, lambda: wall.rollout is not None)

        # one that starts while the screen is open appears, and the cursor moves along the group
        late = await recorder.rollout(1, TASK, 0)
        await until(pilot, lambda: wall.group is not None and wall.group.step == 1)
        await late.abandon("The sandbox did not start.", "sandbox_error")
        await pilot.press("down", "right")
        assert wall.rollout is not None
        assert (wall.rollout.step, wall.rollout.number) == (0, 1)

        await pilot.press("b")
        await until(pilot, on_top(app, CompareScreen))
        await pilot.press("q")
        await until(pilot, on_top(app, TrainingScreen))
        await pilot.press("enter")
        await until(pilot, on_top(app, ReplayScreen))
        await pilot.press("q")
        await until(pilot, on_top(app, TrainingScreen))

        await pilot.press("f")
        await until(pilot, lambda: wall.block_count() == 1)
        await pilot.press("escape")
        await until(pilot, lambda: wall.block_count() == 2)

        await pilot.press("e")
        await until(pilot, on_top(app, PromptDialog))
        app.screen.query_one(Input).value = "0.5"
        await pilot.press("enter")
        path = tmp_path / f"{recorder.training_id}-sft.jsonl"
        await until(pilot, path.exists)
        (line,) = path.read_text().splitlines()
        assert json.loads(line)["reward"] == 1.0

        recorder.finish("stopped", "You stopped it.")
        await until(
            pilot, lambda: "You stopped it" in str(screen.query_one("#training-reason").render())
        )


async def test_trainings_are_reached_from_home_and_deleted(store: Store) -> None:
    recorder = TrainingRecorder(store)
    recorder.begin({}, name="keys", engine="script", model="scripted", seed=1)
    app = SandboxTui(load({"model.local_ports": []}), store, None)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, on_top(app, HomeScreen))
        await pilot.press("T")
        await until(pilot, on_top(app, TrainingsScreen))
        shown = app.screen.query_one(TrainingList)
        await until(pilot, lambda: shown.current is not None)
        await pilot.press("x")  # it is running
        await until(pilot, lambda: isinstance(app.screen, TrainingsScreen))
        recorder.finish()
        await until(pilot, lambda: shown.current is not None and not shown.current.running)
        await pilot.press("x")
        await until(pilot, on_top(app, DeleteWithSessionsDialog))
        await pilot.press("a")
        await until(pilot, lambda: shown.current is None)
        assert trainings.summaries(store) == []
        await pilot.press("q")
        await until(pilot, on_top(app, HomeScreen))
