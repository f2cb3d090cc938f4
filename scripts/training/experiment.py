"""The experiment of docs/training.md: a tiny model learns to use a sandbox, on CPUs.

    python scripts/training/experiment.py FOLDER [--steps 24] [--seeds 3] [--arms sandbox,text]

Creates the model and the tasks in FOLDER if they are missing, trains every arm with every seed that
is not yet trained, all at the same time, and prints the tables. Needs the extra `trl` and
bubblewrap.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copy

from sandbox_tui.core.rl.data.task_file import encode_tasks
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import rollouts, trainings
from sandbox_tui.sessions.store.tables.rollouts import Rollout

sys.path.insert(0, str(Path(__file__).parent))
from trajectories import few_keys

HERE = Path(__file__).parent
PROGRAM = Path(sys.executable).with_name("sandbox-tui")
HELD_OUT = 48
CURVE_STEPS = 4
"""Training steps per column of the curve."""
EPISODES = {
    "sandbox": "{mode: sandbox, sandbox: bubblewrap, prompts: tiny.yaml, "
    "limits: {max_steps: 5, repeated_calls: 3}}",
    "text": "{mode: text, prompts: tiny_text.yaml}",
}
EPISODES["shuffled"] = EPISODES["sandbox"]
RECIPE = """engine: trl
model: tiny
data: {{train: train.jsonl, held_out: held-out.jsonl}}
episodes: {episodes}
training:
  steps: {steps}
  prompts: 4
  group: 6
  learning_rate: 4.0e-4
  reply_tokens: 24
  concurrency: 8
  shuffle_rewards: {shuffled}
evaluation: {{every: 12, tasks: {held_out}}}
checkpoints: {{every: 12, folder: out/{name}}}
seed: {seed}
threads: 1
"""


def prepare(folder: Path) -> None:
    """Create the model and the tasks if they are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for pack in ("tiny.yaml", "tiny_text.yaml"):
        copy(HERE / pack, folder)
    for name, seed, count in (("train", 1, 200), ("held-out", 2, 96)):
        file = folder / f"{name}.jsonl"
        if not file.exists():
            file.write_bytes(encode_tasks(few_keys(seed, count)))
    if not (folder / "tiny").exists():
        from tiny_model import make

        make(str(folder / "tiny"))


def train(folder: Path, arms: Sequence[str], seeds: int, steps: int) -> None:
    """Train every arm with every seed that is not yet trained, each in a separate home."""
    programs: list[subprocess.Popen[bytes]] = []
    for arm, seed in _each(arms, seeds):
        name = f"{arm}-{seed}"
        if (folder / "out" / name / "final").exists():
            continue
        recipe = folder / f"{name}.yaml"
        recipe.write_text(
            RECIPE.format(
                episodes=EPISODES[arm],
                steps=steps,
                shuffled=str(arm == "shuffled").lower(),
                held_out=HELD_OUT,
                name=name,
                seed=seed,
            )
        )
        home = {"SANDBOX_TUI_HOME": str(folder / "homes" / name)}
        programs.append(
            subprocess.Popen([PROGRAM, "rl", "train", str(recipe)], env={**os.environ, **home})
        )
    for program in programs:
        program.wait()


def attempts(home: Path, split: str) -> Iterator[Rollout]:
    """Yield the rollouts of a training that have a reward.

    Args:
        home: home of the training's database.
        split: `train` or `held_out`.
    """
    with Store(home / "sessions.db") as store:
        for one in rollouts.rollouts_of(store, trainings.summary(store).id):
            if one.split == split and one.reward is not None:
                yield one


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Wilson's 95% interval for a proportion."""
    n, share, z = len(values), sum(values) / len(values), 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - half, middle + half


def pooled(folder: Path, arm: str, seeds: int, split: str) -> dict[int, list[Rollout]]:
    """Group the rollouts of an arm by step, over its seeds."""
    found: dict[int, list[Rollout]] = {}
    for seed in range(1, seeds + 1):
        for one in attempts(folder / "homes" / f"{arm}-{seed}", split):
            found.setdefault(one.step, []).append(one)
    return dict(sorted(found.items()))


def table(folder: Path, arms: Sequence[str], seeds: int) -> str:
    """Format the held-out reward of every arm, over its seeds."""
    lines = ["| arm | step | rollouts | held-out reward | 95% |", "|---|---|---|---|---|"]
    for arm in arms:
        for step, rows in pooled(folder, arm, seeds, "held_out").items():
            values = [one.reward or 0.0 for one in rows]
            low, high = interval(values)
            row = (arm, str(step), str(len(rows)), _mean(values), f"{low:.3f} to {high:.3f}")
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def curve(folder: Path, arms: Sequence[str], seeds: int) -> str:
    """Format the mean reward and the share of truncated training rollouts, over the seeds of
    every arm and `CURVE_STEPS` steps.
    """
    by_arm = {arm: pooled(folder, arm, seeds, "train") for arm in arms}
    last = max(max(by_step) for by_step in by_arm.values())
    firsts = range(1, last + 1, CURVE_STEPS)
    lines = [
        f"| training rollouts, steps | {' | '.join(_steps(first) for first in firsts)} |",
        f"|---|{'---|' * len(firsts)}",
    ]
    for arm, by_step in by_arm.items():
        blocks = [
            [one for at in range(first, first + CURVE_STEPS) for one in by_step.get(at, ())]
            for first in firsts
        ]
        rewards = [_mean([one.reward or 0.0 for one in block]) for block in blocks]
        truncated = [_mean([float(one.truncated) for one in block]) for block in blocks]
        lines.append(f"| {arm}, reward | {' | '.join(rewards)} |")
        lines.append(f"| {arm}, truncated | {' | '.join(truncated)} |")
    return "\n".join(lines)


def _steps(first: int) -> str:
    return f"{first}-{first + CURVE_STEPS - 1}"


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.3f}" if values else ""


def _each(arms: Sequence[str], seeds: int) -> Iterator[tuple[str, int]]:
    return ((arm, seed) for seed in range(1, seeds + 1) for arm in arms)


def main() -> None:
    """Run the experiment and print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--arms", default="sandbox,shuffled,text")
    options = parser.parse_args()
    arms = options.arms.split(",")
    prepare(options.folder)
    train(options.folder, arms, options.seeds, options.steps)
    for made in (table, curve):
        sys.stdout.write(f"{made(options.folder, arms, options.seeds)}\n\n")


if __name__ == "__main__":
    main()
