"""The scorer protocol."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

import msgspec

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.evals.sample import EvalMode
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.sandboxes.base import Sandbox


class ScorerFailed(SandboxTuiError):
    """A scorer could not determine a score; the sample has none, which is not a score of 0."""


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """The score of an answer.

    Attributes:
        value: between 0 (wrong) and 1 (correct).
        explanation: one sentence: what was read from the answer and what it was compared with.
    """

    value: float
    explanation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The data about a sample that a scorer uses.

    Attributes:
        task: the task.
        mode: mode of the attempt.
        answer: text of answer.txt, or the reply of `vanilla`; None if there is no answer.
        sandbox: the model's sandbox, still open; None in `vanilla`. Where cheating matters, use
            `fresh_sandbox`: the model may have replaced any program in its own.
        fresh_sandbox: opens a sandbox of the same image that no model has touched.
    """

    task: Task
    mode: EvalMode
    answer: str | None
    sandbox: Sandbox | None = None
    fresh_sandbox: Callable[[], AbstractAsyncContextManager[Sandbox]] | None = None

    @property
    def no_answer(self) -> str:
        """That there is no answer, and why, as a sentence."""
        return no_answer_words(self.mode, self.answer)


def no_answer_words(mode: EvalMode, answer: str | None) -> str:
    """Return that there is no answer, as a sentence: if its file holds none, that."""
    if mode == "vanilla" or (answer or "").strip():
        return "There is no answer."
    return f"output/answer.txt {'was not written' if answer is None else 'is empty'}."


class Scorer(Protocol):
    """Scores samples. A missing or unreadable answer scores 0.

    Attributes:
        name: name of the scorer in suites.
    """

    name: str

    async def score(self, attempt: Attempt) -> Score:
        """Score one attempt.

        Raises:
            ScorerFailed: the scorer itself failed, such as a judge that does not answer; the
                message says why.
        """
        ...
