"""Training runs recorded as by a trainer, without an engine."""

from __future__ import annotations

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.core.rl.turn import EpisodeInfo
from sandbox_tui.sessions.rl.recorder import TrainingRecorder
from sandbox_tui.sessions.store.store import Store
from tests.unit.sample_run import sample

RECIPE = {"name": "hello", "steps": 3, "model": {"name": "tiny"}}


INFO = EpisodeInfo(
    reason="submitted",
    answer="42",
    explanation="42 is right.",
    steps=2,
    tool_calls=2,
    usage=e.Usage(input_tokens=300, output_tokens=120),
    seconds=1.5,
)
"""What an episode reports about itself."""


def task(name: str = "sum") -> Task:
    return Task(id=name, problem=f"Solve {name}.", target="42")


def start_training(store: Store) -> TrainingRecorder:
    """Start recording a training run."""
    recorder = TrainingRecorder(store)
    recorder.begin(RECIPE, name="hello", engine="trl", model="tiny", seed=7)
    return recorder


async def roll(recorder: TrainingRecorder, step: int, name: str, number: int, reward: float) -> str:
    """Record one rollout and return its session."""
    record = await recorder.rollout(step, task(name), number)
    for event in sample(f"answer {number}")[0][:-1]:
        record.events.post(event)
    await record.finish(INFO, reward, truncated=False)
    return record.run_id


async def train(recorder: TrainingRecorder, steps: int = 3, groups: int = 2, size: int = 2) -> None:
    """Record steps with groups in which every other rollout succeeds."""
    for step in range(steps):
        for group in range(groups):
            runs = [
                await roll(recorder, step, f"task-{group}", n, float(n % 2)) for n in range(size)
            ]
            recorder.set_advantages(step, {run: n - 0.5 for n, run in enumerate(runs)})
        recorder.step_finished(step, {"reward": 0.5, "held_out_reward": step / 10})
