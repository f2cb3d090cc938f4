"""The current state and figures of a run on the wall."""

from __future__ import annotations

import time
from typing import Literal, TypeGuard

from rich.style import Style

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.events.outcome_sign import OutcomeSign, outcome_sign
from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.recorded_run import RecordedRun
from sandbox_tui.sessions.remote.run_handle import FoldedRun, run_clock
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.status import (
    STATUS_WORDS,
    is_retrying,
    known_before_attaching,
    output_tokens_so_far,
    pausing_reply,
    status_of,
    step_words,
    stopped_word,
)
from sandbox_tui.tui.terminal_io.notifications import failed
from sandbox_tui.tui.theming.palette import Palette

SILENT_SECONDS = 60.0
"""A run is called silent from so many seconds without a sign of life on."""

WATCHING = "watching"
"""The word for a run that another terminal controls."""

ELSEWHERE = "elsewhere"
"""The word for runs whose waiting calls another terminal or program decides about."""

Kind = Literal["waiting", "running", "failed", "submitted"]


def kind_of(run: FoldedRun) -> Kind:
    """Return the run's state from the user's point of view."""
    status = run.state.status
    if run.failure is not None or status == "failed":
        return "failed"
    if status == "finished":
        return "submitted"
    if is_attaching(run):
        return "waiting" if run.summary.waits else "running"
    waits = status in ("waiting", "awaiting_input") or (status == "frozen" and run.state.pending)
    return "waiting" if waits else "running"


def failure_words(run: FoldedRun) -> str:
    """Return in a few words why a run with a `failure` has no end of its own."""
    return "interrupted" if isinstance(run.failure, ProgramExited) else failed(run)


def end_words(run: FoldedRun) -> str:
    """Return how a run ended, in a few words."""
    finished = run.state.finished
    return finished.reason.replace("_", " ") if finished else failure_words(run)


def end_sign(run: FoldedRun) -> OutcomeSign:
    """Return the sign of how a run ended."""
    finished = run.state.finished
    return outcome_sign(finished.reason if finished else failure_words(run))


def is_cut_off(run: FoldedRun) -> bool:
    """Return whether a run ended otherwise than by submitting, but has not failed."""
    return kind_of(run) == "failed" and end_sign(run).role == "warn"


def is_watched(run: FoldedRun) -> bool:
    """Return whether another terminal controls a run that goes on, whether or not this one could
    take control of it."""
    if isinstance(run, RecordedRun):
        return run.goes_on and run.state.started is not None
    is_connected = bool(run.audience) and not run.ended.is_set() and run.failure is None
    return is_connected and run.can_be_steered and not run.steers


def mode_words(run: FoldedRun) -> str:
    """Return the mode in words, of a paused run that in which it continues; empty if it is unknown
    or matters no more."""
    state = run.state
    is_active = state.started is not None and kind_of(run) in ("waiting", "running")
    mode = state.paused_mode if state.mode == "paused" else state.mode
    return f"mode {mode}" if is_active else ""


def is_attaching(run: FoldedRun) -> TypeGuard[RunClient | RecordedRun]:
    """Return whether another program runs it, and nothing of it has been read yet."""
    if run.state.started is not None or run.failure is not None or run.ended.is_set():
        return False
    return isinstance(run, RunClient) or (isinstance(run, RecordedRun) and run.goes_on)


def is_decided_here(run: FoldedRun) -> bool:
    """Return whether the waiting calls of a run are decided about from this screen, or may be once
    it is attached."""
    return run.can_be_steered and (run.steers or is_attaching(run))


def stopped_word_of(run: FoldedRun) -> str:
    """Return "pausing", "paused" or "frozen" if the user has stopped a run that goes on; otherwise
    ""."""
    if is_attaching(run):
        frozen_or_paused = "frozen" if run.summary.frozen else "paused"
        return frozen_or_paused if run.summary.paused else ""
    if run.failure is not None or not (word := stopped_word(run.state)):
        return ""
    words = status_of(run.state).words
    return words if words == "pausing" else word


def status_words(run: FoldedRun) -> str:
    """Return the state with its sign, in one to three words."""
    if run.failure is not None or run.state.finished is not None:
        return f"{end_sign(run).sign} {end_words(run)}"
    if is_attaching(run):
        sign, words, _ = known_before_attaching(run.summary)
        return f"{sign} {words}"
    if is_retrying(run.state):
        return "! retrying"
    sign, words, _ = status_of(run.state)
    stopped = stopped_word(run.state)
    if stopped and sign != STATUS_WORDS["paused"].sign:
        return f"‖ {stopped} {sign} {words.removesuffix(' for you')}"
    return f"{sign} {words}"


def silent_seconds(run: FoldedRun, now: float) -> float:
    """Return for how long nothing has come from a running run, neither of its command nor of its
    model; 0 if that is not long, or it is known why.

    Args:
        run: the run.
        now: its clock in seconds.
    """
    state, silent = run.state, now - run.state.t
    goes_on = state.status == "running" or pausing_reply(state) is not None
    is_known = run.failure is not None or is_retrying(state)
    return silent if silent >= SILENT_SECONDS and goes_on and not is_known else 0.0


def status_style(run: FoldedRun, palette: Palette) -> Style:
    """Return the colour of the state."""
    kind = kind_of(run)
    if kind == "failed":
        return palette.of_role(end_sign(run).role)
    if kind == "waiting":
        return palette.human
    if is_retrying(run.state):
        return palette.warn
    roles = {"good": palette.good, "warn": palette.warn, "dim": palette.dim, "bad": palette.bad}
    return roles[STATUS_WORDS[run.state.status].role]


def clock_of(run: FoldedRun, heard_at: float) -> float:
    """Return the seconds since a run started; as its summary says until its record is read.

    Args:
        run: the run.
        heard_at: when something new was last heard of it, on the monotonic clock.
    """
    if is_attaching(run):
        return run.summary.seconds + time.monotonic() - heard_at
    return run_clock(run, run.state, heard_at)


def step_of(run: FoldedRun, *, most: bool = False) -> str:
    """Return the current step, with the maximum if `most`; empty while it is unknown."""
    if not is_attaching(run):
        return step_words(run.state, most=most)
    return f"step {run.summary.steps}" if run.summary.steps else ""


def figures_words(run: FoldedRun, now: float, width: int) -> str:
    """Format time, steps, tokens, cost and failed calls, as far as they are known and fit."""
    if is_attaching(run):
        return " · ".join(filter(None, [clock(now), step_of(run)]))
    state = run.state
    written, estimated = output_tokens_so_far(state)
    tokens = state.totals.usage.input_tokens + written
    failed_calls = state.totals.failed_calls
    parts = [
        clock(now),
        step_words(state, most=True),
        f"{numbers.tokens(tokens, estimated=estimated)} tok" if tokens else "",
        numbers.cost(state.totals.cost),
        numbers.counted(failed_calls, "failed call") if failed_calls else "",
    ]
    shown = [part for part in parts if part]
    if failed_calls and len(" · ".join(shown)) > width:
        shown[-1] = f"{failed_calls} failed"
    while len(shown) > 1 and len(" · ".join(shown)) > width:
        shown.pop()
    return " · ".join(shown)
