"""A run that another program records, as its record tells it."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.remote import recorded_run
from sandbox_tui.sessions.remote.recorded_run import RecordedRun
from sandbox_tui.sessions.remote.run_handle import run_clock
from tests.unit.event_streams import started

AGO = 100.0
"""Seconds since the run started."""


def printed(seq: int, words: str) -> e.TerminalOutput:
    return e.TerminalOutput(seq=seq, t=2.0, terminal=MIRROR, data=f"{words}\r\n".encode())


async def test_new_output_and_the_clock_are_those_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_run, "POLL_SECONDS", 0.0)
    store = Store(tmp_path / "s.db")
    first = msgspec.structs.replace(started(), seq=1, t=0.0, started_at=time.time() - AGO)
    call = e.ToolCall(number=1, step=1, id="1", name="execute_bash", arguments="{}")
    begins = e.CallProposed(call=call, seq=2, t=1.0), e.CallStarted(call=1, seq=3, t=1.0)
    store.append("r", [first, *begins, printed(4, "before")])
    run = RecordedRun(store.run("r"), store)
    assert run.is_growing
    assert run.began is None
    async for event in run.watch():
        if event.seq == 4:
            assert not run.printed.lines(9), "old output may be long"
            assert AGO <= run_clock(run, run.state, time.monotonic()) < AGO + 60
            store.append("r", [printed(5, "after")])
        if event.seq == 5:
            break
    assert run.printed.lines(9) == ["after"]
    store.close()
