"""Generated tasks: answers computed a second time, variety, reproducibility."""

from __future__ import annotations

from collections import Counter

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.scorers.base import Attempt
from sandbox_tui.core.evals.scorers.table import scorer_named
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.data.generated.generate import (
    DOMAINS,
    LEVELS,
    families_of,
    generate_tasks,
)
from tests.unit.core.rl.data.answers import SOLVERS, solved


def some(domain: str, *, per_family: int = 12) -> list[Task]:
    count = per_family * len(families_of(domain)) * len(LEVELS)
    return list(generate_tasks(count, seed=7, domains=[domain]))


def test_every_family_is_solved_a_second_time() -> None:
    assert {(domain, name) for domain in DOMAINS for name in families_of(domain)} == set(SOLVERS)


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_answer_is_what_the_documents_say(domain: str) -> None:
    for task in some(domain):
        assert solved(task) == task.target, (task.id, task.problem, task.files)


@pytest.mark.parametrize("domain", DOMAINS)
async def test_the_answer_scores_and_no_answer_does_not(domain: str) -> None:
    for task in some(domain, per_family=1):
        scorer = scorer_named(task.scorer)
        right = await scorer.score(Attempt(task=task, mode="vanilla", answer=task.target))
        none = await scorer.score(Attempt(task=task, mode="vanilla", answer=None))
        assert (right.value, none.value) == (1, 0)


@pytest.mark.parametrize("domain", DOMAINS)
def test_levels_grow(domain: str) -> None:
    tasks = some(domain)
    for name in families_of(domain):
        sizes = [
            sum(
                task.metadata["size"]
                for task in tasks
                if (task.metadata["family"], task.level) == (name, level)
            )
            for level in LEVELS
        ]
        assert sizes == sorted(sizes)
    for task in tasks:
        assert (len(task.files) == 1) == (task.level <= 2)
        if task.level == 1:
            assert sum(map(len, task.files.values())) <= 400


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_answer_is_right_most_of_the_time(domain: str) -> None:
    tasks = list(
        generate_tasks(150 * len(families_of(domain)), seed=5, domains=[domain], levels=[1])
    )
    kinds = Counter(task.metadata["family"] for task in tasks)
    answers = Counter((task.metadata["family"], task.target) for task in tasks)
    (family, _), count = answers.most_common(1)[0]
    assert count <= 0.5 * kinds[family]


def test_tasks_repeat_and_no_two_are_the_same() -> None:
    tasks = list(generate_tasks(400, seed=3, levels=[1]))
    assert list(generate_tasks(200, seed=3, levels=[1])) == tasks[:200]
    assert len({task.id for task in tasks}) == 400
    assert len({(task.problem, task.target) for task in tasks}) == 400
    documents = [data for task in tasks for data in task.files.values()]
    assert len(set(documents)) == len(documents)
    other = {task.problem + task.target for task in generate_tasks(400, seed=4, levels=[1])}
    assert len(other & {task.problem + task.target for task in tasks}) < 20


def test_impossible_requests_are_refused() -> None:
    with pytest.raises(ConfigError, match="no domain 'poems'"):
        list(generate_tasks(1, domains=["poems"]))
    with pytest.raises(ConfigError, match="1, 2, 3 and 4"):
        list(generate_tasks(1, levels=[5]))
