"""Markers: positions to jump to, such as steps, ends of calls, failures and human actions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from sandbox_tui.core.events import types as e

Kind = Literal[
    "step",
    "call",
    "failure",
    "model_failure",
    "human",
    "file",
    "command",
    "snapshot",
    "resumed",
    "end",
]
"""In this order: a reply; the end of a call that did not fail; the end of a failed call; a failed
request; a message, keystroke or decision by the user; a file action by the user; the end of a
command by the user; a snapshot; a resume by another program; the end of the run."""

FAILURES: frozenset[str] = frozenset({"failure", "model_failure"})
CALL_ENDS: frozenset[str] = frozenset({"call", "failure", "file", "command", "end"})


class Marker(NamedTuple):
    """A position to jump to.

    Attributes:
        seq: of the event.
        t: seconds since the run began.
        kind: of the marker.
        step: the step it belongs to; 0 if the event does not say.
    """

    seq: int
    t: float
    kind: str
    step: int = 0


def marker_of(event: e.AnyEvent) -> Marker | None:
    """Return the marker for an event, or None."""
    kind: Kind
    step = 0
    match event:
        case e.ModelReplied(step=step):
            kind = "step"
        case e.ModelFailed(step=step):
            kind = "model_failure"
        case e.CallFinished(ok=ok, interrupted=interrupted):
            kind = "call" if ok or interrupted else "failure"
        case e.CallDecided(by="human") | e.HumanMessage() | e.HumanCommand():
            kind = "human"
        case e.ReplyInterrupted(step=step):
            kind = "human"
        case e.HumanFile():
            kind = "file"
        case e.HumanCommandFinished():
            kind = "command"
        case e.SnapshotTaken(step=step):
            kind = "snapshot"
        case e.RunResumed():
            kind = "resumed"
        case e.RunFinished():
            kind = "end"
        case _:
            return None
    return Marker(event.seq, event.t, kind, step)


class MarkerIndex:
    """The markers of a session, in order.

    Attributes:
        all: the markers.
    """

    def __init__(self, places: Iterable[Marker] = ()) -> None:
        self.all: Sequence[Marker] = sorted(set(places))
        self._numbers = [place.seq for place in self.all]
        self._steps = [(place.step, place.seq) for place in self.all if place.kind == "step"]
        self._steps.sort()

    @property
    def steps(self) -> int:
        """Number of the last step that has a reply."""
        return self._steps[-1][0] if self._steps else 0

    @property
    def last(self) -> int:
        """Number of the last event with a marker; 0 if there is none."""
        return self._numbers[-1] if self._numbers else 0

    def next(self, seq: int, direction: int, kinds: frozenset[str]) -> int | None:
        """Return the next marker of these kinds after `seq`, or before it if `direction` is -1;
        None if there is none."""
        if direction > 0:
            places = range(bisect_right(self._numbers, seq), len(self.all))
        else:
            places = range(bisect_left(self._numbers, seq) - 1, -1, -1)
        return next((self.all[i].seq for i in places if self.all[i].kind in kinds), None)

    def count_after(self, seq: int, kinds: frozenset[str]) -> int:
        """Return the number of markers of these kinds after `seq`."""
        later = range(bisect_right(self._numbers, seq), len(self.all))
        return sum(self.all[i].kind in kinds for i in later)

    def time_of_step(self, step: int) -> float | None:
        """Return when the reply of a step arrived, in seconds since the run began; None if there is
        none."""
        seq = self.of_step(step)
        place = None if seq is None else self.all[bisect_left(self._numbers, seq)]
        return None if place is None or place.step != step else place.t

    def of_step(self, step: int) -> int | None:
        """Return the reply of a step, or of the first later step that has one; None if there is
        none."""
        at = bisect_left(self._steps, (step, 0))
        return self._steps[at][1] if at < len(self._steps) else None
