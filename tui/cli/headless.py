"""Runs without a screen: events as lines of text or as JSON lines.

The text suits screen readers: each line is complete, is written once and never changed, says what
happened in words before it quotes anything, and has no colours, frames or symbols.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple, TextIO

from sandbox_tui.core.agent.approver import Decision
from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize, sanitize_json
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, RunSummary, RunWorker, Store
from sandbox_tui.sessions.recording.fork_worker import ForkPlan
from sandbox_tui.sessions.recording.run_worker import EndedEarly, ProgramExited
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.resume_here import resume_here
from sandbox_tui.sessions.store.run_summary import has_lost_sandbox
from sandbox_tui.tui.cli.event_lines import cut_off_line, event_lines, tally_lines
from sandbox_tui.tui.cli.show_app import Ended
from sandbox_tui.tui.format.next_command import how_to_go_on
from sandbox_tui.tui.lifecycle import crash_report
from sandbox_tui.tui.lifecycle.unlisted_models import warn_of_unlisted_models

NOBODY = Decision(
    verdict="reject",
    by="policy",
    rule="it needs approval, and no screen is attached",
    feedback="It would have to be approved by a person, and nobody watches this run.",
)
"""The decision about every call that would otherwise wait for the user."""

Writer = Callable[[e.AnyEvent], None]


async def run_headless(
    requests: Sequence[RunRequest],
    store: Store,
    *,
    as_json: bool,
) -> Ended:
    """Run all requests to the end; writes every event after it is stored.

    With several runs, each line of text begins with the run's number, except for a tally at the
    end, and each JSON object has a field `run` with the session's id.

    Raises:
        SandboxTuiError: no run could start, or the sessions cannot be stored.
    """
    workers = RunRegistry(store)
    started = [workers.begin(request) for request in requests]
    return await _follow(workers, started, as_json)


async def resume_headless(
    run: RunSummary, settings: Settings, store: Store, *, as_json: bool
) -> Ended:
    """Resume a run whose program has ended, like `run_headless`.

    Raises:
        SandboxTuiError: the run cannot be resumed; the message says why.
    """
    workers = RunRegistry(store)
    worker = resume_here(run, settings, workers)
    return await _follow(workers, [worker], as_json, earlier=_Earlier(store, run.id, run.last_seq))


async def fork_headless(
    plan: ForkPlan, request: ForkRequest, store: Store, *, as_json: bool
) -> Ended:
    """Run a fork of a recorded run, like `run_headless`.

    Raises:
        SandboxTuiError: the fork cannot start; the message says why.
    """
    workers = RunRegistry(store)
    return await _follow(workers, [workers.fork(plan, request)], as_json)


async def follow_headless(run: RunSummary, store: Store, *, as_json: bool) -> int:
    """Write the events of a run in another program until it ends; return the exit code.

    Raises:
        SandboxTuiError: the program cannot be reached.
    """
    worker = RunClient(run, store)
    write = writer_for(as_json, resumed_at=last_resumed(store, run.id))
    async for event in worker.watch():
        write(event)
    if isinstance(worker.failure, ProgramExited):
        last = store.run(run.id)
        how = how_to_go_on(last, has_lost_sandbox=has_lost_sandbox(last))
        raise ProgramExited(f"{worker.failure} {how}")
    if worker.failure is not None:
        raise worker.failure
    return worker.exit_code


class _Earlier(NamedTuple):
    """The events of a session from before it was resumed; written once it has been."""

    store: Store
    run_id: str
    last_seq: int

    def written_by(self, write: Writer) -> Writer:
        """Return a writer that writes these events before the first new one, or never."""
        last = self.last_seq
        is_resumed = False

        def write_new(event: e.AnyEvent) -> None:
            nonlocal is_resumed
            if event.seq <= last:
                return
            if not is_resumed:
                is_resumed = True
                for earlier in self.store.events(self.run_id, until=last):
                    write(earlier)
            write(event)

        return write_new


async def _follow(
    workers: RunRegistry,
    started: Sequence[RunWorker],
    as_json: bool,
    earlier: _Earlier | None = None,
) -> Ended:
    codes = _cancel_on_signals(workers)
    alone, ids = len(started) == 1, [worker.run_id for worker in started]

    def writer(worker: RunWorker, number: int) -> Writer:
        label = None if alone else _label(worker, number, as_json)
        resumed_at = earlier.last_seq + 1 if earlier is not None else 0
        write = writer_for(as_json, label, waits=False, resumed_at=resumed_at)
        return write if earlier is None else earlier.written_by(write)

    warning = asyncio.create_task(
        warn_of_unlisted_models([worker.request for worker in started], _warn)
    )
    try:
        writing = (_write_all(worker, writer(worker, n)) for n, worker in enumerate(started, 1))
        await asyncio.gather(*writing)
        if not alone and not as_json:
            _write_tally(started)
    except OSError as error:
        await workers.stop("Its output could no longer be written.")
        return Ended(without_output(error), ids)
    finally:
        warning.cancel()
    await workers.release_sandboxes()
    failures = [worker.failure for worker in started if worker.failure is not None]
    if codes and failures and all(isinstance(failure, EndedEarly) for failure in failures):
        _say(str(failures[0]))
    elif failures:
        raise failures[0]
    code = codes[0] if codes else next((w.exit_code for w in started if w.exit_code), 0)
    return Ended(code, ids)


def _write_tally(runs: Sequence[RunWorker]) -> None:
    lines = tally_lines([run.state.finished for run in runs])
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


def without_output(error: OSError) -> int:
    """Return the exit code of a program that can no longer write to stdout.

    Raises:
        SandboxTuiError: the reason is not a closed pipe.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for anything still written
    if isinstance(error, BrokenPipeError):
        return 128 + signal.SIGPIPE
    raise SandboxTuiError(f"The output cannot be written: {error.strerror}.") from error


