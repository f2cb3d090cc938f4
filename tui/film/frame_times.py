"""Chooses which positions of a session a film shows, and for how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sandbox_tui.core.events import types as e

MAX_FRAMES = 150
"""Maximum number of frames; with more, browsers become slow."""

MIN_SECONDS, MAX_SECONDS = 0.15, 1.6
"""Limits on how long a frame is shown: pauses are shortened, and quick frames stay visible."""

END_SECONDS = 5.0
"""How long the last frame is shown before the film repeats."""

_QUIET = (e.FilesListed, e.FilesChanged, e.TerminalOpened, e.TerminalResized, e.RunStarted)
"""Events that change nothing visible."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A position of a film.

    Attributes:
        seq: the event after which it is.
        seconds: how long it is shown.
    """

    seq: int
    seconds: float


def moments(events: Sequence[e.AnyEvent]) -> list[Moment]:
    """Return the positions worth a frame, at most `MAX_FRAMES`.

    Args:
        events: of the session, at least one.
    """
    shown: list[e.AnyEvent] = [event for event in events if not isinstance(event, _QUIET)]
    if not shown or shown[-1].seq != events[-1].seq:
        shown.append(events[-1])
    kept = _thinned(shown)
    found = [
        Moment(event.seq, min(max(after.t - event.t, MIN_SECONDS), MAX_SECONDS))
        for event, after in pairwise(kept)
    ]
    return [*found, Moment(kept[-1].seq, END_SECONDS)]


def _thinned(events: list[e.AnyEvent]) -> list[e.AnyEvent]:
    """Return the last event of every `MIN_SECONDS`, evenly thinned out if they are still too many.
    The very last event is always included."""
    kept: list[e.AnyEvent] = []
    since = 0.0
    for event in events:
        if kept and event.t - since < MIN_SECONDS:
            kept.pop()
        else:
            since = event.t
        kept.append(event)
    if len(kept) <= MAX_FRAMES:
        return kept
    last = len(kept) - 1
    return [kept[round(place * last / (MAX_FRAMES - 1))] for place in range(MAX_FRAMES)]
