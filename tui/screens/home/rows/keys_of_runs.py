"""What the home screen answers to keys that a run has once it is open."""

from __future__ import annotations

from sandbox_tui.sessions.relations.listing import SamplesRow
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import action_with, hint
from sandbox_tui.tui.widgets.sessions.session_list import SessionList

_DECIDING = ("approve", "approve_always", "edit", "reject", "answer", "skip", "waiting")
"""Actions on the waiting call."""

_OPENS = "enter"


def why_key_of_run_does_nothing(key: str, shown: SessionList, *, has_wall: bool) -> str:
    """Return what to do instead of pressing a key of an open run or of the wall on a run that waits
    for the user; empty on other rows, and if it is no such key.

    Args:
        key: the key.
        shown: the list.
        has_wall: whether a key shows the runs side by side now.
    """
    row = shown.current_row
    here = shown.samples_here if isinstance(row, SamplesRow) else [shown.current]
    if not any(run is not None and run.id in shown.waiting for run in here):
        return ""
    name = action_with(key, ("live",))
    if not name:
        name = action_with(key, ("wall",)) if has_wall else ""
        return f"{ACTIONS[name].short_title}: {hint('home.wall')} opens the wall." if name else ""
    title, action = ACTIONS[name].short_title, name.removeprefix("live.")
    if isinstance(row, SamplesRow):
        lists = "" if row.is_open else f"{_OPENS} lists the samples; "
        return f"{title}: {lists}open the one that waits."
    then = "; decide there" if action in _DECIDING else ""
    return f"{title}: {_OPENS} opens the run{then}."
