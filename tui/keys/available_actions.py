"""Lists the actions of a screen and its focused widget, each with all its keys, grouped by purpose,
and with the reason if it is not available now.

Covers only our own actions, which are in `ACTIONS`, and Textual's copy action.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from textual.app import App
from textual.binding import ActiveBinding, Binding
from textual.dom import DOMNode, NoScreen
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input

from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import hint, hints, shown
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable, as_sentence
from sandbox_tui.tui.textual_support.private_api import (
    binding_chain,
    declared_bindings,
    parse_action,
)
from sandbox_tui.tui.textual_support.typed_app import app_of

COPY = "screen.copy_text"
"""The only action of Textual itself that is listed."""

MOVING = "Moving"

ENTER = "enter"

OPEN = "list.open"
"""What enter does in a list: it stands first among the actions on what is listed."""

_VERTICAL = ("scroll_up", "scroll_down", "page_up", "page_down")
"""Actions of Textual that scroll a widget up and down."""

NO_SEARCH = "there is no search"
"""Why the keys that go from match to match are off."""

_CALL, _RUN, _WORDS = "The waiting call", "The run", "Messages and commands"
_TIME, _SESSION, _SESSIONS, _RUNS = "Moving in time", "This session", "Sessions", "Runs"
_EVAL, _TRAINING = "The evaluation", "The training"
_CALLS, _TERMINAL, _FILES, _PANES = "Calls", "Terminal", "Files", "Panes"
_HERE, _EVERYWHERE = "Here", "Everywhere"

_ORDER = (
    *(_CALL, _RUN, _WORDS, _TIME, _SESSION, _EVAL, _TRAINING, _RUNS, _SESSIONS, _HERE),
    *(_CALLS, _TERMINAL, _FILES, _PANES, MOVING, _EVERYWHERE),
)

_LISTED = (_SESSIONS, _EVAL, _TRAINING)
"""Groups of actions on what the list of a screen contains."""

_BY_NAME = {
    **dict.fromkeys(
        [f"live.{name}" for name in ("approve", "approve_always", "edit", "reject")], _CALL
    ),
    **dict.fromkeys(["live.answer", "live.skip", "live.waiting"], _CALL),
    **dict.fromkeys([f"live.{name}" for name in ("inject", "message", "queue", "shell")], _WORDS),
    **dict.fromkeys(
        [
            f"replay.{name}"
            for name in ("fork", "run_again", "screenshot", "export", "leave", "back")
        ],
        _SESSION,
    ),
    **dict.fromkeys([f"home.{name}" for name in ("new", "demo", "model", "resume", "wall")], _RUNS),
    **dict.fromkeys(
        ["home.settings", "home.quit"],
        _EVERYWHERE,
    ),
    **dict.fromkeys([f"wall.{name}" for name in ("left", "right", "up", "down")], MOVING),
    "wall.page_down": MOVING,
    "wall.page_up": MOVING,
    **dict.fromkeys(
        [f"settings.{name}" for name in ("up", "down", "next_section", "previous_section")], MOVING
    ),
    "home.evals": _SESSIONS,
    "home.trainings": _SESSIONS,
    "rollouts.left": MOVING,
    "rollouts.right": MOVING,
    "training.next_pane": _PANES,
    "training.previous_pane": _PANES,
    "eval.next_pane": _PANES,
    "eval.previous_pane": _PANES,
    "live.put_away": _EVERYWHERE,
    "live.to_calls": _PANES,
    "cockpit.note": _SESSION,
    "live.leave": _SESSION,
    "live.replay": _SESSION,
    "live.resume": _SESSION,
    "live.fork": _SESSION,
    "live.run_again": _SESSION,
    "live.export": _SESSION,
    "live.open_folder": _SESSION,
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
    "training": _TRAINING,
    "trainings": _TRAINING,
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
    """An action available at the focus.

    Attributes:
        name: place and purpose; for an action of Textual, the action itself.
        words: shown to the user, beginning with a capital letter.
        keys: in words, the preferred one first.
        action, node: what to run, and where.
        group: its purpose.
        off: why it is not available now; otherwise empty.
        focus: an action of the screen that goes to the node first; empty if it has the focus.
    """

    name: str
    words: str
    keys: tuple[str, ...]
    action: str
    node: DOMNode
    group: str
    off: str = ""
    focus: str = ""

    async def run(self, app: App[int]) -> None:
        """Do it, unless its screen has closed since it was listed."""
        with contextlib.suppress(NoScreen):
            if self.node is app or self.node.screen in app.screen_stack:
                if self.focus:
                    await app.run_action(self.focus, self.node.screen)
                await app.run_action(self.action, self.node)


def available_actions(screen: Screen[Any]) -> list[ActionHere]:
    """Return the actions of this screen and its focused widget by group: those available now, and
    those that are not but give a reason. The keys of a search are listed only during one if they
    do something else otherwise."""
    found: dict[str, ActionHere] = {}
    active = screen.active_bindings
    for node, bindings in binding_chain(screen):
        for key, binding in bindings:
            name = binding.id or (COPY if binding.action == COPY else "")
            if not name or not binding.description:
                continue
            off = _why_off(binding.action, node)
            here = active.get(key)
            taken = here is None or (here.node is not node and not is_passed_on(here))
            other = here is not None and off == NO_SEARCH
            if off is None or (taken and (other or not off)):
                continue
            known = found.get(name)
            if known is None:
                words = _words(name, binding, node)
                found[name] = ActionHere(
                    name, words, (shown(key),), binding.action, node, _group(name), off
                )
            elif name != COPY and shown(key) not in known.keys:
                found[name] = known._replace(keys=(*known.keys, shown(key)))
    for one in (*_enter_of_dialog(screen), *_of_other_fields(screen), *_of_program(screen)):
        found.setdefault(one.name, one)
    if (opens := found.get(OPEN)) is not None:
        found[OPEN] = opens._replace(group=_group_of_listed(opens.node, found.values()))
    useful = {action.group for action in found.values() if not action.off}
    return sorted(
        found.values(),
        key=lambda one: (
            one.group not in useful,
            _ORDER.index(one.group),
            bool(one.off),
            one.name != OPEN,
        ),
    )


def actions_of(node: DOMNode) -> list[ActionHere]:
    """Return the actions of a widget or screen itself, with their first keys, as if it had the
    focus: those available, and those that are not but give a reason."""
    found: dict[str, ActionHere] = {}
    for binding in declared_bindings(node):
        name, off = binding.id or "", _why_off(binding.action, node)
        if name in ACTIONS and off is not None:
            words, keys = _words(name, binding, node), (hint(name),)
            one = ActionHere(name, words, keys, binding.action, node, _group(name), off)
            found.setdefault(name, one)
    return list(found.values())


def _enter_of_dialog(screen: Screen[Any]) -> Iterator[ActionHere]:
    """Yield what enter does in the list, the buttons or the input of a dialog."""
    words: str = getattr(screen, "choice_words", "")
    if not words and isinstance(screen.focused, Input):
        words = getattr(screen, "enter_words", "")
    here = screen.active_bindings.get(ENTER)
    if isinstance(screen, ModalScreen) and words and here is not None:
        words = words[:1].upper() + words[1:]
        yield ActionHere(ENTER, words, (shown(ENTER),), here.binding.action, here.node, _HERE)


def _of_other_fields(screen: Screen[Any]) -> Iterator[ActionHere]:
    """Yield the actions of the fields that a dialog names as `other_fields`, because they have keys
    of their own while they have the focus."""
    fields: Iterable[Widget] = getattr(screen, "other_fields", ())
    for field in fields:
        for binding in declared_bindings(field):
            if (name := binding.id) and name in ACTIONS:
                words = f"{_words(name, binding, field)} ({field.id})"
                keys = tuple(hints(name).split("/"))
                yield ActionHere(name, words, keys, binding.action, field, _HERE)


def _of_program(screen: Screen[Any]) -> Iterator[ActionHere]:
    """Yield the actions of the program with keys that no dialog holds back."""
    if not isinstance(screen, ModalScreen):
        return
    app = app_of(screen)
    for binding in declared_bindings(app):
        name = binding.id or ""
        if binding.priority and name in ACTIONS and name != getattr(screen, "opened_by", ""):
            keys, words = tuple(hints(name).split("/")), _words(name, binding, app)
            yield ActionHere(name, words, keys, binding.action, app, _group(name))


def _group_of_listed(node: DOMNode, found: Iterable[ActionHere]) -> str:
    """Return the group of the actions on what a list contains: those of the list itself, otherwise
    those of its screen."""
    of_list = [one.group for one in found if one.node is node and one.group != MOVING]
    of_screen = [one.group for one in found if one.group in _LISTED]
    return next(iter([*of_list, *of_screen]), MOVING)


def is_passed_on(active: ActiveBinding) -> bool:
    """Return whether a widget has nothing to scroll that way, and so leaves the key to others."""
    node, action = active.node, active.binding.action
    if not isinstance(node, Widget):
        return False
    if action in ("scroll_left", "scroll_right"):
        return not node.allow_horizontal_scroll
    return action in _VERTICAL and not node.allow_vertical_scroll


def why_key_is_disabled(screen: Screen[Any], key: str) -> str:
    """Return why a key does nothing now, as a sentence; empty if it does something or has no action
    here."""
    _, off = disabled_action(screen, key)
    if off:
        return as_sentence(off)
    if key not in screen.active_bindings and isinstance(screen, ExplainsUnavailable):
        return screen.why_key_does_nothing(key)
    return ""


def disabled_action(screen: Screen[Any], key: str) -> tuple[str, str]:
    """Return the action that a key would have if it were available now, and why it is not; both
    empty if the key does something or has no action here."""
    if key in screen.active_bindings:
        return "", ""
    found = "", ""
    for node, bindings in binding_chain(screen):
        for binding in bindings.key_to_bindings.get(key, ()):
            off = _why_off(binding.action, node)
            if off and binding.id in ACTIONS:  # the outermost: inner ones are for special states
                found = binding.id, off
    return found


def action_of_key(screen: Screen[Any], key: str) -> str:
    """Return the action that a key has on a screen, which may be below a dialog; empty if none."""
    active = screen.active_bindings.get(key)
    name = "" if active is None else active.binding.id or ""
    return name if name in ACTIONS else ""


def _why_off(action: str, node: DOMNode) -> str | None:
    """Return why an action is off; empty if it is on; None if the reason is unknown."""
    target, name, parameters = parse_action(node, action)
    if isinstance(target, ExplainsUnavailable):
        return target.why_unavailable(name, parameters)
    return "" if target.check_action(name, parameters) else None


def _words(name: str, binding: Binding, node: DOMNode) -> str:
    """Return the current description of an action: from its screen if possible, otherwise from the
    table. A screen with `title_for` has longer words than those of the key bar."""
    title_for = getattr(node, "title_for", None)
    now: str | None = title_for(binding.action) if title_for is not None else None
    words_for = getattr(node, "words_for", None)
    if not now and words_for is not None:
        now = words_for(binding.action)
    known = ACTIONS.get(name)
    words = now or (known.title if known is not None else binding.description)
    return words[:1].upper() + words[1:]


def _group(name: str) -> str:
    if name == COPY:
        return _EVERYWHERE
    return _BY_NAME.get(name) or _BY_PLACE.get(name.partition(".")[0], _HERE)
