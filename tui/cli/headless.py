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
from typing import TextIO

from sandbox_tui.core.agent.approver import Decision
from sandbox_tui.core.base.durations import clock, format_duration, short_duration
from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize, sanitize_json, sanitize_line
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions import RunRegistry, RunSummary, RunWorker, Store
from sandbox_tui.sessions.recording.fork_worker import ForkPlan
from sandbox_tui.sessions.recording.run_worker import EndedEarly
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.tui.cli.show_app import Ended
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.lifecycle import crash_report

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

    With several runs, each line of text begins with the run's number, and each JSON object has a
    field `run` with the session's id.

    Raises:
        SandboxTuiError: no run could start, or the sessions cannot be stored.
    """
    workers = RunRegistry(store)
    return await _follow(workers, [workers.begin(request) for request in requests], as_json)


async def resume_headless(
    run: RunSummary, settings: Settings, store: Store, *, as_json: bool
) -> Ended:
    """Resume a run whose program has ended, like `run_headless`.

    Raises:
        SandboxTuiError: the run cannot be resumed; the message says why.
    """
    workers = RunRegistry(store)
    return await _follow(workers, [workers.resume(run, settings)], as_json)


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
    """Write the events of a run in another program until it ends; returns the exit code.

    Raises:
        SandboxTuiError: the program cannot be reached.
    """
    worker = RunClient(run, store)
    write = writer_for(as_json)
    async for event in worker.watch():
        write(event)
    if worker.failure is not None:
        raise worker.failure
    return worker.exit_code


async def _follow(workers: RunRegistry, begun: Sequence[RunWorker], as_json: bool) -> Ended:
    codes = _cancel_on_signals(workers)
    alone, ids = len(begun) == 1, [worker.run_id for worker in begun]
    try:
        await asyncio.gather(
            *(
                _write_all(
                    worker,
                    writer_for(as_json, None if alone else _label(worker, n, as_json), waits=False),
                )
                for n, worker in enumerate(begun, 1)
            )
        )
    except OSError as error:
        await workers.stop("Its output could no longer be written.")
        return Ended(_without_output(error), ids)
    failures = [worker.failure for worker in begun if worker.failure is not None]
    if codes and failures and all(isinstance(failure, EndedEarly) for failure in failures):
        _say(str(failures[0]))
    elif failures:
        raise failures[0]
    code = codes[0] if codes else next((w.exit_code for w in begun if w.exit_code), 0)
    return Ended(code, ids)


def _without_output(error: OSError) -> int:
    """The exit code of a program that can no longer write to stdout.

    Raises:
        SandboxTuiError: the reason is not a closed pipe.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for anything still written
    if isinstance(error, BrokenPipeError):
        return 128 + signal.SIGPIPE
    raise SandboxTuiError(f"The output of the run cannot be written: {error.strerror}.") from error


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


def _say(words: str) -> None:
    with contextlib.suppress(OSError):  # stderr is closed too
        sys.stderr.write(f"sandbox-tui: {sanitize_line(words)}\n")
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


def text_writer(stream: TextIO, label: str = "", *, waits: bool = True) -> Writer:
    """Writes the events as plain lines of text.

    Args:
        stream: to write to.
        label: prefix of each line.
        waits: whether held calls wait for the user and are reported; otherwise only the decision is
            reported.
    """
    state = RunState()

    def write(event: e.AnyEvent) -> None:
        state.apply(event)
        if isinstance(event, e.CallHeld) and not waits:
            return
        stream.writelines(f"{label}{clock(event.t)}  {text}\n" for text in _lines(event, state))
        stream.flush()

    return write


def _cancel_on_signals(workers: RunRegistry) -> list[int]:
    """End the runs on signals; the returned list receives the exit codes."""
    codes: list[int] = []
    tasks: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(crash_report.on_loop)

    def stop(number: int) -> None:
        codes.append(128 + number)
        because = f"The program received {signal.Signals(number).name}."
        tasks.add(asyncio.create_task(workers.stop(because)))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        loop.add_signal_handler(number, stop, number)
    return codes


def _lines(event: e.AnyEvent, state: RunState) -> list[str]:
    if isinstance(event, e.RunFinished):
        return _end_lines(event)
    line = _line(event, state)
    return [line] if line else []


