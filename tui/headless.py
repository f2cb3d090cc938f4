"""A run without a screen: its events as lines of text, or as JSON, one a line.

The text is made to be heard as well as read: each line stands alone, is written once and never
changed, says in words what happened and how before it quotes anything, and has neither colours nor
frames nor signs that only an eye understands.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from ..core import events as e
from ..core.config import Settings
from ..core.errors import SandboxTuiError
from ..core.fork_launch import ForkRequest
from ..core.gate import Decision
from ..core.headline import headline, nickname
from ..core.launch import RunRequest
from ..core.spans import span
from ..core.state import RunState
from ..core.text import clean, clean_json, clean_line
from ..sessions import RunSummary, Store, Worker, Workers
from ..sessions.fork import Plan
from ..sessions.remote import RemoteWorker
from . import crash, figures

NOBODY = Decision(
    verdict="reject",
    by="policy",
    rule="nobody is here to be asked",
    feedback="It would have to be approved by a person, and nobody watches this run.",
)
"""About every call that would wait for a person."""

Writer = Callable[[e.AnyEvent], None]


async def run_headless(
    requests: Sequence[RunRequest],
    store: Store,
    *,
    as_json: bool,
) -> int:
    """Run all to the end, writing every event once it is stored; returns the exit code.

    Lines of several runs are told apart: text begins with the run's number, JSON has a field `run`
    with its session's id.

    Raises:
        SandboxTuiError: nothing was begun, or the sessions cannot be stored.
    """
    workers = Workers(store)
    return await _follow(workers, [workers.begin(request) for request in requests], as_json)


async def resume_headless(
    run: RunSummary, settings: Settings, store: Store, *, as_json: bool
) -> int:
    """Take a run up whose program is gone, and go on like `run_headless`.

    Raises:
        SandboxTuiError: it cannot be taken up, saying why.
    """
    workers = Workers(store)
    return await _follow(workers, [workers.resume(run, settings)], as_json)


async def fork_headless(plan: Plan, request: ForkRequest, store: Store, *, as_json: bool) -> int:
    """Go on from the middle of a saved run, like `run_headless`.

    Raises:
        SandboxTuiError: it cannot be begun, saying why.
    """
    workers = Workers(store)
    return await _follow(workers, [workers.fork(plan, request)], as_json)


async def follow_headless(run: RunSummary, store: Store, *, as_json: bool) -> int:
    """Write the events of a run in another program until it ends; returns the exit code.

    Raises:
        SandboxTuiError: the program is gone.
    """
    worker = RemoteWorker(run, store)
    write = writer_for(as_json)
    async for event in worker.watch():
        write(event)
    if worker.failure is not None:
        raise worker.failure
    return worker.exit_code


async def _follow(workers: Workers, begun: Sequence[Worker], as_json: bool) -> int:
    codes = _cancel_on_signals(workers)
    alone = len(begun) == 1
    try:
        await asyncio.gather(
            *(
                _write_all(
                    worker, writer_for(as_json, None if alone else _label(worker, n, as_json))
                )
                for n, worker in enumerate(begun, 1)
            )
        )
    except OSError as error:
        await workers.stop("What it says could no longer be written.")
        return _without_output(error)
    failures = [worker.failure for worker in begun if worker.failure is not None]
    if failures:
        raise failures[0]
    return codes[0] if codes else next((w.exit_code for w in begun if w.exit_code), 0)


def _without_output(error: OSError) -> int:
    """The exit code of a program that can no longer say anything on stdout.

    Raises:
        SandboxTuiError: it is not that its reader has gone away.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be said
    if isinstance(error, BrokenPipeError):
        return 128 + signal.SIGPIPE
    raise SandboxTuiError(f"What the run says cannot be written: {error.strerror}.") from error


async def _write_all(worker: Worker, write: Writer) -> None:
    worker.held_up.append(lambda: _say_what_is_waited_for(worker))
    async for event in worker.watch():
        write(event)
        if isinstance(event, e.CallHeld) and worker.run is not None:
            worker.run.gate.decide(event.call, NOBODY)


def _say_what_is_waited_for(worker: Worker) -> None:
    words = f"the run waits. {worker.trouble}" if worker.trouble else "the run goes on."
    with contextlib.suppress(OSError):  # then there is nobody to be told
        sys.stderr.write(f"sandbox-tui: {clean_line(words)} ({worker.run_id})\n")
        sys.stderr.flush()


def _label(worker: Worker, number: int, as_json: bool) -> str:
    return worker.run_id if as_json else f"[{number}] "


def json_writer(stream: TextIO, run_id: str | None = None) -> Writer:
    """Writes each event as one line of JSON."""
    start = "{" if run_id is None else f'{{"run":"{run_id}",'

    def write(event: e.AnyEvent) -> None:
        stream.write(f"{start}{clean_json(e.to_json(event).decode())[1:]}\n")
        stream.flush()

    return write


