"""Says in which ways two evaluations did not ask the same, so that a comparison may mislead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from sandbox_tui.core.base.cut_text import cut_text
from sandbox_tui.core.config.quantities import quantity_text
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task

NO_COMMON_TASK = "They have no task in common."

MAX_NAMED = 3
"""Maximum number of tasks that a sentence names."""

MAX_TEXT_CHARS = 40

_PARTS = {
    "problem": "question",
    "target": "target",
    "domain": "domain",
    "level": "level",
    "files": "files",
    "image": "image",
    "setup": "set-up",
    "limits": "limits",
    "metadata": "other data",
}
"""Fields of a task in words."""

_SHOWN = ("target", "domain", "level", "image")
"""Fields whose values are short enough to be shown."""


def suite_differences(
    left: Suite, right: Suite, left_packs: Mapping[str, str], right_packs: Mapping[str, str]
) -> tuple[str, ...]:
    """Return sentences about the tasks that both evaluations have; empty if both asked and scored
    these in the same way. Other tasks, modes and numbers of samples do not matter.

    Args:
        left, right: the suites that ran.
        left_packs, right_packs: digests of their prompt packs by use; unknown ones are left out.
    """
    return tuple(_differences(left, right, left_packs, right_packs))


def sandbox_difference(left: EvalInfo, right: EvalInfo) -> tuple[str, ...]:
    """Return a sentence if both evaluations used sandboxes, of different kinds."""
    kinds = left.sandbox_used, right.sandbox_used
    if not all(kinds) or kinds[0] == kinds[1]:
        return ()
    return (f"Their sandboxes differ ({', '.join(kinds)}).",)


def _differences(
    left: Suite, right: Suite, left_packs: Mapping[str, str], right_packs: Mapping[str, str]
) -> Iterator[str]:
    tasks, others = _by_id(left), _by_id(right)
    both = tasks.keys() & others.keys()
    if not both:
        yield NO_COMMON_TASK
        return
    if changed := [name for name in tasks if name in both and tasks[name] != others[name]]:
        listed = [_task_difference(tasks[name], others[name]) for name in changed[:MAX_NAMED]]
        if len(changed) > MAX_NAMED:
            listed.append(f"and {len(changed) - MAX_NAMED} more")
        yield (
            f"{len(changed)} of the {len(both)} tasks with the same id in both "
            f"{'differs' if len(changed) == 1 else 'differ'}: {'; '.join(listed)}."
        )
    scoring, other_scoring = _scoring_by_id(left), _scoring_by_id(right)
    rescored = sum(scoring[name] != other_scoring[name] for name in both)
    if rescored:
        yield f"{rescored} of the {len(both)} tasks in both are scored in another way."
    if any(left_packs[use] != right_packs[use] for use in left_packs.keys() & right_packs.keys()):
        yield "Their prompts differ."
    values, other_values = _settings(left), _settings(right)
    names = dict.fromkeys((*values, *other_values))
    differing = [
        f"{name} ({values.get(name, 'not set')}, {other_values.get(name, 'not set')})"
        for name in names
        if values.get(name) != other_values.get(name)
    ]
    if differing:
        yield f"Their suites set other values: {', '.join(differing)}."


def _task_difference(left: Task, right: Task) -> str:
    """Return a task's id and what differs in it, with the values that are short."""
    parts: list[str] = []
    for field, words in _PARTS.items():
        before, after = getattr(left, field), getattr(right, field)
        if before == after:
            continue
        shown = f" {_short(before)} → {_short(after)}" if field in _SHOWN else ""
        parts.append(words if shown and _short(before) == _short(after) else f"{words}{shown}")
    return f"task {_short(left.id)}: {', '.join(parts)}"


def _short(value: object) -> str:
    words = " ".join(str(value).split()) or "none"
    return cut_text(words, MAX_TEXT_CHARS)


def _by_id(suite: Suite) -> dict[str, Task]:
    """Return the tasks without their scorers, which are compared separately."""
    return {task.id: msgspec.structs.replace(task, scorer="") for task in suite.tasks}


def _scoring_by_id(suite: Suite) -> dict[str, tuple[str, object]]:
    scorers = ((task.id, suite.scorer_of(task)) for task in suite.tasks)
    return {name: (scorer, suite.scorer_options.get(scorer)) for name, scorer in scorers}


def _settings(suite: Suite) -> dict[str, object]:
    """Return what a suite sets, by name; what it leaves to the user's settings is left out, and so
    is the kind of sandbox that it asks for (`sandbox_difference`)."""
    parts = {"model": suite.model, "limits": suite.limits, "sandbox": suite.sandbox}
    found: dict[str, object] = {
        f"{part} {name.replace('_', ' ')}": quantity_text(f"{part}.{name}", value)
        for part, values in parts.items()
        for name, value in values.items()
        if (part, name) != ("sandbox", "kind")
    }
    if suite.window is not None:
        found["room for documents"] = suite.window
    return found
