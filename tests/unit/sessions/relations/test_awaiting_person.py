"""Finding the runs that wait for the user in the database."""

from __future__ import annotations

import contextlib
import uuid
from pathlib import Path

import msgspec
import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.awaiting_person import held_calls, waiting_since
from sandbox_tui.sessions.relations.running_summaries import up_to_now
from sandbox_tui.sessions.remote.sockets import listen
from sandbox_tui.tui.format.outcome import outcome_words
from tests.unit.event_streams import started

HELD = e.CallHeld(seq=2, t=2.0, call=1)
OUTPUT = e.TerminalOutput(seq=3, t=3.0, terminal="model", data=b"x")
DECIDED = e.CallDecided(seq=4, t=4.0, call=1, verdict="approve", by="human")
HELD_AGAIN = e.CallHeld(seq=5, t=5.0, call=2)


@pytest.mark.parametrize(
    ("events", "waits"),
    [
        ((), False),
        ((HELD,), True),
        ((HELD, OUTPUT), True),
        ((HELD, OUTPUT, DECIDED), False),
        ((HELD, OUTPUT, DECIDED, HELD_AGAIN), True),
    ],
)
def test_a_run_waits_from_a_held_call_to_the_decision(
    tmp_path: Path, events: tuple[e.AnyEvent, ...], waits: bool
) -> None:
    with Store(tmp_path / "s.db") as store:
        store.append("other", [started("other"), HELD, OUTPUT, DECIDED])
        store.append("r", [started(), *events])
        assert list(held_calls(store, ["r", "other"])) == (["r"] if waits else [])


def test_it_is_known_since_when_each_run_waits(store: Store) -> None:
    for name, begins, held in (("new", 300.0, 9.0), ("long", 100.0, 150.0), ("old", 1.0, 280.0)):
        later = msgspec.structs.replace(HELD, t=held)
        store.append(name, [started(name, started_at=begins), later])
    store.append("busy", [started("busy", started_at=2.0)])
    runs = [store.run(name) for name in ("new", "busy", "long", "old")]
    assert waiting_since(store, runs) == {"new": 309.0, "long": 250.0, "old": 281.0}


def test_a_run_that_waits_is_not_called_running(store: Store) -> None:
    waiting = uuid.uuid4().hex  # its socket may be in /tmp, where a test of another process has one
    store.append(waiting, [started(waiting), HELD])
    store.append("busy", [started("busy")])
    both = up_to_now(store, [store.run(waiting), store.run("busy")])
    assert [outcome_words(run) for run in both] == ["waits for you", "running"]
    with contextlib.closing(listen(waiting)):
        (run,) = up_to_now(store, [store.run(waiting)])
        assert outcome_words(run) == "waits for you (detached)"
