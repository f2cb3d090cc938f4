"""A sample, one attempt at one task in one mode, and its result."""

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
"""`unscored`: the run ended, but the scorer failed. `failed`: the infrastructure failed on every
allowed attempt, so there is nothing to score."""


class SampleKey(NamedTuple):
    """Identifies a sample. A tuple, because reports on large suites make and compare many of them.

    Attributes:
        task: task id.
        mode: mode of the attempt.
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
    """State and result of a sample.

    Attributes:
        task, mode, number: the sample's key.
        domain: the task's domain.
        level: the task's level.
        status: see `SampleStatus`.
        run_id: session of the last attempt; empty while pending, unless it was cancelled.
        attempts: number of runs, including those that the infrastructure failed.
        score: between 0 and 1; None unless `status` is `scored`.
        scorer: name of the scorer.
        explanation: one sentence that explains the score.
        answer: the model's answer.
        target: the task's target.
        finish_reason: why the run ended (`FinishReason`); empty until then.
        error: error message if the run or the scorer failed.
        seconds: wall-clock duration of the run, excluding scoring.
        scoring_seconds: wall-clock duration of scoring.
        steps, calls: number of steps and tool calls in the run.
        input_tokens, output_tokens: token usage of the run, as reported by the server.
        estimated: the server reported no usage; tokens are estimated from the length of the text.
        cost: US dollars; None if the price is unknown.
        began_at, ended_at: seconds since the epoch; 0 until then.
        memory_idle, memory_peak: sandbox memory in bytes; None if there is no sandbox or its memory
            cannot be measured.
        cut_documents: number of documents cut or left out of the prompt for lack of room.
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
        """The sample's key."""
        return SampleKey(self.task, self.mode, self.number)

    @property
    def over(self) -> bool:
        """Whether the sample has reached its final status."""
        return self.status in ("scored", "unscored", "failed")

    @property
    def cancelled(self) -> bool:
        """Whether its run was cancelled with the evaluation; it runs again on resume."""
        return self.status == "pending" and self.finish_reason == "cancelled"
