"""Generates tasks: a question in the prompt, with its answer in documents.

Non-agentic data in the sense of LLM-in-Sandbox-RL (arXiv 2601.16206): no question mentions tools or
a computer, and each can be answered by reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Family, Problem
from sandbox_tui.core.evals.task import Task

DOMAINS = ("lookup", "records", "tables", "letters", "reports", "logs", "settings")
LEVELS = (1, 2, 3, 4)
"""1: one file of a few lines. 2: one longer file. 3: several files. 4: several files, some of which
only seem to answer the question."""

MAX_DRAWS = 200
"""Maximum number of draws for one task before the generator gives up on finding a new one."""


def families_of(domain: str) -> dict[str, Family]:
    """Return the task families of a domain, by name."""
    return import_module(f"{__package__}.{domain}").FAMILIES


def generate_tasks(
    count: int,
    *,
    seed: int = 0,
    domains: Sequence[str] = DOMAINS,
    levels: Sequence[int] = LEVELS,
) -> Iterator[Task]:
    """Generate tasks; no two share a document, or a question with its answer.

    The same arguments give the same tasks on every version of Python; a smaller `count` gives the
    first tasks of a larger one. Domains, families and levels take turns.

    Args:
        count: number of tasks.
        seed: another seed gives other tasks.
        domains: domains to generate.
        levels: levels to generate.

    Raises:
        ConfigError: a domain or level does not exist, or no further new task was found.
    """
    if unknown := [name for name in domains if name not in DOMAINS]:
        raise ConfigError(
            f"There is no domain {unknown[0]!r} to generate. Known domains: {', '.join(DOMAINS)}."
        )
    if not domains or not levels or not set(levels) <= set(LEVELS):
        raise ConfigError("The levels of generated tasks are 1, 2, 3 and 4.")
    seen: set[str] = set()
    turns = [(domain, level) for level in levels for domain in domains]
    for index in range(count):
        turn, place = divmod(index, len(turns))
        domain, level = turns[place]
        families = families_of(domain)
        name = list(families)[turn % len(families)]
        problem = _new(families[name], f"{seed}/{domain}/{level}/{turn}", level, seen)
        yield _task(problem, f"{domain}-{seed}-{level}-{turn + 1:05}", domain, name, level)


def _new(family: Family, seed: str, level: int, seen: set[str]) -> Problem:
    """Return the first problem that shares no document or question with earlier ones."""
    for attempt in range(MAX_DRAWS):
        problem = family(Draw(f"{seed}/{attempt}"), level)
        marks = {text.decode() for text in problem.files.values()}
        marks.add(f"{problem.text}\0{problem.target}")
        if not marks & seen:
            seen |= marks
            return problem
    raise ConfigError(
        "There are no further tasks of this kind that are new; generate fewer, or more levels and "
        "domains."
    )


def _task(problem: Problem, task_id: str, domain: str, family: str, level: int) -> Task:
    return Task(
        id=task_id,
        problem=problem.text,
        target=problem.target,
        domain=domain,
        scorer=problem.scorer,
        level=level,
        files=problem.files,
        metadata={"family": family, "size": problem.size, **problem.metadata},
    )
