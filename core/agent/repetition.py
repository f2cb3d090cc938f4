"""Detects a model that repeats the same call and gets the same result each time.

Weak models do this until their steps run out (arXiv 2601.16206, section 3 on weak models).
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.events.types import AnyEvent, CallFinished, CallProposed, Delivered, ToolCall

TIMES_UNTIL_TOLD = 3
"""The model is told once after this many identical calls in a row with identical results."""


class RepetitionCounter:
    """Counts how often the last call was made in a row.

    Two calls are the same if they name the same tool, have equal arguments and got the same
    observation.

    Attributes:
        times: how often in a row, including the last call; 0 before the first one.
    """

    def __init__(self) -> None:
        self.times = 0
        self._last: tuple[str, str, str] | None = None

    def count(self, call: ToolCall, observation: str) -> int:
        """Count an answered call; returns how often it was made in a row."""
        current = call.name, _normalized(call.arguments), observation
        self.times = self.times + 1 if current == self._last else 1
        self._last = current
        return self.times


def counter_after(events: Sequence[AnyEvent]) -> RepetitionCounter:
    """Return the counter after these events of a run. A user message resets it."""
    counter = RepetitionCounter()
    proposed: dict[int, ToolCall] = {}
    for event in events:
        if isinstance(event, CallProposed):
            proposed[event.call.number] = event.call
        elif isinstance(event, Delivered) and event.ids:
            counter = RepetitionCounter()  # the user stepped in
        elif isinstance(event, CallFinished) and event.call in proposed:
            counter.count(proposed.pop(event.call), event.observation)
    return counter


def _normalized(arguments: str) -> str:
    """Convert arguments to canonical form, so that two spellings of one object compare equal."""
    try:
        return json.dumps(parse_arguments(arguments), sort_keys=True)
    except ArgumentsError:
        return arguments
