"""A run without a screen: its events as lines of text, or as JSON, one a line."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from typing import TextIO

from ..core import events as e
from ..core.headline import headline, nickname
from ..core.launch import RunRequest, open_run
from ..core.run import Run
from ..core.state import RunState
from ..core.text import clean, clean_line
from ..sessions import Store, new_id, record
from . import figures

Writer = Callable[[e.AnyEvent], None]


async def run_headless(request: RunRequest, store: Store, write: Writer) -> int:
    """Run to the end, writing every event once it is stored; returns the exit code.

    Raises:
        SandboxTuiError: nothing was begun, or the sessions cannot be stored.
    """
    run_id = new_id()
    run = await open_run(request, run_id, store.blobs(run_id))
    killed = _cancel_on_signals(run)
    finished: e.RunFinished | None = None
    async for event in record(run.events(), store, run_id):
        write(event)
        if isinstance(event, e.RunFinished):
            finished = event
    if killed:
        return killed[0]
    return e.EXIT_CODES[finished.reason] if finished else 1


def json_writer(stream: TextIO) -> Writer:
    """Writes each event as one line of JSON."""

    def write(event: e.AnyEvent) -> None:
        stream.write(e.to_json(event).decode() + "\n")
        stream.flush()

    return write


def text_writer(stream: TextIO) -> Writer:
    """Writes what matters of each event as plain lines: no colour, nothing that moves."""
    state = RunState()

    def write(event: e.AnyEvent) -> None:
        state.apply(event)
        text = _line(event, state)
        if text:
            stream.write(f"{figures.clock(event.t)}  {text}\n")
            stream.flush()

    return write


def _cancel_on_signals(run: Run) -> list[int]:
    """End the run in order on the usual signals; the list then holds the exit code."""
    codes: list[int] = []
    loop = asyncio.get_running_loop()

    def stop(number: int) -> None:
        codes.append(128 + number)
        run.cancel(f"The program got {signal.Signals(number).name}.")

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        loop.add_signal_handler(number, stop, number)
    return codes


def _line(event: e.AnyEvent, state: RunState) -> str:
    match event:
        case e.RunStarted():
            where = ", ".join(f"{k} {clean_line(v)}" for k, v in event.sandbox_info.items())
            head = f"session {event.run_id}: {clean_line(event.model)} in {event.sandbox}"
            return f"{head} ({where})"
        case e.ModelReplied():
            words = clean_line(" ".join((event.text or event.reasoning).split()))
            shown = f": {words[:300]}" if words else ""
            return f"step {event.step} ({figures.seconds(event.latency)}){shown}"
        case e.ModelFailed():
            again = f"; next try in {event.retry_in:.0f} s" if event.retry_in is not None else ""
            return f"model failed (try {event.attempt}): {clean_line(event.error)}{again}"
        case e.CallFinished():
            return _call_line(event, state)
        case e.FilesChanged():
            names = ", ".join(f"{c.change} {clean_line(c.path)}" for c in event.changes[:8])
            more = f" and {len(event.changes) - 8} more" if len(event.changes) > 8 else ""
            return f"files: {names}{more}"
        case e.Warned():
            return f"warning: {clean_line(event.text)}"
        case e.RunFinished():
            return _end_lines(event)
        case _:
            return ""


def _call_line(event: e.CallFinished, state: RunState) -> str:
    call = state.calls[event.call].call
    what = clean_line(headline(call.name, state.calls[event.call].arguments))[:200]
    code = "" if event.exit_code is None else f" exit {event.exit_code}"
    how = "ok" if event.ok else "timed out" if event.timed_out else f"failed{code}"
    name = nickname(clean_line(call.name))
    return f"call {event.call} {name} {what} -> {how} ({figures.seconds(event.duration)})"


def _end_lines(event: e.RunFinished) -> str:
    totals = event.totals
    lines = [f"ended: {event.reason}" + (f": {clean_line(event.error)}" if event.error else "")]
    tokens = totals.usage.input_tokens + totals.usage.output_tokens
    money = f", {figures.cost(totals.cost)}" if totals.cost is not None else ""
    lines.append(
        f"{totals.steps} steps, {totals.calls} calls, {figures.count(tokens)} tokens{money}"
    )
    if event.answer is not None:
        lines.append(f"answer: {clean(event.answer).strip()}")
    if event.output is not None:
        lines.append(f"results: {clean_line(event.output)}")
    return "\n       ".join(lines)


def writer_for(json: bool) -> Writer:
    """The writer the command line asks for, on stdout."""
    return json_writer(sys.stdout) if json else text_writer(sys.stdout)
