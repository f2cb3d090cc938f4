"""A suite: tasks, the modes they are attempted in, and how they are scored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from sandbox_tui.core.evals.sample import EvalMode, Sample, SampleKey
from sandbox_tui.core.evals.task import Task

VANILLA = "vanilla"
"""Name of the prompt pack of `vanilla` unless a suite names another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A suite, with its tasks loaded.

    Attributes:
        name: of the built-in suite, or of the file.
        tasks: in the order in which they are attempted; ids are unique.
        modes: in which each task is attempted.
        samples: attempts at each task in each mode.
        scorers: names of scorers by domain; the key "" is for all other domains.
        scorer_options: settings of scorers by their names, such as the judge's server.
        prompts: name or file of the prompt pack of the sandbox modes; empty: the person's setting.
        vanilla_prompts: name or file of the prompt pack of `vanilla`; or by domain, and the key ""
            is for all other domains.
        model: sampling settings instead of the person's (fields of the `model` settings).
        limits: limits instead of the person's (fields of the `limits` settings).
        sandbox: sandbox settings instead of the person's (fields of the `sandbox` settings).
        seed: other seeds give other samples of the same tasks.
        window: tokens that the documents of `vanilla` may take; longer ones are cut, and the
            sample says so. None: as the model's context window has it.
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
        """Every sample: all modes of a task before the next task, so that pairs come early."""
        for number in range(1, self.samples + 1):
            for task in self.tasks:
                for mode in self.modes:
                    yield Sample(SampleKey(task.id, mode, number), task)

    def scorer_of(self, task: Task) -> str:
        """Name of the scorer of a task; empty: it has none."""
        return task.scorer or self.scorers.get(task.domain) or self.scorers.get("", "")

    def vanilla_prompts_of(self, domain: str) -> str:
        """Name or file of the prompt pack with which `vanilla` is asked tasks of a domain."""
        named = self.vanilla_prompts
        if isinstance(named, str):
            return named
        return named.get(domain) or named.get("") or VANILLA

    @property
    def domains(self) -> list[str]:
        """Of its tasks, by name; some may have none, which is the empty name."""
        return sorted({task.domain for task in self.tasks})

    def digest(self, prompts: Iterable[str] = ()) -> str:
        """Tells suites apart: the same digest means the same samples, scored the same way.

        Args:
            prompts: digests of the packs that its samples are asked with, in a fixed order; what
                the packs are called, and where their files are, does not matter.
        """
        suite = replace(self, prompts="", vanilla_prompts="")
        data = msgspec.json.encode((suite, list(prompts)), order="deterministic")
        return hashlib.sha256(data).hexdigest()[:16]
