"""Evaluate every model of an experiment with a sandbox and without (docs/training.md).

    python scripts/training/both_modes.py FOLDER [--seeds 3] [--arms sandbox,text] [--tasks 48]

Serves the warm-started model once per seed and each model that `experiment.py` trained in FOLDER,
runs the suite `lookup.yaml` on it in both modes, and prints a table of the samples listed by `eval
report`.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copy

sys.path.insert(0, str(Path(__file__).parent))
from experiment import PROGRAM, interval

HERE = Path(__file__).parent
SUITE = "lookup.yaml"
MODES = ("vanilla", "sandbox")
REPLY_TOKENS = 24


def evaluate(folder: Path, model: Path, name: str, tasks: int, seed: int = 1) -> Path:
    """Run the suite on a model, in a separate home; return a CSV file of its samples."""
    samples = folder / "samples" / f"{name}.csv"
    if samples.exists():
        return samples
    samples.parent.mkdir(exist_ok=True)
    env = {**os.environ, "SANDBOX_TUI_HOME": str(folder / "homes" / f"modes-{name}")}
    serving = (PROGRAM, "rl", "serve-model", model, "--name", name, "--port", "0", "--threads", "1")
    with subprocess.Popen(serving, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().split()[-1]
            asked = ("--model", name, "--base-url", address, "--seed", str(seed))
            bounds = ("--limit", str(tasks), "--max-tokens", str(REPLY_TOKENS), "--headless")
            run = (PROGRAM, "eval", "run", folder / SUITE, *asked, *bounds, "--concurrency", "8")
            subprocess.run(run, env=env, stdout=subprocess.DEVNULL, check=True)
        finally:
            server.terminate()
    report = (PROGRAM, "eval", "report", "last", "--format", "csv", "--output", samples)
    subprocess.run(report, env=env, stdout=subprocess.DEVNULL, check=True)
    return samples


def scores(samples: Path, mode: str) -> Iterator[float]:
    """Yield the scores of one mode; a sample without a score failed and counts as 0."""
    with samples.open(newline="") as lines:
        for row in csv.DictReader(lines):
            if row["mode"] == mode:
                yield float(row["score"] or 0)


def table(evaluated: dict[str, Sequence[Path]]) -> str:
    """Format the share of right answers by arm and mode, over all seeds."""
    lines = ["| model | mode | samples | score | 95% |", "|---|---|---|---|---|"]
    for arm, files in evaluated.items():
        for mode in MODES:
            values = [score for samples in files for score in scores(samples, mode)]
            low, high = interval(values)
            mean = f"{sum(values) / len(values):.3f}"
            row = (arm, mode, str(len(values)), mean, f"{low:.3f} to {high:.3f}")
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def main() -> None:
    """Run the evaluations and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--arms", default="sandbox,text")
    parser.add_argument("--tasks", type=int, default=48)
    options = parser.parse_args()
    folder: Path = options.folder.resolve()
    copy(HERE / SUITE, folder)
    seeds = range(1, options.seeds + 1)
    evaluated: dict[str, Sequence[Path]] = {
        "warm start": [
            evaluate(folder, folder / "tiny", f"warm-start-{seed}", options.tasks, seed)
            for seed in seeds
        ]
    }
    for arm in options.arms.split(","):
        names = [f"{arm}-{seed}" for seed in seeds]
        evaluated[arm] = [
            evaluate(folder, folder / "out" / name / "final", name, options.tasks) for name in names
        ]
    sys.stdout.write(f"{table(evaluated)}\n")


if __name__ == "__main__":
    main()