def _line(event: e.AnyEvent, state: RunState) -> str:
    match event:
        case e.RunStarted():
            about = {**event.sandbox_info}
            because = about.pop("chosen", "")
            facts = [f"{name} {value}" for name, value in about.items()]
            facts += [f"picked automatically: {because}"] if because else []
            head = sanitize_line(f"session {event.run_id}: {event.model} in {event.sandbox}")
            return f"{head} ({sanitize_line(', '.join(facts))})" if facts else head
        case e.RunResumed():
            more = " ".join([*event.lost, *event.changed])
            return sanitize_line(f"resumed after {format_duration(event.away)}. {more}".rstrip())
        case e.ModelReplied():
            line = f"step {event.step} ({short_duration(event.latency)}){_said(state)}"
            remark = state.reply.remark if state.reply else ""
            return f"{line} ({remark})" if remark else line
        case e.ToolFormatChosen():
            return f"tool calls: {event.format.title}. {sanitize_line(event.why)}"
        case e.ContextLengthFound():
            return f"context: {numbers.context(event.context)}"
        case e.ReplyInterrupted():
            return f"step {event.step} (You stopped the reply.){_said(state)}"
        case e.ModelFailed():
            again = f"; retrying in {event.retry_in:.0f} s" if event.retry_in is not None else ""
            return f"model failed (attempt {event.attempt}): {sanitize_line(event.error)}{again}"
        case e.CallHeld():
            return _waiting_line(event, state)
        case e.CallFinished():
            return _call_line(event, state)
        case e.FilesChanged():
            names = ", ".join(f"{c.change} {sanitize_line(c.path)}" for c in event.changes[:8])
            more = f" and {len(event.changes) - 8} more" if len(event.changes) > 8 else ""
            return f"files: {names}{more}"
        case e.InputAwaited():
            return f"waiting: {sanitize_line(event.program)} waits for input on its terminal"
        case e.HumanFile():
            how = {"pull": "copied out", "push": "uploaded", "edit": "edited by hand"}[event.action]
            left = "".join(f"; {sanitize_line(sentence)}" for sentence in event.left_behind)
            return f"you: {sanitize_line(event.path)} {how}{left}"
        case e.Forked():
            parent = sanitize_line(event.parent)
            return f"forked from {parent} after step {event.step}: {event.repeats} repeated"
        case e.Repeated():
            how = sanitize_line(event.parted) or "as recorded"
            return f"call {event.number} of {event.of} run again: {how}"
        case e.Scored():
            worth = "none" if event.value is None else f"{event.value:.3g}"
            return sanitize_line(f"score: {worth} ({event.scorer}). {event.explanation}".rstrip())
        case e.Warned():
            return f"warning: {sanitize_line(event.text)}"
        case _:
            return ""


def _said(state: RunState) -> str:
    """The beginning of the last reply's text or, if it has none, of its reasoning."""
    reply = state.reply
    words = (
        "" if reply is None else sanitize_line(" ".join((reply.text or reply.reasoning).split()))
    )
    return f": {words[:300]}" if words else ""


def _call_line(event: e.CallFinished, state: RunState) -> str:
    item = state.calls[event.call]
    what = sanitize_line(summarize_call(item.call.name, item.arguments))[:200]
    words = f"{short_name(sanitize_line(item.call.name))} {what}".rstrip()
    decided = item.decided
    if decided is not None and decided.verdict in _NOT_RUN:
        who = "you" if decided.by == "human" else sanitize_line(decided.rule or "the policy")
        return f"call {event.call} {_NOT_RUN[decided.verdict]} ({who}): {words}"
    how = "ok" if event.ok else "timed out" if event.timed_out else "failed"
    code = f"exit {event.exit_code}, " if event.exit_code and not event.timed_out else ""
    return f"call {event.call} {how} ({code}{short_duration(event.duration)}): {words}"


_NOT_RUN = {"reject": "not run", "skip": "skipped", "answer": "answered instead of run"}
"""Words for a call that did not run, by verdict."""


def _waiting_line(event: e.CallHeld, state: RunState) -> str:
    item = state.calls[event.call]
    what = sanitize_line(summarize_call(item.call.name, item.arguments))[:200]
    why = f" ({sanitize_line(event.rule)})" if event.rule else ""
    name = short_name(sanitize_line(item.call.name))
    return f"waiting: call {event.call} waits for a decision{why}: {name} {what}"


def _end_lines(event: e.RunFinished) -> list[str]:
    totals = event.totals
    lines = [f"ended: {event.reason}" + (f": {sanitize_line(event.error)}" if event.error else "")]
    tokens = totals.usage.input_tokens + totals.usage.output_tokens
    about = "≈" if totals.usage.estimated else ""
    money = f", {numbers.cost(totals.cost)}" if totals.cost is not None else ""
    done = f"{numbers.counted(totals.steps, 'step')}, {numbers.counted(totals.calls, 'call')}"
    lines.append(f"{done}, {about}{numbers.count(tokens)} tokens{money}")
    if event.answer is not None:
        said = [line for line in sanitize(event.answer).split("\n") if line.strip()]
        lines += [f"answer: {sanitize_line(line).rstrip()}" for line in said or ["none"]]
    if event.output is not None:
        lines.append(f"results: {sanitize_line(event.output)}")
    return lines


def writer_for(json: bool, label: str | None = None, *, waits: bool = True) -> Writer:
    """The writer for stdout in the requested format; `label` distinguishes runs."""
    if json:
        return json_writer(sys.stdout, label)
    return text_writer(sys.stdout, label or "", waits=waits)
