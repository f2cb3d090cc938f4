"""The evaluations that this program works on, by id."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sandbox_tui.core.base.errors import SandboxTuiError

if TYPE_CHECKING:  # so that programs without evaluations import none of this
    from sandbox_tui.sessions.evals.evaluation import Evaluation
    from sandbox_tui.sessions.evals.runner import EvalRunner
    from sandbox_tui.sessions.recording.run_registry import RunRegistry


class EvalRegistry:
    """The evaluations of one program; each continues whether or not a screen shows it.

    Args:
        runs: the program's runs, which include samples while they run.

    Attributes:
        all: every evaluation started, by id, in order.
        failures: errors of evaluations that could not be stored, by id.
    """

    def __init__(self, runs: RunRegistry) -> None:
        self.runs = runs
        self.all: dict[str, EvalRunner] = {}
        self.failures: dict[str, SandboxTuiError] = {}
        self._working: set[asyncio.Task[None]] = set()

    def begin(self, evaluation: Evaluation) -> EvalRunner:
        """Start an evaluation in the background."""
        from sandbox_tui.sessions.evals.runner import EvalRunner

        self.failures.pop(evaluation.info.id, None)
        runner = self.all[evaluation.info.id] = EvalRunner(evaluation, self.runs)
        task = asyncio.create_task(self._work(runner))
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        return runner

    def forget(self, eval_id: str) -> None:
        """Forget an evaluation that was deleted."""
        self.all.pop(eval_id, None)
        self.failures.pop(eval_id, None)

    @property
    def running(self) -> list[EvalRunner]:
        """Evaluations that have not ended."""
        return [runner for runner in self.all.values() if not runner.ended.is_set()]

    @property
    def exit_code(self) -> int:
        """Exit code of a program started for evaluations, by the outcomes of all their samples."""
        from sandbox_tui.core.evals.reporting.outcomes import exit_code

        return exit_code(one for runner in self.all.values() for one in runner.samples.values())

    async def stop(self, because: str) -> None:
        """End the running samples, requeue them, and wait until everything is cleaned up."""
        await asyncio.gather(*(runner.stop(because) for runner in self.running))

    async def _work(self, runner: EvalRunner) -> None:
        try:
            await runner.run()
        except SandboxTuiError as error:
            self.failures[runner.info.id] = error
            for observe in runner.observers:
                observe(None)
