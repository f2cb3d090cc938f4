"""The limits of a replay: its edges, its last failure, its fastest speed."""

from __future__ import annotations

from sandbox_tui.sessions.playback.markers import FAILURES
from sandbox_tui.tui.screens.cockpit.replay.replay_index import ReplayIndex
from sandbox_tui.tui.screens.cockpit.replay.replay_loop import SPEEDS, ReplayLoop

AT_START, AT_END, NOTHING_FAILED = "this is the start", "this is the end", "nothing failed"
"""Why a move is not possible; the last is followed by its direction."""

_MOVES = frozenset(("step", "event", "second"))


class ReplayLimits:
    """Determines why a move in a replay is not possible.

    Args:
        loop: provides position and speed.
        index: provides the possible targets.
        last: number of the last event.
    """

    def __init__(self, loop: ReplayLoop, index: ReplayIndex, last: int) -> None:
        self._loop = loop
        self._index = index
        self._last = last

    @property
    def now(self) -> tuple[str, ...]:
        """What is currently unavailable; the keys are redrawn when it changes."""
        both = ("step", "failure", "speed")
        return tuple(self.why_unavailable(action, way) for action in both for way in (1, -1))

    def why_unavailable(self, action: str, direction: int) -> str:
        """Return why a move forward (1) or back (-1) is not possible; empty if it is."""
        if action in _MOVES or action in ("go_start", "go_end"):
            back = action == "go_start" or (action in _MOVES and direction < 0)
            edge = 0 if back else self._last
            here = AT_START if back else AT_END
            return here if self._loop.next_position == edge else ""
        if action == "failure":
            return self._why_no_failure(direction)
        if action == "speed" and self._loop.speed == SPEEDS[-1 if direction > 0 else 0]:
            return "this is the fastest" if direction > 0 else "this is the slowest"
        return ""

    def failures_later(self) -> int:
        """Return the number of failures after the position, as far as they are known."""
        return self._index.markers.count_after(self._loop.next_position, FAILURES)

    def _why_no_failure(self, direction: int) -> str:
        if direction > 0 and not self._index.is_complete:
            return ""
        found = self._index.markers.next(self._loop.next_position, direction, FAILURES)
        side = "after" if direction > 0 else "before"
        return "" if found is not None else f"{NOTHING_FAILED} {side} this"
