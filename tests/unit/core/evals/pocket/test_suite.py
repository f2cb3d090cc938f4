"""Holds for all of pocket: the same tasks every time, all distinct, harder level by level."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean

import msgspec
import pytest

from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.loaders.pocket import load
from sandbox_tui.core.evals.pocket.suite import DOMAINS, families_of, pocket_tasks
from sandbox_tui.core.evals.scorers.base import Attempt, Scorer
from sandbox_tui.core.evals.scorers.table import scorer_named
from sandbox_tui.core.evals.task import Task
from tests.unit.core.evals.pocket.samples import SEEDS, all_of, tasks_of

EVERYWHERE = pytest.mark.parametrize("domain", DOMAINS)


def digest(tasks: tuple[Task, ...]) -> str:
    return hashlib.sha256(msgspec.json.encode(tasks, order="deterministic")).hexdigest()


@EVERYWHERE
def test_the_same_seed_gives_the_same_tasks_in_another_process(domain: str) -> None:
    """Uses another hash seed, so that the order of a set cannot leak into a task."""
    script = (
        "import hashlib, msgspec; from sandbox_tui.core.evals.pocket.suite import pocket_tasks\n"
        f"tasks = pocket_tasks(seed=5, per_domain=18, domains=({domain!r},))\n"
        "print(hashlib.sha256(msgspec.json.encode(tasks, order='deterministic')).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7"},
    )
    here = digest(pocket_tasks(seed=5, per_domain=18, domains=(domain,)))
    assert done.stdout.strip() == here
    assert here != digest(pocket_tasks(seed=6, per_domain=18, domains=(domain,)))


def test_the_tasks_of_seed_0_are_known() -> None:
    """The tasks are the same on every version of Python.

    A deliberate change to the tasks must update the digest: suite scores from before and after it
    are not comparable.
    """
    tasks = tuple(task for domain in DOMAINS for task in pocket_tasks(domains=(domain,)))
    assert digest(tasks)[:16] == "dd8745f3bdf53a8c"


@EVERYWHERE
def test_fewer_tasks_are_the_first_of_more(domain: str) -> None:
    assert pocket_tasks(per_domain=7, domains=(domain,)) == tasks_of(domain, 0)[:7]


@EVERYWHERE
def test_tasks_are_distinct(domain: str) -> None:
    tasks = [task for seed in SEEDS for task in tasks_of(domain, seed)]
    assert len(tasks) >= 150
    assert len({task.id for task in tasks}) == len(tasks)
    assert len({(task.problem, *task.files.items()) for task in tasks}) == len(tasks)
    for seed in SEEDS:
        asked = [task.problem for task in tasks_of(domain, seed)]
        assert len(set(asked)) == len(asked)


@EVERYWHERE
def test_no_answer_dominates(domain: str) -> None:
    """A model that always gives the same answer is right for at most one task in ten."""
    for seed in SEEDS:
        tasks = tasks_of(domain, seed)
        [(answer, count)] = Counter(task.target for task in tasks).most_common(1)
        assert count <= len(tasks) / 10, answer


@EVERYWHERE
def test_every_family_has_every_level(domain: str) -> None:
    found = {(task.metadata["family"], task.level) for task in tasks_of(domain, 0)}
    assert found == {(name, level) for name in families_of(domain) for level in (1, 2, 3)}


@EVERYWHERE
def test_levels_grow_in_every_family(domain: str) -> None:
    """Measured by the size that each family states: digits, steps, bytes, constraints."""
    for family in families_of(domain):
        tasks = list(all_of(domain, family))
        sizes = [mean(t.metadata["size"] for t in tasks if t.level == level) for level in (1, 2, 3)]
        assert sizes[0] < sizes[1] < sizes[2], (family, sizes)


@EVERYWHERE
def test_families_take_turns(domain: str) -> None:
    tasks = pocket_tasks(per_domain=20, domains=(domain,))
    counts = Counter(task.metadata["family"] for task in tasks)
    assert max(counts.values()) - min(counts.values()) <= 2
    assert min(Counter(task.level for task in tasks).values()) >= 5


@EVERYWHERE
def test_problems_say_how_to_answer_and_name_their_files(domain: str) -> None:
    for seed in SEEDS:
        for task in tasks_of(domain, seed):
            assert "answer.txt" not in task.problem
            assert "{" not in task.problem or "json" in task.problem.lower()
            assert task.problem == task.problem.strip()
            assert re.search(r"[Aa]nswer|[Gg]ive|[Ss]tate|[Ww]rite", task.problem), task.problem
            assert bool(task.files) == ("input file" in task.problem), task.problem


def baseline_answers(task: Task) -> dict[str, str]:
    """Answers that need no thought, such as the first, last or largest number of the problem."""
    numbers = re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w])", task.problem)
    words = re.findall(r"[A-Za-z]+", task.problem)
    answers = {"last word": words[-1], "whole problem": task.problem}
    if numbers:
        answers |= {"last": numbers[-1], "first": numbers[0], "largest": max(numbers, key=float)}
    return answers


@EVERYWHERE
async def test_answers_cannot_be_copied_from_the_problem(domain: str) -> None:
    """Each baseline solves at most one task in fifty; over these seeds, the last number none."""
    right: Counter[str] = Counter()
    tasks = [task for seed in SEEDS for task in tasks_of(domain, seed)]
    for task in tasks:
        if task.scorer == "hidden_tests":
            continue  # needs a sandbox: tests/integration/test_hidden_tests.py
        scorer = scorer_named(task.scorer)
        for name, answer in baseline_answers(task).items():
            right[name] += (await score(scorer, task, answer)) > 0
    assert all(count <= len(tasks) / 50 for count in right.values()), right


async def score(scorer: Scorer, task: Task, answer: str) -> float:
    return (await scorer.score(Attempt(task=task, mode="vanilla", answer=answer))).value


@EVERYWHERE
async def test_scorers_accept_every_target_and_refuse_none_at_all(domain: str) -> None:
    for task in tasks_of(domain, 0):
        if task.scorer == "hidden_tests":
            continue
        scorer = scorer_named(task.scorer)
        assert await score(scorer, task, task.target) == 1, (task.problem, task.target)
        for nothing in ("", "  \n", "?", "I do not know.", "NaN", "inf", "١٢٣"):
            assert await score(scorer, task, nothing) == 0, (task.problem, nothing)


@EVERYWHERE
async def test_numbers_in_honest_formats_and_near_misses(domain: str) -> None:
    for task in tasks_of(domain, 0):
        if task.scorer != "number":
            continue
        scorer = scorer_named("number")
        target, unit = task.target, task.metadata.get("unit", "")
        for honest in (
            f"{target} {unit}".strip(),
            f"\\boxed{{{target}}}",
            f"$\\boxed{{{target}\\ \\text{{{unit}}}}}$",
            f"First 3 steps, then 4 more.\n\n**Answer: {target} {unit}**".replace(" **", "**"),
            f"After some work, the result is {target} {unit}".strip() + ".",
        ):
            assert await score(scorer, task, honest) == 1, (task.problem, honest)
        if task.metadata.get("integer"):
            near = [str(int(target) + 1), str(int(target) - 1), f"{target}1"]
            near += [str(-int(target))] if int(target) else []
        else:
            step = float(target) * task.metadata["relative"]
            near = [f"{float(target) + 1.5 * step:.12g}", f"{float(target) - 1.5 * step:.12g}"]
            near += [f"{target} furlongs or {float(target) * 2}", f"{target} lb"] if unit else []
        for wrong in [*near, f"either {target} or 4", f"{target}, 17", "9" * 9_999]:
            assert await score(scorer, task, wrong) == 0, (task.problem, wrong)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="no domain 'magic'"):
        pocket_tasks(domains=("magic",))
    with pytest.raises(ValueError, match="levels"):
        pocket_tasks(levels=(4,))
    with pytest.raises(ValueError, match="levels"):
        pocket_tasks(levels=())


def test_one_level_alone() -> None:
    tasks = pocket_tasks(per_domain=20, domains=DOMAINS[:1], levels=(3,))
    assert {task.level for task in tasks} == {3}


def test_threads_that_load_the_same_selection_generate_it_once() -> None:
    dataset = Dataset(loader="pocket", per_domain=2, domains=DOMAINS[:1], seed=7)
    with ThreadPoolExecutor(4) as threads:
        first, *others = threads.map(lambda _: load(dataset, Path()), range(4))
    assert all(tasks is first for tasks in others)
    assert list(first) == list(pocket_tasks(per_domain=2, domains=DOMAINS[:1], seed=7))
