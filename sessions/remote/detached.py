"""Detached runs: programs without a terminal that outlive the program that starts them.

    python -m sandbox_tui.sessions.remote.detached     reads a `Job` as JSON from stdin

The program writes one line of JSON (`StartReport`) to stdout when the run has begun or failed to
begin, and nothing else: events go to the database, and errors of the program itself to a file in
the same folder (`detached_log`). Screens connect to its socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import Settings, api_key, data_dir
from sandbox_tui.core.events.types import Mode, ToolFormat, TurnPolicy, Watch
from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.core.models.demo_model import DemoModel
from sandbox_tui.core.prompts import PromptPack
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions.interchange.redaction import secrets_of
from sandbox_tui.sessions.recording.fork_worker import ForkPlan, ForkWorker
from sandbox_tui.sessions.recording.resume_worker import ResumedWorker
from sandbox_tui.sessions.recording.run_worker import RunWorker
from sandbox_tui.sessions.remote.detached_log import Log, log_file, open_log
from sandbox_tui.sessions.remote.server import RunServer
from sandbox_tui.sessions.store.ids import new_id
from sandbox_tui.sessions.store.store import Store

COMMAND = [sys.executable, "-m", __name__]


class ForkJob(msgspec.Struct, frozen=True, kw_only=True):
    """A fork to begin; fields as in `ForkPlan` and `ForkRequest`.

    Attributes:
        parent: the session to fork.
        kind: of the sandbox that the plan was made for.
    """

    parent: str
    at: str
    before_call: bool
    kind: str
    message: str = ""
    edited: str | None = None
    prompts: str | None = None
    task: str | None = None

    def worker(self, run: RunRequest, store: Store) -> RunWorker:
        """Return the worker that runs the fork.

        Raises:
            SandboxTuiError: the session cannot be forked there.
        """
        parent = store.run(self.parent)
        plan = ForkPlan(store, parent, self.at, before_call=self.before_call, kind=self.kind)
        request = ForkRequest(
            run=run,
            message=self.message,
            edited=self.edited,
            prompts=self.prompts,
            task=self.task,
        )
        return ForkWorker(plan, request, store)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a detached program runs; fields as in `RunRequest`.

    Attributes:
        demo_speed: speed of the demo's script, if the demo is the model.
        resume: id of a session to resume instead.
        began: when that session started, if it is handed over; see `ResumedStart`.
        fork: a fork to begin instead.
        new_run: id of the session that a run without these two begins; None: its program makes one.
    """

    settings: Settings
    task: str = ""
    mode: Mode | None = None
    input: str | None = None
    output: str | None = None
    copy_results: bool = True
    tools: tuple[str, ...] | None = None
    pack: PromptPack | None = None
    files: dict[str, bytes] = {}
    environment: dict[str, str] = {}
    setup: tuple[str, ...] = ()
    labels: dict[str, str] = {}
    seed: int | None = None
    tool_format: ToolFormat | None = None
    turn_policy: TurnPolicy = TurnPolicy()
    watch: Watch = "live"
    demo_speed: float | None = None
    resume: str | None = None
    began: float | None = None
    fork: ForkJob | None = None
    new_run: str | None = None

    @classmethod
    def of(cls, request: RunRequest) -> Job:
        """Return the job for a run request."""
        model = request.model
        return cls(
            settings=request.settings,
            task=request.task,
            mode=request.mode,
            input=None if request.input is None else str(request.input.absolute()),
            output=None if request.output is None else str(request.output.absolute()),
            copy_results=request.copy_results,
            tools=request.tools,
            pack=request.pack,
            files=dict(request.files),
            environment=dict(request.environment),
            setup=request.setup,
            labels=dict(request.labels),
            seed=request.seed,
            tool_format=request.tool_format,
            turn_policy=request.turn_policy,
            watch=request.watch,
            demo_speed=model.params["speed"] if isinstance(model, DemoModel) else None,
        )

    @classmethod
    def of_fork(cls, plan: ForkJob, request: ForkRequest) -> Job:
        """Return the job for a fork."""
        asked = msgspec.structs.replace(
            plan,
            message=request.message,
            edited=request.edited,
            prompts=request.prompts,
            task=request.task,
        )
        return msgspec.structs.replace(cls.of(request.run), fork=asked)

    def worker(self, store: Store) -> RunWorker:
        """Return the worker that runs the job.

        Raises:
            SandboxTuiError: the session cannot be resumed.
        """
        if self.resume is not None:
            return ResumedWorker(store.run(self.resume), self.settings, store, self.began)
        request = RunRequest(
            task=self.task,
            settings=self.settings,
            mode=self.mode,
            input=None if self.input is None else Path(self.input),
            output=None if self.output is None else Path(self.output),
            copy_results=self.copy_results,
            tools=self.tools,
            pack=self.pack,
            files=self.files,
            environment=self.environment,
            setup=self.setup,
            labels=self.labels,
            seed=self.seed,
            tool_format=self.tool_format,
            turn_policy=self.turn_policy,
            watch=self.watch,
            model=None if self.demo_speed is None else DemoModel(speed=self.demo_speed),
        )
        if self.fork is not None:
            return self.fork.worker(request, store)
        return RunWorker(request, store, run_id=self.new_run)


class StartReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of starting a job: the session's id, or why it could not start."""

    run_id: str = ""
    problem: str = ""
    exit_code: int = 1


def begin(job: Job, started: Callable[[ProcessIdentity], None] | None = None) -> str:
    """Start a program for this job and wait until its run has begun; return the session's id.

    Args:
        job: what the program runs.
        started: called with the program before it is given the job.

    Raises:
        SandboxTuiError: the run could not begin.
    """
    job = msgspec.structs.replace(job, new_run=new_id())  # sorts after those begun here before
    try:
        line = _start(job, started)
    except OSError as error:
        raise SandboxTuiError(
            f"A program for the run could not be started: {error.strerror}; {log_file()} may say "
            "why."
        ) from error
    try:
        report = msgspec.json.decode(line, type=StartReport)
    except msgspec.MsgspecError as error:
        raise SandboxTuiError(
            f"The run's program exited before the run started; {log_file()} may say why."
        ) from error
    if report.problem:
        problem = SandboxTuiError(report.problem)
        problem.exit_code = report.exit_code
        raise problem
    return report.run_id


def _start(job: Job, started: Callable[[ProcessIdentity], None] | None) -> bytes:
    """Start a program for this job; return the line that it writes when its run has begun or
    failed.

    Raises:
        OSError: the program could not be started, or ended before it had read the job.
    """
    log = open_log()
    try:
        program = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
    finally:
        os.close(log)
    program.returncode = 0  # stops Popen from waiting for it: it keeps running
    assert program.stdin is not None
    assert program.stdout is not None
    with program.stdout:
        with program.stdin:
            if started is not None:
                started(ProcessIdentity.of(program.pid))
            program.stdin.write(msgspec.json.encode(job))
        return program.stdout.readline()


async def run_job(job: Job, log: Log) -> int:
    """Run a job to its end; return the exit code."""
    asyncio.get_running_loop().set_exception_handler(log.on_loop)
    store = Store(data_dir() / "sessions.db")
    try:
        worker = job.worker(store)
        log.run_id = worker.run_id
        _end_on_signals(worker)
        served = RunServer(worker)
        await served.open()
        try:
            worker.start()
            await _report_start(worker)
            await worker.ended.wait()
            if worker.failure is not None:
                log.write(worker.failure)
            await worker.release_sandbox()
        finally:
            await served.close()
        return worker.exit_code
    finally:
        store.close()


async def _report_start(worker: RunWorker) -> None:
    """Report that the run has begun once its first event is stored, or why it has not."""
    began = asyncio.Event()
    worker.observers.append(lambda event: began.set())
    first = asyncio.create_task(began.wait())
    last = asyncio.create_task(worker.ended.wait())
    await asyncio.wait([first, last], return_when=asyncio.FIRST_COMPLETED)
    first.cancel()
    last.cancel()
    if worker.failure is not None:
        _say(StartReport(problem=str(worker.failure), exit_code=worker.failure.exit_code))
    else:
        _say(StartReport(run_id=worker.run_id))


def _say(report: StartReport) -> None:
    """Write the report, then connect stdin and stdout to /dev/null."""
    out, nowhere = os.dup(1), os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    with contextlib.suppress(BrokenPipeError):  # the program that started this one has been killed
        os.write(out, msgspec.json.encode(report) + b"\n")
    os.close(out)


def _end_on_signals(worker: RunWorker) -> None:
    """End the run in order on signals; ignore SIGHUP, since no terminal is needed."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    loop = asyncio.get_running_loop()
    stops: set[asyncio.Task[None]] = set()

    def stop(number: int) -> None:
        because = f"The program received {signal.Signals(number).name}."
        stops.add(asyncio.create_task(worker.stop(because)))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        loop.add_signal_handler(number, stop, number)


def main() -> int:
    """Read the job from stdin and run it; return the exit code."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    key = api_key(job.settings.model)
    log = Log([*secrets_of(os.environ), *([key] if key else [])])
    log.install()
    try:
        return asyncio.run(run_job(job, log))
    except SandboxTuiError as error:
        _say(StartReport(problem=str(error), exit_code=error.exit_code))
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
