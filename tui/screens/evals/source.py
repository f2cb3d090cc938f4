"""The sources of the samples that the screen of an evaluation shows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

import msgspec

from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions import RunWorker, Store
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.evals.exceeded_budget import exceeded_budget
from sandbox_tui.sessions.evals.runner import EvalRunner
from sandbox_tui.sessions.remote.run_handle import run_clock
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.evals.questions import questions
from sandbox_tui.sessions.store.tables.evals.totals import spent_on_other_attempts
from sandbox_tui.tui.screens.evals.running_elsewhere import RunningElsewhere
from sandbox_tui.tui.widgets.evals.activity import Activity

EvalState = Literal["running", "paused", "stopping", "interrupted", "finished"]


@dataclass(frozen=True, slots=True)
class Reading:
    """An evaluation at a point in time.

    Attributes:
        info: the evaluation.
        samples: the status of each sample, in the order of the plan.
        state: the state of the whole evaluation.
        reason: why it is paused or stopped, or that it exceeded its budget; empty if unknown.
        at: time of the reading, in seconds since the epoch.
        tokens_before, cost_before: what failed and cancelled attempts spent, in tokens and US
            dollars; `samples` has only the last attempt of each.
        questions: the first line of each task's question, by task id.
    """

    info: EvalInfo
    samples: list[SampleResult]
    state: EvalState
    reason: str
    at: float
    tokens_before: int = 0
    cost_before: float = 0.0
    questions: Mapping[str, str] = field(default_factory=dict[str, str])


class EvalSource(Protocol):
    """An evaluation, either of this program or as recorded by another one."""

    @property
    def info(self) -> EvalInfo:
        """The evaluation."""
        ...

    @property
    def runner(self) -> EvalRunner | None:
        """The runner, which can be paused and stopped; None if there is none in this program."""
        ...

    def read(self) -> Reading | None:
        """Return the current state; None if unchanged since the last reading. Blocks: call in a
        thread.

        Raises:
            StoreError: the file cannot be read.
        """
        ...

    @property
    def can_stop(self) -> bool:
        """Whether this program can stop it, as of the last reading."""
        ...

    async def stop(self) -> None:
        """Stop it: running samples end and are requeued."""
        ...

    def worker(self, sample: SampleResult) -> RunWorker | None:
        """Return the run of a sample if it runs in this program."""
        ...

    def activity(self, sample: SampleResult) -> Activity | None:
        """Return what a running sample is doing, as of the last reading if it runs elsewhere; None
        if that is unknown."""
        ...

    @property
    def without_activity(self) -> str:
        """Text for a running sample of which it is unknown."""
        ...

    @property
    def program(self) -> str:
        """Which program runs it, as the end of a sentence, as of the last reading."""
        ...

    @property
    def is_starting(self) -> bool:
        """Whether its own program is still starting, as of the last reading."""
        ...

    @property
    def process(self) -> str:
        """The process of another program that runs it and that only its own shell or screen can
        stop, as of the last reading; empty if there is none."""
        ...

    def close(self) -> None:
        """Release the source."""


class LocalEval:
    """An evaluation of this program.

    Args:
        runner: the runner.
        evals: the evaluations of this program.
    """

    def __init__(self, runner: EvalRunner, evals: EvalRegistry) -> None:
        self._runner = runner
        self._evals = evals
        self._has_changed = True
        self._questions: dict[str, str] = {}
        self._activities: dict[str, Activity] = {}
        self._ran_before: set[str] = set()
        self._observe: Callable[[SampleResult | None], None] = lambda _: self._changed()
        runner.observers.append(self._observe)

    @property
    def info(self) -> EvalInfo:
        """The evaluation."""
        return self._runner.info

    @property
    def runner(self) -> EvalRunner | None:
        """The runner, until it has ended."""
        return None if self._runner.ended.is_set() else self._runner

    def read(self) -> Reading | None:
        """Return the current state, or None if unchanged since the last reading or not started."""
        has_begun = self._runner.samples or self._runner.ended.is_set()
        if not self._has_changed or not has_begun:
            return None
        self._has_changed = False
        samples = list(self._runner.samples.values())
        self._forget_ended(samples)
        state, reason = self._state(samples)
        store = self._evals.runs.store
        before = spent_on_other_attempts(store, self.info.id)
        self._questions = self._questions or questions(store, self.info.id)
        return Reading(self.info, samples, state, reason, time.time(), *before, self._questions)

    @property
    def can_stop(self) -> bool:
        """Whether it has not ended."""
        return self.runner is not None

    async def stop(self) -> None:
        """Stop it, and wait until everything is cleaned up."""
        await self._runner.stop("You stopped it.")

    def worker(self, sample: SampleResult) -> RunWorker | None:
        """Return the run of a sample while it is running."""
        found = self._evals.runs.all.get(sample.run_id)
        return None if found is None or found.ended.is_set() else found

    def activity(self, sample: SampleResult) -> Activity | None:
        """Return what a sample is doing while it runs; once its run has ended, its last figures,
        which count until its result does."""
        worker = self.worker(sample)
        if worker is None:
            last = self._activities.get(sample.run_id)
            return None if last is None else replace(last, words=self.without_activity)
        now = run_clock(worker, worker.state, time.monotonic())
        found = self._activities[sample.run_id] = Activity.of(sample, worker.state, now)
        return found

    @property
    def without_activity(self) -> str:
        """Text for a sample whose run has not started yet, or has just ended."""
        return "being recorded"

    @property
    def program(self) -> str:
        """This one."""
        return "in this program"

    @property
    def is_starting(self) -> bool:
        """Never: it runs in this program."""
        return False

    @property
    def process(self) -> str:
        """None: it is this one."""
        return ""

    def close(self) -> None:
        """Stop observing the runner."""
        self._runner.observers.remove(self._observe)

    def _changed(self) -> None:
        self._has_changed = True

    def _forget_ended(self, samples: list[SampleResult]) -> None:
        """Keep what runs now, and what ran at the last reading, which may still be shown."""
        running = {one.run_id for one in samples if one.status == "running"}
        kept, self._ran_before = running | self._ran_before, running
        self._activities = {
            run_id: last for run_id, last in list(self._activities.items()) if run_id in kept
        }

    def _state(self, samples: list[SampleResult]) -> tuple[EvalState, str]:
        runner = self._runner
        failure = self._evals.failures.get(runner.info.id)
        if failure is not None:
            return "interrupted", str(failure)
        if runner.ended.is_set():
            is_whole = all(sample.over for sample in samples)
            if is_whole:
                return "finished", exceeded_budget(self._evals.runs.store, self.info)
            return "interrupted", runner.stopped_because
        if runner.stopped_because:
            return "stopping", runner.stopped_because
        return ("paused", runner.paused_because) if runner.paused_because else ("running", "")


class RecordedEval:
    """An evaluation from the database: finished, or running in another program.

    Args:
        summary: its summary from the list.
        store: the store that contains it.
    """

    def __init__(self, summary: ledger.EvalSummary, store: Store) -> None:
        self._summary = summary
        self._store = store
        self._samples: list[SampleResult] = []
        self._marks: list[tuple[object, ...]] = []
        self._last: tuple[EvalState, str, str] | None = None
        self._can_stop = False
        self._is_stopping = False
        self._running = RunningElsewhere(store)
        self._questions: dict[str, str] = {}

    @property
    def info(self) -> EvalInfo:
        """The evaluation."""
        return self._summary.info

    @property
    def runner(self) -> EvalRunner | None:
        """None, because this program cannot pause or stop it."""
        return None

    def read(self) -> Reading | None:
        """Return the current state, or None if unchanged since the last reading.

        Raises:
            StoreError: the file cannot be read.
        """
        self._summary = ledger.summary(self._store, self.info.id)
        self._can_stop = _is_detached(self._summary)
        has_changed = self._read_changed()
        self._running.read(self._samples if self._summary.running else [])
        now = self._state()
        shown = (*now, self.program)
        if not has_changed and shown == self._last:
            return None
        self._last = shown
        samples = (
            [_left(one) for one in self._samples] if now[0] == "interrupted" else self._samples
        )
        before = spent_on_other_attempts(
            self._store, self.info.id, is_running=self._summary.running
        )
        self._questions = self._questions or questions(self._store, self.info.id)
        return Reading(self.info, list(samples), *now, time.time(), *before, self._questions)

    @property
    def can_stop(self) -> bool:
        """Whether a program without a terminal runs it here, which a signal stops."""
        return self._can_stop and not self._is_stopping

    async def stop(self) -> None:
        """Tell its program to stop; that program cleans up."""
        from sandbox_tui.sessions.evals.detached import stop

        self._is_stopping = await asyncio.to_thread(stop, self._summary)

    def worker(self, sample: SampleResult) -> RunWorker | None:
        """Return None, because no sample runs in this program."""
        return None

    def activity(self, sample: SampleResult) -> Activity | None:
        """Return what a sample was doing at the last reading."""
        return self._running.of(sample)

    @property
    def without_activity(self) -> str:
        """Text for a sample that runs elsewhere and has recorded nothing yet."""
        return "starting" if self._can_stop or self.is_starting else "in another program"

    @property
    def program(self) -> str:
        """Its own, which goes on without a screen, or another with a screen or on another host."""
        if self._can_stop:
            return "in its own program"
        if self.is_starting:
            return "in its own program, which is starting"
        owner = self._summary.owner
        return "in another program" if owner is None or owner.here else f"on {owner.host_name}"

    @property
    def is_starting(self) -> bool:
        """Whether this program, which runs none that is recorded only, has claimed it."""
        owner = self._summary.owner
        return self._summary.running and owner == ProcessIdentity.this_process()

    @property
    def process(self) -> str:
        """That of the program with a terminal, or on another host."""
        owner = self._summary.owner
        if owner is None or self._can_stop or not self._summary.running:
            return ""
        return f"process {owner.pid}" + ("" if owner.here else f" on {owner.host_name}")

    def close(self) -> None:
        """Nothing to do."""

    def _read_changed(self) -> bool:
        """Read the changed samples; return whether there are any."""
        store, eval_id, before = self._store, self.info.id, self._marks
        if not before:
            self._samples = ledger.results(store, eval_id)
            self._marks = [ledger.mark_of(sample) for sample in self._samples]
            return True
        self._marks = ledger.marks(store, eval_id)
        changed = [at for at, mark in enumerate(self._marks) if mark != before[at]]
        for place in changed:
            self._samples[place] = ledger.result_at(store, eval_id, place)
        return bool(changed)

    def _state(self) -> tuple[EvalState, str]:
        status = self._summary.status
        if status == "interrupted":
            return "interrupted", self._summary.stopped_because or "Its program has exited."
        if status == "finished":
            return "finished", exceeded_budget(self._store, self.info)
        return ("stopping", "You stopped it.") if self._is_stopping else ("running", "")


def _left(sample: SampleResult) -> SampleResult:
    """Return a sample as its program left it: a running one ended with the program."""
    if sample.status != "running":
        return sample
    return msgspec.structs.replace(sample, status="pending", finish_reason="cancelled")


def _is_detached(found: ledger.EvalSummary) -> bool:
    from sandbox_tui.sessions.evals.detached import program_of

    return program_of(found) is not None


def source_of(found: ledger.EvalSummary, evals: EvalRegistry) -> EvalSource:
    """Return the source of a listed evaluation."""
    runner = evals.all.get(found.info.id)
    if runner is not None:
        return LocalEval(runner, evals)
    return RecordedEval(found, evals.runs.store)