async def _write_all(worker: RunWorker, write: Writer) -> None:
    worker.on_storage_error.append(lambda: _report_storage(worker))
    async for event in worker.watch():
        write(event)
        if isinstance(event, e.CallHeld) and worker.run is not None:
            worker.run.gate.decide(event.call, NOBODY)  # reported with the call's observation
    for words in worker.run.left_behind if worker.run is not None else ():
        _say(f"{words} ({worker.run_id})")


def _report_storage(worker: RunWorker) -> None:
    words = (
        f"the run waits. {worker.storage_error}" if worker.storage_error else "the run continues."
    )
    _say(f"{words} ({worker.run_id})")


def _warn(words: str) -> None:
    _say(f"warning: {words} Trying it anyway.")


def _say(words: str) -> None:
    with contextlib.suppress(OSError):  # stderr is closed too
        sys.stderr.write(f"sandbox-tui: {sanitize(words)}\n")
        sys.stderr.flush()


def _label(worker: RunWorker, number: int, as_json: bool) -> str:
    return worker.run_id if as_json else f"[{number}] "


def json_writer(stream: TextIO, run_id: str | None = None) -> Writer:
    """Writes each event as one line of JSON."""
    start = "{" if run_id is None else f'{{"run":"{run_id}",'

    def write(event: e.AnyEvent) -> None:
        stream.write(f"{start}{sanitize_json(e.to_json(event).decode())[1:]}\n")
        stream.flush()

    return write


def text_writer(
    stream: TextIO, label: str = "", *, waits: bool = True, resumed_at: int = 0
) -> Writer:
    """Writes the events as plain lines of text; of a fork, only its own events.

    Args:
        stream: to write to.
        label: prefix of each line.
        waits: whether held calls wait for the user and are reported; otherwise only the decision is
            reported.
        resumed_at: number of the event that last resumed the run; it did not end before.
    """
    state = RunState()

    def write(event: e.AnyEvent) -> None:
        state.apply(event)
        if (isinstance(event, e.CallHeld) and not waits) or _is_inherited(event, state):
            return
        if isinstance(event, e.RunFinished) and event.seq < resumed_at:
            texts = [cut_off_line(event)]
        else:
            texts = event_lines(event, state)
        stream.writelines(f"{label}{clock(event.t)}  {text}\n" for text in texts)
        stream.flush()

    return write


def _is_inherited(event: e.AnyEvent, state: RunState) -> bool:
    """Return whether a fork has this event from its parent; its start is its own."""
    if state.started is None or state.started.parent_seq is None:
        return False
    return event.seq <= state.started.parent_seq and not isinstance(event, e.RunStarted)


def _cancel_on_signals(workers: RunRegistry) -> list[int]:
    """End the runs on signals; the returned list receives the exit codes."""
    codes: list[int] = []
    tasks: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(crash_report.on_loop)

    def stop(number: int) -> None:
        codes.append(128 + number)
        because = f"The program received {signal.Signals(number).name}."
        is_hangup = number == signal.SIGHUP
        tasks.add(asyncio.create_task(workers.disconnect() if is_hangup else workers.stop(because)))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        loop.add_signal_handler(number, stop, number)
    return codes


def writer_for(
    json: bool, label: str | None = None, *, waits: bool = True, resumed_at: int = 0
) -> Writer:
    """Return the writer for stdout in the requested format; `label` distinguishes runs. For the
    others see `text_writer`."""
    if json:
        return json_writer(sys.stdout, label)
    return text_writer(sys.stdout, label or "", waits=waits, resumed_at=resumed_at)


def last_resumed(store: Store, run_id: str) -> int:
    """Return the number of the event that last resumed a run; 0 if none did.

    Raises:
        StoreError: the database cannot be read.
    """
    resumed = store.events_of_kinds(run_id, ["RunResumed"])
    return resumed[-1].seq if resumed else 0
