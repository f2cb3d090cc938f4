"""A task of an evaluation: a problem and the target that its answer is compared with."""

from __future__ import annotations

from typing import Any

import msgspec

VANILLA_PROMPT = "vanilla_prompt"
"""Metadata key of the complete prompt for `vanilla`, which replaces problem and documents."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One task. Plain data, so that it can be stored and sent to another machine as JSON.

    Attributes:
        id: unique in its suite.
        problem: what the model is asked.
        target: the correct answer, in the form that the task's scorer reads.
        domain: report row that the task counts towards, such as `math`.
        scorer: name of the scorer (`scorers.table`); empty: the suite's for this domain.
        level: difficulty, where 1 is the easiest; 0: unknown.
        files: input files, by path in the input directory. Text files among them are the documents
            that `vanilla` puts in the prompt.
        image: container image that overrides the suite's; empty: the suite's.
        setup: commands to run in the sandbox before the model starts.
        limits: limits of the run that override the suite's (fields of `Limits`).
        metadata: additional data for scorers and readers of the report.
    """

    id: str
    problem: str
    target: str
    domain: str = ""
    scorer: str = ""
    level: int = 0
    files: dict[str, bytes] = {}
    image: str = ""
    setup: tuple[str, ...] = ()
    limits: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
