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
}
"""For each place, the places that can contain it: the keys of both work at the same time."""

TYPED_IN = (
    *("new_run", "new_eval", "fork", "edit_call"),
    *("settings", "allow_always", "copy_files", "edit_file"),
    *("export", "palette"),
    *("filter_files", "go_to_step", "terminal_search", "find", "inject", "search", "ask_line"),
)
"""Places with text input: keys that write a character cannot be bound there."""


def active_together(one: str, other: str) -> bool:
    """Return whether the keys of two places work at the same time."""
    if one == other or "app" in (one, other):
        return True
    return other in INSIDE.get(one, ()) or one in INSIDE.get(other, ())
