"""What the filters of the list of calls show."""

from __future__ import annotations

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.items import CallItem, ReplyItem
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.sessions.playback.markers import FAILURES, marker_of
from sandbox_tui.tui.widgets.calls.search.call_filter import contains, fits
from tests.unit.event_streams import started


@pytest.mark.parametrize("interrupted", [False, True])
def test_an_interrupted_call_is_no_failure(interrupted: bool) -> None:
    """The filter, the places that a replay jumps to, and the counts agree."""
    call = e.ToolCall(number=1, step=1, id="a", name="execute_bash", arguments="{}")
    end = e.CallFinished(seq=5, t=2, call=1, observation="", ok=False, interrupted=interrupted)
    state = fold(
        [
            started(),
            e.CallProposed(seq=2, t=1, call=call),
            e.CallDecided(seq=3, t=1, call=1, verdict="approve", by="policy"),
            e.CallStarted(seq=4, t=1, call=1),
            end,
        ]
    )
    marker = marker_of(end)
    assert marker is not None
    assert (marker.kind in FAILURES) is not interrupted
    assert fits(state.calls[1], "failed") is not interrupted
    assert state.totals.failed_calls == (not interrupted)
    assert state.totals.interrupted_calls == interrupted


def test_what_is_said_about_an_item_can_be_found() -> None:
    assert contains(ReplyItem(step=1, asked_at=0, interrupted=True), "you stopped")
    call = e.ToolCall(number=1, step=1, id="a", name="execute_bash", arguments="{}")
    decided = e.CallDecided(call=1, verdict="reject", by="human", feedback="Use the index.")
    assert contains(CallItem(call, 0, decided=decided), "the index")
