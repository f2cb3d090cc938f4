from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast, get_args

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState, RunStatus, fold
from sandbox_tui.sessions import RunWorker
from sandbox_tui.tui.format.status import (
    STATUS_WORDS,
    mode_words,
    next_try_when,
    retry_words,
    short_error,
    status_of,
    step_words,
)
from sandbox_tui.tui.terminal_io.title import sign_of
from sandbox_tui.tui.widgets.calls.call_counts import call_counts
from sandbox_tui.tui.widgets.wall.run_facts import figures_words, kind_of, status_words
from tests.unit.event_streams import started


def test_every_status_has_a_sign_and_words() -> None:
    assert set(STATUS_WORDS) == set(get_args(RunStatus))


def frozen() -> RunState:
    return fold([started(), e.ModeChanged(mode="paused"), e.SandboxFrozen()])


def test_a_frozen_run_is_called_frozen_wherever_it_is_shown() -> None:
    state = frozen()
    worker: Any = SimpleNamespace(state=state, failure=None)
    assert state.status == "frozen"
    assert status_words(cast(RunWorker, worker)) == "‖ frozen"
    assert sign_of(state) == "‖ frozen"


@pytest.mark.parametrize(("freezes", "word"), [(False, "paused"), (True, "frozen")])
def test_a_run_that_waits_and_is_stopped_says_both(freezes: bool, word: str) -> None:
    call = e.ToolCall(number=1, step=1, id="1", name="submit", arguments="{}")
    state = fold([started(), e.ModeChanged(mode="ask"), e.CallProposed(call=call)])
    for event in (e.CallHeld(call=1), e.ModeChanged(mode="paused")):
        state.apply(event)
    if freezes:
        state.apply(e.SandboxFrozen())
    worker: Any = SimpleNamespace(state=state, failure=None)
    assert mode_words(state) == f"ask ‖ {word}"
    assert status_of(state).words == "waits for you"
    assert status_words(cast(RunWorker, worker)) == f"‖ {word} ◆ waits"
    assert sign_of(state) == "◆ waits for you"


def test_a_run_pauses_only_after_the_reply_that_still_arrives() -> None:
    asked = e.ModelAsked(step=1, digest="", messages=1)
    delta = e.ModelDelta(step=1, channel="text", text="words")
    state = fold([started(), asked, delta, e.ModeChanged(mode="paused")])
    worker: Any = SimpleNamespace(state=state, failure=None)
    assert status_words(cast(RunWorker, worker)) == "‖ pausing"
    failed = e.ModelFailed(step=1, error="no", attempt=1, max_attempts=3, retry_in=1.0)
    retrying = fold([started(), asked, e.ModeChanged(mode="paused"), failed])
    assert status_of(retrying).words == "paused", "the model is not asked again before resuming"
    again: Any = SimpleNamespace(state=retrying, failure=None)
    assert status_words(cast(RunWorker, again)) == "‖ paused"
    assert retry_words(failed, 9.0, when=next_try_when(retrying)) == "try 2 of 3 once you resume"
    state.apply(e.ReplyInterrupted(step=1))
    assert status_words(cast(RunWorker, worker)) == "‖ paused"


def test_calls_are_counted_by_how_they_were_decided() -> None:
    state = RunState()
    verdicts: list[e.Verdict] = ["reject", "reject", "answer", "skip", "edit", "approve"]
    for number, verdict in enumerate(verdicts, 1):
        call = e.ToolCall(number=number, step=1, id="a", name="execute_bash", arguments="{}")
        state.apply(e.CallProposed(call=call))
        state.apply(e.CallDecided(call=number, verdict=verdict, by="human"))
    assert call_counts(state) == ["1 edited", "2 rejected", "1 answered", "1 skipped"]


def asking(*, answerable: bool) -> RunState:
    call = e.ToolCall(number=1, step=1, id="a", name="execute_bash", arguments="{}")
    asked = e.InputAwaited(program="ssh", hidden=True, answerable=answerable)
    return fold([started(), e.CallProposed(call=call), e.CallStarted(call=1), asked])


def test_a_command_that_asks_is_reported_wherever_the_run_is_shown() -> None:
    state = asking(answerable=True)
    worker: Any = SimpleNamespace(state=state, failure=None)
    of = cast(RunWorker, worker)
    assert (status_words(of), kind_of(of)) == ("◆ waits for input", "waiting")
    assert sign_of(state) == "◆ waits for input"
    state.apply(e.CallFinished(call=1, observation="", ok=True))
    assert (status_words(of), kind_of(of)) == ("● running", "running")
    assert asking(answerable=False).status == "running", "nobody can answer it"


@pytest.mark.parametrize("status", get_args(RunStatus))
def test_a_title_has_the_sign_of_the_table(status: RunStatus) -> None:
    known = {"status": status, "step": 1, "items": []}
    state: Any = SimpleNamespace(**known, reply=None, pending=None, finished=None, running=None)
    assert sign_of(state).startswith(STATUS_WORDS[status].sign)


def test_a_run_that_ended_within_a_step_counts_the_steps_that_the_end_card_counts() -> None:
    state = fold([started(), e.ModelAsked(step=3, digest="", messages=1)])
    assert step_words(state) == "step 3"
    assert step_words(state, most=True) == "step 3/100"
    totals = e.Totals(steps=2)
    state.apply(e.RunFinished(reason="cancelled", error=None, totals=totals, answer=None))
    assert step_words(state, most=True) == "2 steps"
    run: Any = SimpleNamespace(state=state, failure=None)
    assert "2 steps" in figures_words(run, 0.0, 80)


def test_an_error_is_shortened_to_the_status_and_the_words_of_the_server() -> None:
    assert short_error("The server returned an error (503). It says: Busy.") == "503: Busy."
    assert short_error("Too many requests. It says: Slow down.", 429) == "429: Slow down."
    assert short_error("The reply broke off.") == "The reply broke off."


def test_a_run_that_has_asked_the_model_nothing_is_preparing() -> None:
    assert status_of(fold([started()])).words == "preparing"
    assert (
        status_of(fold([started(), e.ModelAsked(step=1, messages=1, digest="")])).words == "running"
    )


def test_a_run_pauses_only_after_the_call_that_still_runs() -> None:
    call = e.ToolCall(number=1, step=1, id="1", name="execute_bash", arguments="{}")
    begun = [started(), e.CallProposed(call=call), e.CallStarted(call=1)]
    paused = [*begun, e.ModeChanged(mode="paused")]
    assert status_of(fold(paused)).words == "pausing"
    ended = e.CallFinished(call=1, observation="", ok=True)
    assert status_of(fold([*paused, ended])).words == "paused"
