"""The outcome reward: the score that the task's scorer gives the answer."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.core.evals.sample import EvalMode
from sandbox_tui.core.evals.scorers.base import Attempt, Score, Scorer
from sandbox_tui.core.evals.scorers.paper.pretrain import Pretrain, scorer_for
from sandbox_tui.core.evals.scorers.table import scorer_named
from sandbox_tui.core.evals.scoring import words_of_bug
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.evals.worker import call_in_worker
from sandbox_tui.core.rl.episode_settings import EpisodeMode
from sandbox_tui.core.rl.rewards.base import RewardFailed, RewardResult, RolloutEnd
from sandbox_tui.core.rl.rewards.settings import REFERENCE_SCORER

PURE_SCORERS = frozenset({"choice", "constraints", "exact", "multiple_choice", "number"})
"""Scorers that compute in the calling process, and are therefore called in a worker. The others
have their own worker, sandbox or server."""

_MODES: Mapping[EpisodeMode, EvalMode] = {"sandbox": "sandbox", "text": "vanilla"}


@dataclass(slots=True, kw_only=True)
class OutcomeReward:
    """Rewards only the answer, between 0 (wrong or missing) and 1 (right).

    The answer is compared with its target in a separate process with a time limit: nothing that a
    policy writes can stop the training. A scorer that fails raises `RewardFailed`.

    Attributes:
        scorer: scorer of tasks that name none.
        scorer_options: settings of scorers by scorer name.
        timeout: seconds for one comparison.
    """

    scorer: str = REFERENCE_SCORER
    scorer_options: Mapping[str, Mapping[str, Any]] = field(
        default_factory=dict[str, Mapping[str, Any]]
    )
    timeout: float = 60.0
    name: str = field(default="outcome", init=False)
    _scorers: dict[str, Scorer] = field(default_factory=dict[str, Scorer], init=False)

    def check_ready(self, tasks: Iterable[Task]) -> None:
        """Check that every task can be scored, before the first episode.

        Raises:
            ConfigError: a scorer is unknown or lacks something.
        """
        for name in {self._name_of(task) for task in tasks}:
            self._named(name)

    async def reward(self, end: RolloutEnd) -> RewardResult:
        """Score the episode's answer."""
        name = self._name_of(end.task)
        try:
            score = await self._score(self._named(name), _attempt(end))
        except ConfigError as error:
            raise RewardFailed(str(error)) from error
        except SandboxTuiError as error:
            raise RewardFailed(f"The scorer {name} failed: {error}") from error
        except Exception as error:  # scorers may be user code
            raise RewardFailed(f"The scorer {name} failed: {words_of_bug(error)}.") from error
        if not (math.isfinite(score.value) and 0 <= score.value <= 1):
            raise RewardFailed(
                f"The scorer {name} gave {score.value}, which is not between 0 and 1."
            )
        return RewardResult(
            value=score.value, parts={self.name: score.value}, explanation=score.explanation
        )

    def _name_of(self, task: Task) -> str:
        return task.scorer or self.scorer

    def _named(self, name: str) -> Scorer:
        if name not in self._scorers:
            self._scorers[name] = scorer_named(name, self.scorer_options.get(name))
        return self._scorers[name]

    async def _score(self, scorer: Scorer, attempt: Attempt) -> Score:
        if isinstance(scorer, Pretrain) and (chosen := scorer_for(attempt)) is not None:
            score = await self._score(chosen, attempt)
            return msgspec.structs.replace(score, explanation=f"{chosen.name}: {score.explanation}")
        if scorer.name not in PURE_SCORERS:
            return await scorer.score(attempt)
        task = msgspec.structs.replace(attempt.task, files={})
        value, explanation = await call_in_worker(
            grade,
            scorer.name,
            self.scorer_options.get(scorer.name) or {},
            attempt.answer,
            msgspec.to_builtins(task),
            timeout=self.timeout,
            share="reward",
        )
        return Score(value=value, explanation=explanation)


def grade(
    scorer: str, options: dict[str, Any], answer: str | None, task: dict[str, Any]
) -> tuple[float, str]:
    """Return the score and explanation of an answer. Call this in a worker."""
    attempt = Attempt(task=msgspec.convert(task, Task), mode="vanilla", answer=answer)
    score = asyncio.run(scorer_named(scorer, options).score(attempt))
    return score.value, score.explanation


def _attempt(end: RolloutEnd) -> Attempt:
    return Attempt(
        task=end.task,
        mode=_MODES[end.mode],
        answer=end.answer,
        sandbox=end.sandbox,
        fresh_sandbox=end.fresh_sandbox,
    )
