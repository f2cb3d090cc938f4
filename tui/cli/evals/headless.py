"""Runs an evaluation without a screen: a line per finished sample, and the table at the end."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.evals.reporting.outcomes import exit_code, is_lost
from sandbox_tui.core.evals.reporting.table import eval_table
from sandbox_tui.core.evals.sample import SampleKey, SampleResult
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.evaluation import Evaluation
from sandbox_tui.sessions.evals.exceeded_budget import exceeded_budget
from sandbox_tui.sessions.evals.runner import EvalRunner
from sandbox_tui.sessions.evals.unenforceable_budget import unenforceable_budget
from sandbox_tui.sessions.remote.served_runs import ServedRuns
from sandbox_tui.sessions.store.tables import eval_ledger
from sandbox_tui.tui.cli.evals.coloured_lines import write_outcome
from sandbox_tui.tui.cli.evals.retry_lines import RetryLines
from sandbox_tui.tui.cli.evals.sample_lines import (
    json_of,
    left_line,
    line_of,
    lost_line,
    restart_line,
)
from sandbox_tui.tui.cli.headless import without_output
from sandbox_tui.tui.cli.model_server.require_server import require_server


def work_headless(evaluation: Evaluation, store: Store, options: Mapping[str, Any]) -> int:
    """Run an evaluation like `run_headless`, once its model's server accepts connections.

    Raises:
        SandboxTuiError: see `run_headless`; or the server does not accept any.
    """
    if evaluation.cluster is None:
        later = f"Then `sandbox-tui eval resume {evaluation.info.id}` starts the evaluation."
        require_server(evaluation.plan.settings.model, options, then=later)
    return asyncio.run(run_headless(evaluation, store, as_json=options["as_json"]))


async def run_headless(evaluation: Evaluation, store: Store, *, as_json: bool) -> int:
    """Run an evaluation to its end; return the exit code of the program.

    Raises:
        SandboxTuiError: the evaluation cannot begin, or its samples cannot be stored.
    """
    runs = ServedRuns(store, lambda error: click.echo(sanitize(str(error)), err=True))
    runner = EvalRunner(evaluation, runs)
    lines = _Lines(runner, as_json=as_json)
    runner.observers.append(lines.on_change)
    runner.event_observers.append(lines.retries.on_event)
    numbers_caught = _stop_on_signals(runner)
    lines.write(f"evaluation {runner.info.id}: {runner.info.suite} with {runner.info.model}")
    if warning := await asyncio.to_thread(unenforceable_budget, store, runner.info):
        click.echo(sanitize_line(warning), err=True)
    if not any(map(_is_left, eval_ledger.results(store, runner.info.id))):
        lines.write("Nothing is left to run.")
    try:
        await runner.run()
    finally:
        await runs.close()
    if lines.error is not None:
        return without_output(lines.error)
    lines.write_table(await asyncio.to_thread(exceeded_budget, store, runner.info))
    samples = runner.samples.values()
    left, lost = sum(map(_is_left, samples)), list(filter(is_lost, samples))
    if left:
        lines.write(left_line(runner.info.id, left, runner.stopped_because))
    if lost:
        lines.write(lost_line(runner.info.id, lost))
    return 128 + numbers_caught[0] if left and numbers_caught else exit_code(samples)


def _is_left(sample: SampleResult) -> bool:
    return not sample.over


class _Lines:
    """Writes progress of an evaluation.

    Attributes:
        error: why nothing can be written any more, which stops the evaluation; otherwise None.
        retries: says that requests of samples are tried again.
    """

    def __init__(self, runner: EvalRunner, *, as_json: bool) -> None:
        self.error: OSError | None = None
        self.retries = RetryLines(self._write_if_possible)
        self._runner = runner
        self._as_json = as_json
        self._started: set[SampleKey] = set()
        self._over = 0
        self._stopping: set[asyncio.Task[None]] = set()

    def write(self, words: str) -> None:
        """Write a line for the user; with JSON it goes to stderr."""
        stream = sys.stderr if self._as_json else sys.stdout
        stream.write(f"{sanitize_line(words)}\n")
        stream.flush()

    def _write_if_possible(self, words: str) -> None:
        try:
            if self.error is None:
                self.write(words)
        except OSError as error:
            self._fail(error)

    def write_table(self, over_budget: str) -> None:
        """Write the results: domains by modes, failures by kind, and what exceeds the budget; with
        JSON only that."""
        if not self._as_json and self._over:
            samples = list(self._runner.samples.values())
            write_outcome(eval_table(self._runner.info, samples, over_budget=over_budget))
        elif over_budget:
            self.write(over_budget)

    def on_change(self, changed: SampleResult | None) -> None:
        """Write a line for a finished sample; stop a paused evaluation, since nobody can resume
        it."""
        if changed is not None and changed.over:
            self._over += 1
            if changed.key in self._started and self.error is None:
                self._sample(changed)
        elif changed is not None and changed.status == "running":
            self._started.add(changed.key)
        elif changed is not None and changed.error and changed.key in self._started:
            self._write_if_possible(restart_line(changed))
        elif self._runner.paused_because and not self._stopping:
            self._stop(self._runner.paused_because)

    def _stop(self, because: str) -> None:
        self._stopping.add(asyncio.create_task(self._runner.stop(because)))

    def _sample(self, result: SampleResult) -> None:
        try:
            if self._as_json:
                sys.stdout.write(f"{json_of(result)}\n")
                sys.stdout.flush()
            else:
                self.write(line_of(result, self._over, len(self._runner.samples)))
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        self.error = error
        self._stop("Its output could no longer be written.")


def _stop_on_signals(runner: EvalRunner) -> list[int]:
    """Stop the evaluation on signals; the returned list receives the numbers of those caught."""
    caught: list[int] = []
    tasks: set[asyncio.Task[None]] = set()

    def stop(number: int) -> Callable[[], None]:
        def on_signal() -> None:
            caught.append(number)
            because = f"The program received {signal.Signals(number).name}."
            tasks.add(asyncio.create_task(runner.stop(because)))

        return on_signal

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        loop.add_signal_handler(number, stop(number))
    return caught
