"""Notes in the list of calls: events that are told in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.base.durations import exact_duration, format_duration
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.items import NoteItem

LOADING = "The server is loading its model; the run waits up to ten minutes for it."
"""The warning of a run that waits for that."""

HANDED_OVER = "moved to a program of its own"
"""What is said about a run that was detached."""

RESUMED = "resumed after"
"""Beginning of the note on a run that was resumed, with the time for which it was away."""

INTERRUPTED = "◌ interrupted"
"""The state of what was running when the run stopped or its program was killed."""


ALLOWED = "you allowed from now on: "
"""Beginning of the note on a pattern that the user allowed."""

Noted = e.Warned | e.Forked | e.Scored | e.RunResumed | e.RuleGranted | e.RuleRevoked
"""Events that are shown as a note."""


def note_on(event: Noted) -> NoteItem:
    """Return the note on an event."""
    match event:
        case e.Warned(text=text):
            return NoteItem(event.t, text, "warning")
        case e.Forked():
            return NoteItem(event.t, _forked(event))
        case e.Scored():
            return _score_note(event)
        case e.RunResumed():
            return NoteItem(event.t, resumed_words(event))
        case e.RuleGranted(pattern=pattern):
            return NoteItem(event.t, f"{ALLOWED}{pattern}", "yours")
        case e.RuleRevoked(pattern=pattern):
            return NoteItem(event.t, f"you no longer allow: {pattern}", "yours")


def still_granted(
    granted: Sequence[e.RuleGranted], event: e.RuleGranted | e.RuleRevoked
) -> list[e.RuleGranted]:
    """Return what the user allows after this event; allowing the same again replaces it."""
    rest = [one for one in granted if (one.tool, one.pattern) != (event.tool, event.pattern)]
    return [*rest, event] if isinstance(event, e.RuleGranted) else rest


def _score_note(event: e.Scored) -> NoteItem:
    why = f": {event.explanation}" if event.explanation else ""
    if event.value is None:
        return NoteItem(event.t, f"no score ({event.scorer}){why}", "warning")
    return NoteItem(event.t, f"score {event.value:.3g} ({event.scorer}){why}")


def resumed_words(event: e.RunResumed) -> str:
    """Describe a resumption in sentences."""
    words = f"{RESUMED} {_away(event.away)}" if event.away else HANDED_OVER
    return " ".join([f"{words}.", *event.lost, *event.changed])


def _away(seconds: float) -> str:
    """Return for how long a run was away: of the second minute, the seconds too."""
    return exact_duration(seconds) if 60 <= seconds < 120 else format_duration(seconds)


def _forked(event: e.Forked) -> str:
    """Describe the origin of a fork in a sentence."""
    come = f"forked here from {event.parent}: {event.model} continues"
    if not event.repeats:
        return f"{come}, with its files at that point"
    many = "one recorded call is" if event.repeats == 1 else f"{event.repeats} recorded calls are"
    if event.snapshot:
        return f"{come}; {many} run again from a snapshot"
    return f"{come}; without a snapshot, {many} run again from the input files"
