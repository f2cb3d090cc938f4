"""What a running sample of an evaluation is doing, in its row and in the header."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import anyio

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.models.base import Usage
from sandbox_tui.tui.screens.evals.header import progress_line, reason_line, server_words
from sandbox_tui.tui.screens.evals.screen_data import data_of
from sandbox_tui.tui.screens.evals.source import LocalEval, Reading
from sandbox_tui.tui.widgets.evals.activity import Activity
from tests.unit.core.evals.reporting.sample_results import INFO, result
from tests.unit.event_streams import started
from tests.unit.tui.widgets.test_preview_kinds import PALETTE

RUNNING = result("a", "sandbox", status="running", input_tokens=0, output_tokens=0)
FAILED = e.ModelFailed(
    step=1, error="connection refused", attempt=1, max_attempts=5, retry_in=8.0, t=2.0
)


def state_of(*events: e.AnyEvent) -> RunState:
    state = RunState()
    for event in (started(), e.ModelAsked(step=1, digest="", messages=1), *events):
        state.apply(event)
    return state


def test_a_sample_whose_server_is_down_says_why_and_when_it_asks_again() -> None:
    waits = Activity.of(RUNNING, state_of(FAILED), 2.5)
    assert waits.words == "try 2 of 5 in 8s: connection refused"
    assert waits.failure == "connection refused"
    again = e.ModelAsked(step=1, digest="", messages=1, t=10.0)
    asked = Activity.of(RUNNING, state_of(FAILED, again), 11)
    assert asked.words.startswith("try 2 of 5 · waits for the model")
    assert asked.words.endswith(": connection refused")
    assert asked.failure
    writes = e.ModelDelta(step=1, channel="text", text="words")
    assert not Activity.of(RUNNING, state_of(FAILED, again, writes), 12).failure
    assert not Activity.of(RUNNING, state_of(), 1).failure


def test_a_sample_shows_how_its_last_call_ended() -> None:
    def ended(decided: str = "", **how: Any) -> str:
        call = e.ToolCall(
            number=1, step=1, id="1", name="execute_bash", arguments='{"command": "ls /nothing"}'
        )
        events: list[e.AnyEvent] = [e.CallProposed(call=call), e.CallStarted(call=1)]
        if decided:
            events[1] = e.CallDecided(call=1, by="human", verdict=decided)  # type: ignore[arg-type]
        events.append(e.CallFinished(call=1, observation="x", **how))
        return Activity.of(RUNNING, state_of(*events), 1.0).words.partition("bash ")[2]

    assert ended(ok=True, exit_code=0) == "ls /nothing ✓"
    assert ended(ok=False, exit_code=3) == "ls /nothing ✗ exit 3"
    assert ended(ok=False) == "ls /nothing ✗ failed"
    assert ended(ok=False, timed_out=True, duration=5.0) == "ls /nothing ✗ timed out after 5.0s"
    assert ended(ok=False, interrupted=True) == "ls /nothing ✗ interrupted"
    assert ended("reject", ok=False) == "ls /nothing ◆ rejected by you"


def test_no_time_is_left_to_tell_while_every_running_sample_waits_for_the_server() -> None:
    over = [result(name, "sandbox", 1.0, seconds=60.0) for name in "xyz"]
    runs = [result(name, "sandbox", status="running", began_at=time.time()) for name in "ab"]
    data = data_of(Reading(INFO, [*over, *runs], "running", "", time.time()))
    writes = [Activity.of(one, state_of(), 1.0) for one in runs]
    waits = [Activity.of(one, state_of(FAILED), 2.5) for one in runs]
    loading = [replace(one, failure="", is_loading=True) for one in waits]
    for running, has_estimate in (
        (writes, True),
        ([waits[0], writes[1]], True),
        (waits, False),
        (loading, False),
    ):
        words = progress_line(data, 120, PALETTE, running).plain
        assert (" left" in words) == has_estimate, words


def test_the_header_says_how_many_wait_for_the_server() -> None:
    runs = [result(name, "sandbox", status="running") for name in "abcd"]
    data = data_of(Reading(INFO, runs, "running", "", 0.0))
    failed = state_of(FAILED)
    waiting = [Activity.of(one, failed, 2.5) for one in runs]
    assert "4 running · 4 retrying · " in progress_line(data, 120, PALETTE, waiting).plain
    writing = [waiting[0], Activity.of(runs[1], state_of(), 1.0)]
    assert " · 1 retrying · " in progress_line(data, 120, PALETTE, writing).plain
    assert server_words(waiting) == "connection refused"
    assert reason_line(data, PALETTE, server=server_words(waiting)).plain == "connection refused"
    assert server_words([writing[1], None]) == ""


def test_the_tokens_of_a_sample_count_while_its_result_is_recorded() -> None:
    usage = Usage(input_tokens=900, output_tokens=100)
    reply = e.ModelReplied(
        step=1, message={}, text="", reasoning="", usage=usage, finish_reason=None, latency=1.0
    )
    worker = SimpleNamespace(
        state=state_of(reply), ended=anyio.Event(), began=None, run_id=RUNNING.run_id
    )
    evals: Any = SimpleNamespace(runs=SimpleNamespace(all={RUNNING.run_id: worker}))
    source = LocalEval(SimpleNamespace(info=INFO, observers=[]), evals)  # type: ignore[arg-type]
    before = source.activity(RUNNING)
    worker.ended.set()
    after = source.activity(RUNNING)
    assert before is not None
    assert after is not None
    assert after.words == "being recorded"
    assert after.sample == before.sample
    assert after.sample.input_tokens == 900
