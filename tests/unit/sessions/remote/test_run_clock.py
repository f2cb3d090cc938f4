"""The clock of a run is its own, whenever a screen starts to watch."""

from __future__ import annotations

import time

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.sessions.remote.run_handle import run_clock
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun

EVENTS = [event for event in sample_run() if not isinstance(event, e.RunFinished)]


class MovedRun(WatchedRun):
    left = True


def test_a_screen_that_attaches_late_shows_the_clock_of_the_run() -> None:
    state, run = fold(EVENTS), WatchedRun(EVENTS)
    run.began = time.monotonic() - 1000  # its last event was long ago
    assert run_clock(run, state, heard_at=time.monotonic()) >= 1000


def test_without_the_clock_of_the_run_time_is_counted_from_its_last_event() -> None:
    state, run = fold(EVENTS), WatchedRun(EVENTS)
    assert run_clock(run, state, heard_at=time.monotonic() - 10) >= state.t + 10


def test_the_clock_stands_still_when_the_run_has_ended() -> None:
    state, run = fold(EVENTS), WatchedRun(EVENTS)
    run.began = 0.0
    run.ended.set()
    assert run_clock(run, state, heard_at=0.0) == state.t


def test_the_clock_of_a_run_that_moves_to_another_program_runs_on() -> None:
    state, run = fold(EVENTS), MovedRun(EVENTS)
    run.began = time.monotonic() - 1000
    run.ended.set()
    assert run_clock(run, state, heard_at=0.0) >= 1000
