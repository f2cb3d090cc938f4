"""The answer that a run gave only in its call of `submit`, although that takes none."""

from __future__ import annotations

from itertools import takewhile

from sandbox_tui.core.base.tool_names import SUBMIT
from sandbox_tui.core.events.run_state import CallItem, RunState
from sandbox_tui.sessions.store.answers import answer_in_call
from sandbox_tui.tui.format import numbers


def said_in_submit(state: RunState) -> str:
    """Return the answer in the call of `submit` of the last step; empty if there is none."""
    calls = (item for item in reversed(state.items) if isinstance(item, CallItem))
    last = next(calls, None)
    if last is None:
        return ""
    of_step = takewhile(lambda call: call.call.step == last.call.step, calls)
    found = next((call for call in (last, *of_step) if call.call.name == SUBMIT), None)
    return "" if found is None else answer_in_call(found.arguments)


def said_count_words(count: int) -> str:
    """Return how many answers are only in calls of `submit`; empty if none is."""
    return f"{numbers.counted(count, 'answer')} only said in submit" if count else ""
