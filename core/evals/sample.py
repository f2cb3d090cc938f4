"""A sample: one attempt at one task in one mode; and what it came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from sandbox_tui.core.evals.task import Task

EvalMode = Literal["vanilla", "sandbox", "sandbox-context"]
"""`vanilla`: one reply, no computer, documents in the prompt. `sandbox`: a computer, documents as
files. `sandbox-context`: a computer, documents in the prompt (the ablation of arXiv 2601.16206)."""

EVAL_MODES: tuple[EvalMode, ...] = ("vanilla", "sandbox", "sandbox-context")

SampleStatus = Literal["pending", "running", "scored", "unscored", "failed"]
"""`unscored`: the run ended, and the scorer failed. `failed`: the infrastructure failed as often as
it may, so that there is nothing to score."""


class SampleKey(NamedTuple):
    """What a sample is of. A tuple: reports of large suites make and compare many of them.

    Attributes:
        task: the task's id.
        mode: how it is attempted.
        number: 1, 2, 3 ... among the samples of this task and mode.
    """

    task: str
    mode: EvalMode
    number: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample to run."""

    key: SampleKey
    task: Task


class SampleResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Where a sample stands.

    Attributes:
        task, mode, number: what it is of.
        domain: of the task.
        level: of the task.
        status: see `SampleStatus`.
        run_id: the session of its last attempt; empty while it is pending.
        attempts: how many runs it took, those that the infrastructure failed among them.
        score: between 0 and 1; None unless `status` is `scored`.
        scorer: what scored it.
        explanation: a sentence on the score.
        answer: the model's.
        target: the task's.
        finish_reason: why its run ended (`FinishReason`); empty while it has not.
        error: a sentence, when its run or its scorer failed.
        seconds: wall clock of its run, without its scoring.
        scoring_seconds: wall clock of its scoring.
        steps, calls: of its run.
        input_tokens, output_tokens: of its run, as the server counts them.
        estimated: the server did not count; tokens follow from the length of the text.
        cost: US dollars, None where no price is known.
        began_at, ended_at: seconds since the epoch; 0 while not.
        memory_idle, memory_peak: bytes of its sandbox; None where there is none or nothing tells.
        cut_documents: documents that its prompt holds in part or not at all, for lack of room.
    """

    task: str
    mode: EvalMode
    number: int
    domain: str = ""
    level: int = 0
    status: SampleStatus = "pending"
    run_id: str = ""
    attempts: int = 0
    score: float | None = None
    scorer: str = ""
    explanation: str = ""
    answer: str | None = None
    target: str = ""
    finish_reason: str = ""
    error: str = ""
    seconds: float = 0.0
    scoring_seconds: float = 0.0
    steps: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False
    cost: float | None = None
    began_at: float = 0.0
    ended_at: float = 0.0
    memory_idle: int | None = None
    memory_peak: int | None = None
    cut_documents: int = 0

    @property
    def key(self) -> SampleKey:
        """What it is of."""
        return SampleKey(self.task, self.mode, self.number)

    @property
    def over(self) -> bool:
        """Whether nothing more happens to it."""
        return self.status in ("scored", "unscored", "failed")
