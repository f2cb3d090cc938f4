"""A submit that a message of the user's holds back: it has not failed."""

from __future__ import annotations

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.items import NOT_YET
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.tui.format.call_end import end_words
from sandbox_tui.tui.widgets.calls.rows.item_rows import item_lines
from tests.unit.event_streams import started
from tests.unit.tui.widgets.test_preview_kinds import PALETTE


def test_it_is_said_to_be_held_back_and_not_counted_as_failed() -> None:
    call = e.ToolCall(number=1, step=1, id="c", name="submit", arguments="{}")
    ends = e.CallFinished(call=1, observation=NOT_YET, ok=False, duration=0.0)
    state = fold([started(), e.CallProposed(call=call), e.CallStarted(call=1), ends])
    item = state.calls[1]
    assert item.status == "held_back"
    assert end_words(item) == "· held back"
    assert (state.totals.calls, state.totals.failed_calls) == (1, 0)
    lines = "\n".join(line.plain for line in item_lines(item, 80, 9.0, False, (), PALETTE))
    assert "· held back" in lines
    assert "✗" not in lines
