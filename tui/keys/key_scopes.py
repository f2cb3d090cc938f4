"""Places whose keys work at the same time, and places with text input.

The nesting of places follows from how the screens are composed; `tests/screens/test_key_scopes.py`
opens all screens and compares.
"""

from __future__ import annotations

_COCKPIT = ("cockpit", "live", "replay")

INSIDE: dict[str, tuple[str, ...]] = {
    "cockpit": ("live", "replay"),
    "list": (
        *("help", "palette", "home", "compare", "pager", "choose_model", "file_view"),
        *("eval", "evals", "training", "trainings", *_COCKPIT),
    ),
    "rollouts": ("list", "training"),
    "difference": ("list", "pager"),
    "calls": ("list", *_COCKPIT),
    "file": ("list", "file_view", *_COCKPIT),
    "files": ("file", "list", *_COCKPIT),
    "terminals": _COCKPIT,
    "terminal_search": ("terminals", *_COCKPIT),
    "find": _COCKPIT,
    "search": ("home",),
    "hits": ("list", "home"),
    "inject": ("live", "cockpit"),
    "queue": ("list", "live", "cockpit"),
    "choice": ("settings", "export"),
    "path": ("copy_files", "export", "new_eval", "new_run"),
    "end_runs": ("confirm",),
    "message_runs": ("ask_line",),
}
"""For each place, the places that can contain it: the keys of both work at the same time."""

ALSO_IN: dict[str, str] = {
    f"live.{decision}": "pager"
    for decision in ("approve", "approve_always", "edit", "reject", "answer", "skip")
}
"""The other place in which an action works: the full text of a waiting call is a pager, too."""

AFTER_THE_END = "live.resume"
"""The action on an ended run whose key also decides about calls while the run lives."""

OF_OTHER_STATES = ("wall.resume", "wall.reject")
"""Actions of one key on the chosen run of the wall: no state of a run has both."""

TYPED_IN = (
    *("new_run", "new_eval", "fork", "edit_call"),
    *("settings", "allow_always", "copy_files", "edit_file"),
    *("export", "palette", "path"),
    *("filter_files", "go_to_step", "terminal_search", "find", "inject", "search", "ask_line"),
)
"""Places with text input: keys that write a character cannot be bound there."""


def active_together(one: str, other: str) -> bool:
    """Return whether the keys of two actions work at the same time."""
    if AFTER_THE_END in (one, other) and (one in ALSO_IN or other in ALSO_IN):
        return False
    if {one, other} == set(OF_OTHER_STATES):
        return False
    return any(_overlap(a, b) for a in _places_of(one) for b in _places_of(other))


def _places_of(action: str) -> set[str]:
    place = action.partition(".")[0]
    return {place, ALSO_IN.get(action, place)}


def _overlap(one: str, other: str) -> bool:
    if one == other or "app" in (one, other):
        return True
    return other in INSIDE.get(one, ()) or one in INSIDE.get(other, ())
