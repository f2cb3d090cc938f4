"""Scores a sample when its run ends, while its sandbox is still running."""

from __future__ import annotations

import contextlib
import math
import secrets
import time
from collections.abc import AsyncGenerator
from dataclasses import replace

from sandbox_tui.core.agent.loop import AgentResult
from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.environment.tool_environment import ToolEnvironment
from sandbox_tui.core.evals.sample import Sample
from sandbox_tui.core.evals.sandbox_memory import SandboxMemory, sandbox_memory
from sandbox_tui.core.evals.scorers.base import Attempt, Score, Scorer, ScorerFailed
from sandbox_tui.core.events.types import FinishReason, Scored
from sandbox_tui.core.sandboxes.base import Sandbox
from sandbox_tui.core.sandboxes.factory import Kind, open_sandbox
from sandbox_tui.core.sandboxes.no_sandbox import NoSandbox

INFRASTRUCTURE: frozenset[FinishReason] = frozenset(
    {"model_unavailable", "model_error", "sandbox_error", "store_error", "internal_error"}
)
"""Finish reasons that say nothing about the model: such a run is retried and never scored."""

UNSCORED: frozenset[FinishReason] = frozenset({*INFRASTRUCTURE, "cancelled"})


class SampleScoring:
    """`OnFinished` callback that scores a run and posts the score as one of its events.

    Args:
        sample: the sample that the run attempts.
        scorer: scorer of its task.
        kind: kind of the sandboxes opened for scoring.

    Attributes:
        memory: memory of the run's sandbox, set when scoring starts.
    """

    def __init__(self, sample: Sample, scorer: Scorer, kind: Kind) -> None:
        self._sample = sample
        self._scorer = scorer
        self._kind: Kind = kind
        self.memory: SandboxMemory | None = None

    async def __call__(self, environment: ToolEnvironment, result: AgentResult) -> None:
        if result.reason in UNSCORED:
            return
        began = time.monotonic()
        self.memory = await sandbox_memory(environment.sandbox)
        value, explanation = await scored(
            self._scorer, self._attempt(environment.sandbox, result.answer)
        )
        environment.events.post(
            Scored(
                scorer=self._scorer.name,
                value=value,
                explanation=explanation,
                seconds=round(time.monotonic() - began, 6),
            )
        )

    def _attempt(self, sandbox: Sandbox, answer: str | None) -> Attempt:
        return Attempt(
            task=self._sample.task,
            mode=self._sample.key.mode,
            answer=answer,
            sandbox=None if isinstance(sandbox, NoSandbox) else sandbox,
            fresh_sandbox=lambda: fresh_sandbox(sandbox, self._kind),
        )


async def scored(scorer: Scorer, attempt: Attempt) -> tuple[float | None, str]:
    """Return the score, or None if the scorer failed, and a sentence that explains it."""
    try:
        score = await scorer.score(attempt)
        _check(score)
    except SandboxTuiError as error:
        return None, str(error)
    except Exception as error:  # noqa: BLE001 - may be user code; must not end the run
        return None, f"The scorer {scorer.name} failed: {words_of_bug(error)}."
    return score.value, score.explanation


def words_of_bug(error: BaseException) -> str:
    """Return the words of an error that no scorer should raise, and its kind for whoever fixes the
    scorer, without a period."""
    kind = type(error).__name__
    words = " ".join(str(error).split()).rstrip(".")
    return f"{words} ({kind})" if words else kind


def _check(score: Score) -> None:
    if not (math.isfinite(score.value) and 0 <= score.value <= 1):
        raise ScorerFailed(f"The scorer gave {score.value}, which is not between 0 and 1.")


@contextlib.asynccontextmanager
async def fresh_sandbox(template: Sandbox, kind: Kind) -> AsyncGenerator[Sandbox]:
    """Open a sandbox like the run's, from the image and without a snapshot."""
    spec = replace(template.spec, session_id=f"score-{secrets.token_hex(6)}", snapshot="")
    sandbox = await open_sandbox(kind, spec)
    try:
        await sandbox.start()
        yield sandbox
    finally:
        await sandbox.close()
