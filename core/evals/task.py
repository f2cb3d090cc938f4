"""A task of an evaluation: a problem, and what its answer is compared with."""

from __future__ import annotations

from typing import Any

import msgspec

VANILLA_PROMPT = "vanilla_prompt"
"""Key of a task's metadata: all that `vanilla` is asked, instead of its problem and documents."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One task. Plain data, so that it can be stored and sent to another machine as JSON.

    Attributes:
        id: unique in its suite.
        problem: what the model is asked.
        target: what a right answer comes to, in the form that the task's scorer reads.
        domain: the row of the report it counts in, such as `math`.
        scorer: name of the scorer (`scorers.table`); empty: the suite's for this domain.
        level: how hard it is, 1 the easiest; 0: not known.
        files: input files, by path in the input directory. Text files among them are the documents
            that `vanilla` puts in the prompt.
        image: container image instead of the suite's; empty: the suite's.
        setup: commands run in the sandbox before the model begins.
        limits: limits of the run (fields of `Limits`) instead of the suite's.
        metadata: anything else a scorer or a reader of the report may want.
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
