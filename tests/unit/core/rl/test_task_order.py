"""Which tasks each training step gets."""

from __future__ import annotations

from collections import Counter

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.training.task_order import seed_of_attempt, tasks_of_step

TASKS = [Task(id=f"t{n}", problem="", target="") for n in range(7)]


def test_every_task_comes_once_before_any_comes_again() -> None:
    seen = [task.id for step in range(1, 8) for task in tasks_of_step(TASKS, step, 3, 1)]
    assert Counter(seen[:7]) == Counter(seen[7:14]) == Counter(task.id for task in TASKS)
    assert seen[:7] != seen[7:14]


def test_a_step_does_not_depend_on_the_steps_before() -> None:
    assert tasks_of_step(TASKS, 5, 3, 1) == tasks_of_step(TASKS, 5, 3, 1)
    assert tasks_of_step(TASKS, 1, 7, 1) != tasks_of_step(TASKS, 1, 7, 2)


def test_attempts_are_sampled_with_seeds_of_their_own() -> None:
    seeds = {
        seed_of_attempt(seed, step, task, number, split)
        for seed in (1, 2)
        for step in (1, 2)
        for task in ("a", "b")
        for number in (0, 1)
        for split in ("train", "held_out")
    }
    assert len(seeds) == 32
    assert all(0 <= seed < 2**31 for seed in seeds)
