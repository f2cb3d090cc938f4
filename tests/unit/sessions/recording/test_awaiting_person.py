"""Finding the runs that wait for the user in the database."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.awaiting_person import held_calls
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