def text_writer(stream: TextIO, label: str = "") -> Writer:
    """Writes what matters of each event as plain lines: no colour, nothing that moves."""
    state = RunState()

    def write(event: e.AnyEvent) -> None:
        state.apply(event)
        text = _line(event, state)
        if text:
            stream.write(f"{label}{figures.clock(event.t)}  {text}\n")
            stream.flush()

    return write


def _cancel_on_signals(workers: Workers) -> list[int]:
    """End the runs in order on the usual signals; the list then holds the exit code."""
    codes: list[int] = []
    tasks: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(crash.on_loop)

    def stop(number: int) -> None:
        codes.append(128 + number)
        because = f"The program got {signal.Signals(number).name}."
        tasks.add(asyncio.create_task(workers.stop(because)))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        loop.add_signal_handler(number, stop, number)
    return codes


def _line(event: e.AnyEvent, state: RunState) -> str:
    match event:
        case e.RunStarted():
            where = clean_line(", ".join(f"{k} {v}" for k, v in event.sandbox_info.items()))
            head = clean_line(f"session {event.run_id}: {event.model} in {event.sandbox}")
            return f"{head} ({where})"
        case e.RunResumed():
            more = " ".join([*event.lost, *event.changed])
            return clean_line(f"taken up again after {span(event.away)}. {more}".rstrip())
        case e.ModelReplied():
            words = clean_line(" ".join((event.text or event.reasoning).split()))
            shown = f": {words[:300]}" if words else ""
            return f"step {event.step} ({figures.seconds(event.latency)}){shown}"
        case e.ModelFailed():
            again = f"; next try in {event.retry_in:.0f} s" if event.retry_in is not None else ""
            return f"model failed (try {event.attempt}): {clean_line(event.error)}{again}"
        case e.CallDecided(verdict="reject", by="policy"):
            return f"call {event.call} is not run ({clean_line(event.rule or 'policy')})"
        case e.CallHeld():
            return _waiting_line(event, state)
        case e.CallFinished():
            return _call_line(event, state)
        case e.FilesChanged():
            names = ", ".join(f"{c.change} {clean_line(c.path)}" for c in event.changes[:8])
            more = f" and {len(event.changes) - 8} more" if len(event.changes) > 8 else ""
            return f"files: {names}{more}"
        case e.InputAwaited():
            return f"waiting: {clean_line(event.program)} waits for input on its terminal"
        case e.HumanFile():
            how = {"pull": "copied out", "push": "put in", "edit": "edited by hand"}[event.action]
            return f"you: {clean_line(event.path)} {how}"
        case e.Forked():
            parent = clean_line(event.parent)
            return f"forked from {parent} after step {event.step}: {event.repeats} repeated"
        case e.Repeated():
            how = clean_line(event.parted) or "as recorded"
            return f"repeated {event.number} of {event.of}: {how}"
        case e.Warned():
            return f"warning: {clean_line(event.text)}"
        case e.RunFinished():
            return _end_lines(event)
        case _:
            return ""


def _call_line(event: e.CallFinished, state: RunState) -> str:
    call = state.calls[event.call].call
    what = clean_line(headline(call.name, state.calls[event.call].arguments))[:200]
    how = "ok" if event.ok else "timed out" if event.timed_out else "failed"
    code = f"exit {event.exit_code}, " if event.exit_code and not event.timed_out else ""
    words = f"{nickname(clean_line(call.name))} {what}".rstrip()
    return f"call {event.call} {how} ({code}{figures.seconds(event.duration)}): {words}"


def _waiting_line(event: e.CallHeld, state: RunState) -> str:
    item = state.calls[event.call]
    what = clean_line(headline(item.call.name, item.arguments))[:200]
    why = f" ({clean_line(event.rule)})" if event.rule else ""
    name = nickname(clean_line(item.call.name))
    return f"waiting: call {event.call} waits for a decision{why}: {name} {what}"


def _end_lines(event: e.RunFinished) -> str:
    totals = event.totals
    lines = [f"ended: {event.reason}" + (f": {clean_line(event.error)}" if event.error else "")]
    tokens = totals.usage.input_tokens + totals.usage.output_tokens
    money = f", {figures.cost(totals.cost)}" if totals.cost is not None else ""
    lines.append(
        f"{totals.steps} steps, {totals.calls} calls, {figures.count(tokens)} tokens{money}"
    )
    if event.answer is not None:
        lines.append(f"answer: {clean(event.answer).strip() or 'none'}")
    if event.output is not None:
        lines.append(f"results: {clean_line(event.output)}")
    return "\n       ".join(lines)


def writer_for(json: bool, label: str | None = None) -> Writer:
    """The writer the command line asks for, on stdout; `label` tells runs apart."""
    return json_writer(sys.stdout, label) if json else text_writer(sys.stdout, label or "")
