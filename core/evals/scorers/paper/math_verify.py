r"""Scores mathematics: the last `\boxed{}` of the answer, or all of it, with math-verify.

The rules are those of the reference: both sides are read as LaTeX, the answer also as a plain
expression, and numbers are equal to six digits. Unlike in the reference, an unclosed box does not
hide an earlier one, and a target that the library cannot read does not make the answer wrong.
"""

from __future__ import annotations

import importlib
import logging
import re
from dataclasses import dataclass, field
from typing import Any

from sandbox_tui.core.evals.optional_packages import missing_extra, require
from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.scorers.boxed import last_boxed, without_thinking
from sandbox_tui.core.evals.worker import WorkerFailed, call_in_worker

_INTEGER = re.compile(r"[+-]?\d{1,100}")


@dataclass(slots=True, kw_only=True)
class MathVerify:
    """Compares expressions by value.

    Attributes:
        timeout: seconds for one comparison; an answer that takes longer scores 0.
    """

    timeout: float = 60.0
    name: str = field(default="math_verify", init=False)

    def check_ready(self) -> None:
        """Raise `ConfigError` if its packages are missing."""
        require("math_verify", "The scorer math_verify")

    async def score(self, attempt: Attempt) -> Score:
        """Return 1.0 if the answer has the target's value.

        Raises:
            ScorerFailed: the target cannot be read, or the library is not installed.
        """
        text = without_thinking(attempt.answer or "")
        if not text:
            return Score(value=0.0, explanation=attempt.no_answer)
        boxed = last_boxed(text)
        found = text if boxed is None else boxed
        target = attempt.task.target.strip()
        known = equal_without_algebra(found, target)
        equal = await self._compared(found, target) if known is None else known
        words = "equals" if equal else "does not equal"
        return Score(value=float(equal), explanation=f"{found:.200} {words} {target:.200}.")

    async def _compared(self, found: str, target: str) -> bool:
        try:
            return await self._in_worker(found, target)
        except WorkerFailed as error:
            if error.missing:
                raise ScorerFailed(str(missing_extra("The scorer math_verify"))) from error
            cause = error
        try:  # find out whether the target or the answer is invalid
            await self._in_worker(target, target)
        except WorkerFailed as error:
            raise ScorerFailed(f"The target {target:.200} cannot be read: {error}.") from cause
        return False

    async def _in_worker(self, found: str, target: str) -> bool:
        return await call_in_worker(compare, found, target, timeout=self.timeout, share=self.name)


def equal_without_algebra(found: str, target: str) -> bool | None:
    """Return whether two texts are equal if no algebra is needed to decide; else None."""
    if found == target:
        return True
    if _INTEGER.fullmatch(found) and _INTEGER.fullmatch(target):
        return int(found) == int(target)
    return None


def compare(found: str, target: str) -> bool:
    """Return whether math-verify considers both equal. Call this in a worker only: the library uses
    signals to stop long computations, and does not catch everything.

    Raises:
        ValueError: the target cannot be read.
    """
    logging.disable()
    metric: Any = importlib.import_module("math_verify.metric")
    parser: Any = importlib.import_module("math_verify.parser")
    equal = metric.math_metric(
        gold_extraction_target=(parser.LatexExtractionConfig(),),
        pred_extraction_target=(parser.ExprExtractionConfig(), parser.LatexExtractionConfig()),
    )
    value, _ = equal([_boxed(target)], [_boxed(found)])
    return value > 0


def _boxed(text: str) -> str:
    return "\\boxed{" + text + "}"
