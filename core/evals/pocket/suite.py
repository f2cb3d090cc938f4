"""`pocket`: a suite that is generated from a seed and needs no download.

Seven domains, three levels. The tasks are too hard for a small model to solve mentally, and fair
with a computer that has bash and Python's standard library; they need no network. Every answer can
be checked exactly, or within the tolerance in the task's metadata.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Family, Problem
from sandbox_tui.core.evals.task import Task

_FAMILIES = {
    "math": "mathematics",
    "physics": "physics",
    "chemistry": "chemistry",
    "biomedicine": "biomedicine",
    "long_context": "long_context",
    "instruction_following": "instructions",
    "software": "software",
}
DOMAINS = tuple(_FAMILIES)
LEVELS = (1, 2, 3)


def families_of(domain: str) -> dict[str, Family]:
    """Return the task families of a domain, by name."""
    module = import_module(f"{__package__}.{_FAMILIES[domain]}.families")
    return module.FAMILIES


def pocket_tasks(
    *,
    seed: int = 0,
    per_domain: int = 50,
    domains: Sequence[str] = DOMAINS,
    levels: Sequence[int] = LEVELS,
) -> tuple[Task, ...]:
    """Generate the tasks of some domains.

    The same arguments give the same tasks on every version of Python; a smaller `per_domain` gives
    the first tasks of a larger one.

    Args:
        seed: another seed gives other tasks.
        per_domain: number of tasks per domain; levels and families take turns.

    Raises:
        ValueError: a domain or level does not exist, or none is given.
    """
    if unknown := [name for name in domains if name not in _FAMILIES]:
        raise ValueError(f"pocket has no domain {unknown[0]!r}; it has {', '.join(DOMAINS)}.")
    if not levels or not set(levels) <= set(LEVELS):
        raise ValueError("The levels of pocket are 1, 2 and 3.")
    return tuple(
        task for domain in domains for task in _domain_tasks(seed, domain, per_domain, levels)
    )


def _domain_tasks(seed: int, domain: str, count: int, levels: Sequence[int]) -> list[Task]:
    families = families_of(domain)
    order = Draw(f"{seed}/{domain}").shuffled(list(families))
    tasks: list[Task] = []
    seen: set[str] = set()
    for index in range(count):
        turn, place = divmod(index, len(order))
        level = levels[(place + turn) % len(levels)]
        name = order[place]
        attempt = 0
        problem = families[name](Draw(f"{seed}/{domain}/{index}/{level}"), level)
        while problem.text in seen:  # few choices may give the same text twice
            attempt += 1
            problem = families[name](Draw(f"{seed}/{domain}/{index}/{level}/{attempt}"), level)
        seen.add(problem.text)
        tasks.append(
            _task(problem, f"{domain}-{seed}-{index + 1:03}-l{level}", domain, name, level)
        )
    return tasks


def _task(problem: Problem, task_id: str, domain: str, family: str, level: int) -> Task:
    return Task(
        id=task_id,
        problem=problem.text.strip(),
        target=problem.target,
        domain=domain,
        scorer=problem.scorer,
        level=level,
        files=problem.files,
        metadata={"family": family, "size": problem.size, **problem.metadata},
    )
