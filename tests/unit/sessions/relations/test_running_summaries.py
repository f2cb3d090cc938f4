"""The summaries of running sessions, brought up to now."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.awaiting_person import held_calls
from sandbox_tui.sessions.relations.running_summaries import up_to_now
from sandbox_tui.tui.format.outcome import outcome_words, short_outcome
from tests.unit.event_streams import started

ASKED = e.ModelAsked(seq=2, t=2.0, step=1, digest="d", messages=2)
FAILED = e.ModelFailed(seq=3, t=3.0, step=1, error="no answer", attempt=1)
ASKED_AGAIN = e.ModelAsked(seq=4, t=4.0, step=1, digest="d", messages=2, attempt=2)
WROTE = e.ModelDelta(seq=5, t=5.0, step=1, channel="text", text="x")
FAILED_AGAIN = e.ModelFailed(seq=6, t=6.0, step=1, error="no answer", attempt=2)
STARTED = e.CallStarted(seq=6, t=6.0, call=1)


def test_the_clock_of_a_fork_does_not_run_from_its_parents_start(store: Store) -> None:
    now = time.time()
    run = time.strftime("%Y%m%d-%H%M%S-forka", time.gmtime(now - 60))
    store.append(run, [started(run, started_at=now - 86_400)])
    fork = replace(store.run(run), parent="other", parent_seq=1)
    (summary,) = up_to_now(store, [fork])
    assert 60 <= summary.seconds < 600


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], None),
        ([ASKED], None),
        ([ASKED, FAILED], "retrying, try 2"),
        ([ASKED, FAILED, ASKED_AGAIN], "retrying, try 2"),
        ([ASKED, FAILED, ASKED_AGAIN, WROTE], None),
        ([ASKED, FAILED, ASKED_AGAIN, WROTE, FAILED_AGAIN], "retrying, try 3"),
        ([ASKED, FAILED, ASKED_AGAIN, WROTE, STARTED], None),
    ],
)
def test_a_run_whose_server_fails_says_which_try_it_waits_for(
    store: Store, events: list[e.AnyEvent], words: str | None
) -> None:
    store.append("r", [started(), *events])
    store.append("other", [started("other"), ASKED])
    runs = up_to_now(store, [store.run("r"), store.run("other")])
    assert [run.error for run in runs] == [words, None]


PAUSED = e.ModeChanged(seq=7, t=7.0, mode="paused")
OUTPUT = e.TerminalOutput(seq=8, t=8.0, terminal="model", data=b"x")
FROZEN = e.SandboxFrozen(seq=8, t=8.0, by="human")
THAWED = e.SandboxThawed(seq=9, t=9.0, by="human")
RESUMED = e.ModeChanged(seq=9, t=9.0, mode="auto")
HELD = e.CallHeld(seq=10, t=10.0, call=1)


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([e.ModeChanged(seq=2, t=2.0, mode="step")], "running"),
        ([PAUSED], "paused"),
        ([PAUSED, OUTPUT], "paused"),
        ([PAUSED, OUTPUT, RESUMED], "running"),
        ([PAUSED, OUTPUT, HELD], "waits, paused"),
        ([PAUSED, RESUMED, HELD], "waits for you"),
        ([PAUSED, FROZEN], "frozen"),
        ([PAUSED, FROZEN, HELD], "waits, frozen"),
        ([PAUSED, FROZEN, RESUMED], "running"),
        ([PAUSED, FROZEN, THAWED], "paused"),
    ],
)
def test_a_paused_run_is_called_paused(store: Store, events: list[e.AnyEvent], words: str) -> None:
    store.append("p", [started("p"), *events])
    store.append("other", [started("other"), OUTPUT])
    runs = up_to_now(store, [store.run("p"), store.run("other")])
    assert [outcome_words(run) for run in runs] == [words, "running"]
    assert [short_outcome(run) for run in runs] == [words, "running"]


def test_more_running_sessions_do_not_take_more_queries(store: Store) -> None:
    """Home asks about them several times a second."""
    for name in ("a", "b", "c"):
        store.append(name, [started(name), ASKED, STARTED])
    one = [store.run("a")]
    three = [store.run(name) for name in ("a", "b", "c")]
    assert queries(store, lambda: up_to_now(store, three)) == queries(
        store, lambda: up_to_now(store, one)
    )
    assert queries(store, lambda: held_calls(store, ["a", "b", "c"])) == 1


def queries(store: Store, do: Callable[[], object]) -> int:
    """Return how many statements `do` sends to the database."""
    statements: list[str] = []
    with store.autocommit() as connection:
        connection.set_trace_callback(statements.append)
        do()
        connection.set_trace_callback(None)
    return len(statements)
