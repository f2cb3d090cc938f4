"""A suite: tasks, the modes in which they are attempted, and how they are scored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from sandbox_tui.core.evals.sample import EvalMode, Sample, SampleKey
from sandbox_tui.core.evals.task import Task

VANILLA = "vanilla"
"""Default prompt pack of the `vanilla` mode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A suite, with its tasks loaded.

    Attributes:
        name: name of the built-in suite or of the file.
        tasks: in the order in which they are attempted; ids are unique.
        modes: modes in which each task is attempted.
        samples: number of attempts at each task in each mode.
        scorers: names of scorers by domain; the key "" covers all other domains.
        scorer_options: settings of scorers by scorer name, such as the judge's server.
        prompts: name or file of the prompt pack for the sandbox modes; empty: the user's setting.
        vanilla_prompts: name or file of the prompt pack for `vanilla`; or a table by domain, in
            which the key "" covers all other domains.
        model: sampling settings that override the user's (fields of the `model` settings).
        limits: limits that override the user's (fields of the `limits` settings).
        sandbox: sandbox settings that override the user's (fields of the `sandbox` settings).
        seed: another seed gives other samples of the same tasks.
        window: token budget for documents in the prompt; longer ones are cut, and the sample
            reports it. None: derived from the model's context window.
    """

    name: str
    tasks: tuple[Task, ...]
    modes: tuple[EvalMode, ...] = ("vanilla", "sandbox")
    samples: int = 1
    scorers: dict[str, str] = field(default_factory=dict[str, str])
    scorer_options: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    prompts: str = ""
    vanilla_prompts: str | dict[str, str] = VANILLA
    model: dict[str, Any] = field(default_factory=dict[str, Any])
    limits: dict[str, Any] = field(default_factory=dict[str, Any])
    sandbox: dict[str, Any] = field(default_factory=dict[str, Any])
    seed: int = 0
    window: int | None = None

    def plan(self) -> Iterator[Sample]:
        """Yield every sample: all modes of a task before the next, so that pairs come early."""
        for number in range(1, self.samples + 1):
            for task in self.tasks:
                for mode in self.modes:
                    yield Sample(SampleKey(task.id, mode, number), task)

    def scorer_of(self, task: Task) -> str:
        """Return the name of a task's scorer; empty if it has none."""
        return task.scorer or self.scorers.get(task.domain) or self.scorers.get("", "")

    def vanilla_prompts_of(self, domain: str) -> str:
        """Return the name or file of the prompt pack that `vanilla` uses for tasks of a domain."""
        named = self.vanilla_prompts
        if isinstance(named, str):
            return named
        return named.get(domain) or named.get("") or VANILLA

    @property
    def domains(self) -> list[str]:
        """Domains of the tasks, sorted; the empty name if some tasks have no domain."""
        return sorted({task.domain for task in self.tasks})

    def digest(self, prompts: Iterable[str] = ()) -> str:
        """Identify the suite's contents: equal digests mean equal samples, scored the same way.

        The kind of sandbox does not count: `auto` may mean any, and `EvalInfo` has the one in use.

        Args:
            prompts: digests of the prompt packs in use, in a fixed order; names and locations of
                the packs do not matter.
        """
        sandbox = {name: value for name, value in self.sandbox.items() if name != "kind"}
        suite = replace(self, prompts="", vanilla_prompts="", sandbox=sandbox)
        return _digest((suite, list(prompts)))

    def tasks_digest(self) -> str:
        """Identify the tasks alone: how often, in which modes and how they are attempted and scored
        does not count."""
        return _digest([msgspec.structs.replace(task, scorer="") for task in self.tasks])


def _digest(value: object) -> str:
    data = msgspec.json.encode(value, order="deterministic")
    return hashlib.sha256(data).hexdigest()[:16]
