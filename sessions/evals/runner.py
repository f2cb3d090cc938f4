"""Runs the samples of an evaluation concurrently, each as a recorded session."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable
from functools import partial

import msgspec

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.to_completion import to_completion
from sandbox_tui.core.config.settings import api_key
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.outcomes import has_ended
from sandbox_tui.core.evals.sample import Sample, SampleKey, SampleResult
from sandbox_tui.core.evals.sample_request import SampleRequests
from sandbox_tui.core.evals.sandbox_memory import SandboxMemory
from sandbox_tui.core.events import types as e
from sandbox_tui.core.models.context_length import find_context_length
from sandbox_tui.sessions.evals.evaluation import Evaluation
from sandbox_tui.sessions.evals.local_executor import LocalExecutor
from sandbox_tui.sessions.evals.report.recorded_capabilities import recorded_capabilities
from sandbox_tui.sessions.evals.sample_executor import (
    SampleExecutor,
    SampleJob,
    SamplePlace,
)
from sandbox_tui.sessions.evals.sample_record import (
    cancelled_result,
    failed_result,
    killed_result,
    recorded_result,
    unattempted,
    with_sandbox,
)
from sandbox_tui.sessions.recording.run_registry import RunRegistry
from sandbox_tui.sessions.recording.run_worker import RunLost, RunWorker
from sandbox_tui.sessions.store.ids import new_id
from sandbox_tui.sessions.store.tables import eval_ledger as ledger

MIN_FAILURES_IN_A_ROW = 3
"""The evaluation pauses after this many consecutive infrastructure failures, or after as many as
samples run at once if that is more: otherwise, while a server is down, every sample would use up
its attempts."""

CANNOT_GO_ON = "The evaluation cannot continue: another of its samples could not be recorded."
"""Reason given for ending the running samples in that case."""


class EvalRunner:
    """Runs one evaluation.

    Args:
        evaluation: see `begin_evaluation` and `resume_evaluation`.
        registry: the program's runs, which include samples while they run.

    Attributes:
        info: the evaluation's description.
        samples: the state of each sample, in the order of the plan.
        paused_because: why no samples are started at present; empty if they are.
        stopped_because: why the evaluation ends early; empty if it does not.
        ended: set when all work is finished.
        observers: called with each sample that changed, and with None after other changes; must not
            block.
        event_observers: called with each sample that runs and each event of its run; must not
            block.
        is_on_cluster: whether its samples run on the machines of a cluster.
    """

    def __init__(self, evaluation: Evaluation, registry: RunRegistry) -> None:
        self.info = evaluation.info
        self.samples: dict[SampleKey, SampleResult] = {}
        self.paused_because = ""
        self.stopped_because = ""
        self.ended = asyncio.Event()
        self.observers: list[Callable[[SampleResult | None], None]] = []
        self.event_observers: list[Callable[[SampleResult, e.AnyEvent], None]] = []
        self.is_on_cluster = evaluation.cluster is not None
        self._plan = evaluation.plan
        self._registry = registry
        self._store = registry.store
        self._executor: SampleExecutor = (
            evaluation.cluster.executor(registry, evaluation.plan)
            if evaluation.cluster is not None
            else LocalExecutor(registry, evaluation.info.concurrency)
        )
        self._handing_out: asyncio.Task[None] | None = None
        self._pending: deque[Sample] = deque()
        self._running: dict[SampleKey, RunWorker] = {}
        self._claimed = 0
        self._changed = asyncio.Condition()
        self._failures_in_a_row = 0
        # tasks with their own images share none
        self._knows_sandbox = any(task.image for task in evaluation.plan.suite.tasks)
        self._tokens = 0  # these count anew when it is resumed
        self._cost = 0.0
        self._began = time.monotonic()

    # --- lifecycle

    async def run(self) -> None:
        """Run all unfinished samples until every one has ended or the evaluation is stopped.

        Raises:
            SandboxTuiError: samples cannot run in the requested place, or the ledger cannot be read
                or written; running samples are ended.
        """
        suite, failure = self._plan.suite, None
        try:
            await self._reconcile()
            self._requests = SampleRequests.of(
                suite, self._plan.settings, self.info.id, context=await self._context_tokens()
            )
            self._began = time.monotonic()
            await self._executor.open()
            async with asyncio.TaskGroup() as group:
                self._handing_out = group.create_task(self._hand_out(group))
            is_whole = all(one.over for one in self.samples.values())
            because = "" if is_whole else self.stopped_because
            await asyncio.to_thread(ledger.release, self._store, self.info.id, because)
        except* SandboxTuiError as errors:
            failure = errors.exceptions[0]  # until Python 3.11.3, raised here it comes in a group
            await self._give_up(str(failure))
        finally:
            await self._executor.close()
            self.ended.set()
            self._notify()
        if failure is not None:
            raise failure from None

    async def _give_up(self, because: str) -> None:
        """Release an evaluation that cannot continue; otherwise this program would keep owning
        it."""
        with contextlib.suppress(SandboxTuiError):  # the ledger itself may be what failed
            await asyncio.to_thread(ledger.release, self._store, self.info.id, because)

    async def stop(self, because: str) -> None:
        """End the running samples, requeue them, and wait until everything is cleaned up."""
        self.stopped_because = self.stopped_because or because
        await self._announce()
        if self._handing_out is not None:  # it may wait for a slot that will never be free
            self._handing_out.cancel()
        await asyncio.gather(*(worker.stop(because) for worker in list(self._running.values())))
        await self.ended.wait()

    async def pause(self, because: str = "You paused it.") -> None:
        """Start no more samples; running ones continue."""
        self.paused_because = because
        await self._announce()

    async def resume(self) -> None:
        """Start samples again."""
        self.paused_because = ""
        self._failures_in_a_row = 0
        await self._announce()

    @property
    def running(self) -> list[RunWorker]:
        """The runs of the samples in progress."""
        return list(self._running.values())

    async def _context_tokens(self) -> int | None:
        """Return the model's context length, if it is set or its server reports it. Documents are
        cut to it; the settings of the samples stay as they are."""
        model = self._plan.settings.model
        found = await find_context_length(model, api_key(model))
        return None if found is None else found.tokens

    # --- samples

    async def _reconcile(self) -> None:
        """Reconcile the ledger with the recorded runs, and queue the unfinished samples."""

        def read() -> list[SampleResult]:
            found: list[SampleResult] = []
            for result in ledger.results(self._store, self.info.id):
                if result.status == "running":
                    result = recorded_result(self._store, result)
                    if result.finish_reason == "cancelled":  # cancelled with its program
                        result = killed_result(result)
                    ledger.finish(self._store, self.info.id, result)
                elif result.cancelled:
                    result = unattempted(result)
                    ledger.finish(self._store, self.info.id, result)
                found.append(result)
            return found

        for result in await asyncio.to_thread(read):
            self._set(result)
        self._pending.extend(
            sample for sample in self._plan.suite.plan() if not self.samples[sample.key].over
        )
        self._notify()

    async def _hand_out(self, group: asyncio.TaskGroup) -> None:
        """Start each queued sample as soon as a slot is free."""
        while True:
            place = await self._executor.place()
            sample = await self._next()
            if sample is None:
                return
            group.create_task(self._work(sample, place))

    async def _work(self, sample: Sample, place: SamplePlace) -> None:
        try:
            await self._attempt(sample, place)
        finally:
            place.release()
            async with self._changed:
                self._claimed -= 1
                self._changed.notify_all()

    async def _next(self) -> Sample | None:
        """Wait for a sample that may start and return it; None if there are no more."""
        async with self._changed:
            while True:
                self._check_budget()
                if self.stopped_because or not (self._pending or self._claimed):
                    self._changed.notify_all()
                    return None
                if self._pending and not self.paused_because:
                    self._claimed += 1
                    return self._pending.popleft()
                await self._changed.wait()

    async def _attempt(self, sample: Sample, place: SamplePlace) -> None:
        """Run a sample once and record the result."""
        run_id, key = new_id(), sample.key
        attempt = await to_completion(
            asyncio.to_thread(ledger.claim, self._store, self.info.id, key, run_id)
        )
        claimed = msgspec.structs.replace(
            unattempted(self.samples[key]),
            status="running",
            run_id=run_id,
            attempts=attempt,
            began_at=time.time(),
        )
        self._set(claimed)
        result = await self._run(sample, claimed, place)
        await to_completion(asyncio.to_thread(self._finish, result))
        if not result.over and not self.stopped_because:
            self._pending.append(sample)
        self._set(result)
        await self._watch_infrastructure(result)

    def _finish(self, result: SampleResult) -> None:
        if result.over:  # now, since a report would have to classify the calls of all runs at once
            recorded_capabilities(self._store, [result])
        ledger.finish(self._store, self.info.id, result)
        if has_ended(result) and result.mode != "vanilla" and not self._knows_sandbox:
            self._knows_sandbox = True
            self.info = with_sandbox(self._store, self.info, result.run_id)
            ledger.set_info(self._store, self.info)

    async def _run(self, sample: Sample, claimed: SampleResult, place: SamplePlace) -> SampleResult:
        try:
            run = place.begin(self._job(sample, claimed))
        except SandboxTuiError as error:  # a fault of the task, so retrying would not help
            return msgspec.structs.replace(claimed, status="failed", error=str(error))
        worker = self._running[sample.key] = run.worker
        worker.observers += [partial(observe, claimed) for observe in self.event_observers]
        if self.stopped_because:  # stopped in the meantime
            await worker.stop(self.stopped_because)
        try:
            await worker.ended.wait()
        except asyncio.CancelledError:  # the result of another sample could not be written
            await worker.stop(CANNOT_GO_ON)
            raise
        finally:
            del self._running[sample.key]
            self._registry.release(worker)
        totals = worker.state.totals  # repeated attempts cost tokens too
        self._tokens += totals.usage.input_tokens + totals.usage.output_tokens
        self._cost += totals.cost or 0.0
        result = await self._result_of(worker, claimed)
        return _with_memory(result, run.memory())

    def _job(self, sample: Sample, claimed: SampleResult) -> SampleJob:
        """Return the job for one attempt.

        Raises:
            ConfigError: a limit of the task cannot be used.
        """
        suite = self._plan.suite
        scorer = suite.scorer_of(sample.task)
        return SampleJob(
            sample=sample,
            run_id=claimed.run_id,
            request=self._requests.request(sample, claimed.attempts),
            scorer=scorer,
            scorer_options=suite.scorer_options.get(scorer, {}),
        )

    async def _result_of(self, worker: RunWorker, claimed: SampleResult) -> SampleResult:
        result = await asyncio.to_thread(recorded_result, self._store, claimed)
        if self.stopped_because and result.finish_reason in ("", "cancelled"):
            began = worker.state.started is not None
            return cancelled_result(claimed, result) if began else killed_result(claimed)
        if isinstance(worker.failure, RunLost):
            return killed_result(claimed)
        if worker.failure is not None and not result.finish_reason:
            return failed_result(claimed, str(worker.failure))
        return result

    # --- pauses and limits

    def _check_budget(self) -> None:
        budget = self._plan.budget
        if budget.tokens is not None and self._tokens >= budget.tokens:
            self._stop_soon(f"Its budget of {figures.counted_tokens(budget.tokens)} is used up.")
        if budget.cost is not None and self._cost >= budget.cost:
            self._stop_soon(f"Its budget of ${budget.cost:g} is used up.")
        if budget.seconds is not None and time.monotonic() - self._began >= budget.seconds:
            self._stop_soon(f"Its time budget of {budget.seconds:g} s is used up.")

    def _stop_soon(self, because: str) -> None:
        """Start no more samples; running ones finish."""
        self.stopped_because = self.stopped_because or because

    async def _watch_infrastructure(self, result: SampleResult) -> None:
        if self._executor.problem:
            await self.pause(self._executor.problem)
        if result.status in ("scored", "unscored"):
            self._failures_in_a_row = 0
        elif result.error and result.finish_reason != "cancelled":
            self._failures_in_a_row += 1
            if self._failures_in_a_row >= max(MIN_FAILURES_IN_A_ROW, self.info.concurrency):
                self._failures_in_a_row = 0
                await self.pause(f"Every sample fails: {result.error}")

    # --- observers

    def _set(self, result: SampleResult) -> None:
        self.samples[result.key] = result
        self._notify(result)

    async def _announce(self) -> None:
        async with self._changed:
            self._changed.notify_all()
        self._notify()

    def _notify(self, changed: SampleResult | None = None) -> None:
        for observe in self.observers:
            observe(changed)


def _with_memory(result: SampleResult, memory: SandboxMemory | None) -> SampleResult:
    if memory is None or not result.over:
        return result
    return msgspec.structs.replace(result, memory_idle=memory.now, memory_peak=memory.peak)
