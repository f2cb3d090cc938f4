"""The actions available at the focus: each once, with all its keys, grouped by purpose.

Only our own actions, which are in `ACTIONS`, and Textual's copying.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from textual.dom import DOMNode
from textual.screen import Screen

COPY = "screen.copy_text"
"""The one action of Textual's own that is listed."""

MOVING = "Moving"

_CALL, _RUN, _WORDS = "The waiting call", "The run", "You, the model and the sandbox"
_TIME, _SESSION, _SESSIONS, _RUNS = "Moving in time", "This session", "Sessions", "Runs"
_EVAL = "The evaluation"
_CALLS, _TERMINAL, _FILES, _PANES = "Calls", "Terminal", "Files", "Panes"
_HERE, _EVERYWHERE = "Here", "Everywhere"

_ORDER = (
    *(_CALL, _RUN, _WORDS, _TIME, _SESSION, _EVAL, _RUNS, _SESSIONS, _HERE),
    *(_CALLS, _TERMINAL, _FILES, _PANES, MOVING, _EVERYWHERE),
)

_BY_NAME = {
    **dict.fromkeys(
        [f"live.{name}" for name in ("approve", "approve_always", "edit", "reject")], _CALL
    ),
    **dict.fromkeys(["live.answer", "live.skip"], _CALL),
    **dict.fromkeys([f"live.{name}" for name in ("inject", "message", "queue", "shell")], _WORDS),
    **dict.fromkeys([f"replay.{name}" for name in ("fork", "picture", "leave", "back")], _SESSION),
    **dict.fromkeys([f"home.{name}" for name in ("new", "demo", "model", "resume", "wall")], _RUNS),
    **dict.fromkeys(
        ["home.help", "home.settings", "home.quit", "wall.help", "eval.help", "evals.help"],
        _EVERYWHERE,
    ),
    **dict.fromkeys([f"wall.{name}" for name in ("left", "right", "up", "down")], MOVING),
    **dict.fromkeys(["settings.up", "settings.down", "cockpit.help"], _EVERYWHERE),
    "home.evals": _SESSIONS,
    "eval.next_pane": _PANES,
    "eval.previous_pane": _PANES,
    "cockpit.note": _SESSION,
    "list.open": _HERE,
}

_BY_PLACE = {
    "live": _RUN,
    "inject": _WORDS,
    "queue": _WORDS,
    "replay": _TIME,
    "home": _SESSIONS,
    "wall": _RUNS,
    "eval": _EVAL,
    "evals": _EVAL,
    "calls": _CALLS,
    "find": _CALLS,
    "terminals": _TERMINAL,
    "terminal_search": _TERMINAL,
    "file": _FILES,
    "files": _FILES,
    "filter_files": _FILES,
    "cockpit": _PANES,
    "list": MOVING,
    "app": _EVERYWHERE,
}


class ActionHere(NamedTuple):
    """An action that is available at the focus.

    Attributes:
        name: place and what it does; of Textual's own, the action.
        words: for the person.
        keys: as they are shown, the first first.
        action, node: what is run, and where.
        group: what it is for.
    """

    name: str
    words: str
    keys: tuple[str, ...]
    action: str
    node: DOMNode
    group: str


def actions_here(screen: Screen[Any]) -> list[ActionHere]:
    """The actions that work on this screen and its focused widget now, group by group."""
    found: dict[str, ActionHere] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        name = binding.id or (COPY if binding.action == COPY else "")
        if not name or not binding.description or not active.enabled:
            continue
        words = binding.description[:1].upper() + binding.description[1:]
        key = screen.app.get_key_display(binding)  # pyright: ignore[reportUnknownMemberType]
        known = found.get(name)
        if known is None:
            keys, group = (key,), _group(name)
            found[name] = ActionHere(name, words, keys, binding.action, active.node, group)
        elif name != COPY and key not in known.keys:
            found[name] = known._replace(keys=(*known.keys, key))
    return sorted(found.values(), key=lambda action: _ORDER.index(action.group))


def _group(name: str) -> str:
    if name == COPY:
        return _EVERYWHERE
    return _BY_NAME.get(name) or _BY_PLACE.get(name.partition(".")[0], _HERE)
