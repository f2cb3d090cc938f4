"""Runs in programs of their own, without a terminal: they outlive whoever started them.

    python -m sandbox_tui.sessions.detached     reads a `Job` as JSON from stdin

The program says one line of JSON on stdout, once the run has begun or could not (`Begun`), and then
nothing more anywhere: all that happens is in the database. Screens reach it over its socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec

from ..core.config import Settings, data_dir
from ..core.errors import SandboxTuiError
from ..core.events import Mode
from ..core.launch import RunRequest
from ..core.models.demo import DemoModel
from .resume import ResumedWorker
from .served import Served
from .store import Store
from .worker import Worker


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a detached program shall run; fields as in `RunRequest`.

    Attributes:
        demo_speed: of the demo's script, where that is the model.
        resume: id of a session to take up instead.
    """

    settings: Settings
    task: str = ""
    mode: Mode | None = None
    input: str | None = None
    output: str | None = None
    demo_speed: float | None = None
    resume: str | None = None

    @classmethod
    def of(cls, request: RunRequest) -> Job:
        """The job that a request is."""
        model = request.model
        return cls(
            settings=request.settings,
            task=request.task,
            mode=request.mode,
            input=None if request.input is None else str(request.input.absolute()),
            output=None if request.output is None else str(request.output.absolute()),
            demo_speed=model.params["speed"] if isinstance(model, DemoModel) else None,
        )

    def worker(self, store: Store) -> Worker:
        """What does it.

        Raises:
            SandboxTuiError: the session to take up cannot be taken up.
        """
        if self.resume is not None:
            return ResumedWorker(store.run(self.resume), self.settings, store)
        request = RunRequest(
            task=self.task,
            settings=self.settings,
            mode=self.mode,
            input=None if self.input is None else Path(self.input),
            output=None if self.output is None else Path(self.output),
            model=None if self.demo_speed is None else DemoModel(speed=self.demo_speed),
        )
        return Worker(request, store)


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job: the session's id, or why it could not begin."""

    run_id: str = ""
    problem: str = ""
    exit_code: int = 1


def begin(job: Job) -> str:
    """Start a program for this job, and wait until its run has begun; the session's id.

    Raises:
        SandboxTuiError: it could not begin.
    """
    program = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert program.stdin is not None
    assert program.stdout is not None
    with program.stdin, program.stdout:
        program.stdin.write(msgspec.json.encode(job))
        program.stdin.close()
        said = program.stdout.readline()
    program.returncode = 0  # it goes on, and is not waited for
    try:
        begun = msgspec.json.decode(said, type=Begun)
    except msgspec.MsgspecError as error:
        raise SandboxTuiError("The program of the run ended before it had begun.") from error
    if begun.problem:
        problem = SandboxTuiError(begun.problem)
        problem.exit_code = begun.exit_code
        raise problem
    return begun.run_id


async def carry_out(job: Job) -> int:
    """Run a job to its end; the exit code."""
    store = Store(data_dir() / "sessions.db")
    try:
        worker = job.worker(store)
        _end_on_signals(worker)
        served = Served(worker)
        await served.open()
        try:
            worker.start()
            await _said(worker)
            await worker.ended.wait()
        finally:
            await served.close()
        return worker.exit_code
    finally:
        store.close()


async def _said(worker: Worker) -> None:
    """Say that it has begun once anything is stored, or why it has not."""
    began = asyncio.Event()
    worker.observers.append(lambda event: began.set())
    first = asyncio.create_task(began.wait())
    last = asyncio.create_task(worker.ended.wait())
    await asyncio.wait([first, last], return_when=asyncio.FIRST_COMPLETED)
    first.cancel()
    last.cancel()
    if worker.failure is not None:
        _say(Begun(problem=str(worker.failure), exit_code=worker.failure.exit_code))
    else:
        _say(Begun(run_id=worker.run_id))


def _say(begun: Begun) -> None:
    """The one line, on a stdout that leads nowhere afterwards."""
    out, nowhere = os.dup(1), os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    with contextlib.suppress(BrokenPipeError):  # whoever asked has been killed
        os.write(out, msgspec.json.encode(begun) + b"\n")
    os.close(out)


def _end_on_signals(worker: Worker) -> None:
    """End in order when told to; that a terminal is gone is nothing to it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    loop = asyncio.get_running_loop()
    stops: set[asyncio.Task[None]] = set()

    def stop(number: int) -> None:
        because = f"The program got {signal.Signals(number).name}."
        stops.add(asyncio.create_task(worker.stop(because)))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        loop.add_signal_handler(number, stop, number)


def main() -> int:
    """The program."""
    try:
        return asyncio.run(carry_out(msgspec.json.decode(sys.stdin.buffer.read(), type=Job)))
    except SandboxTuiError as error:
        _say(Begun(problem=str(error), exit_code=error.exit_code))
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
