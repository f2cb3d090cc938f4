"""Every action that has a key: its name, the keys it has unless a person chose others, its place.

An action's name is the `id` of its `Binding`: the place, a dot, and what it does, such as
`live.approve`. Names stay; keymaps are written with them.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType

from textual.binding import Binding
from textual.dom import DOMNode

_LISTS = ("pager", "choose_model", "choose_version", "file_view", "filter_files")
"""Screens that are a list and little more."""

INSIDE: dict[str, tuple[str, ...]] = {
    "cockpit": ("live", "replay"),
    "list": ("home", "live", "replay", "cockpit", *_LISTS),
    "calls": ("list", "live", "replay", "cockpit"),
    "file": ("list", "live", "replay", "cockpit"),
    "files": ("file", "list", "live", "replay", "cockpit"),
    "terminals": ("live", "replay", "cockpit"),
    "terminal_search": ("terminals", "live", "replay", "cockpit"),
    "find": ("live", "replay", "cockpit"),
    "search": ("home",),
    "hits": ("list", "home"),
    "inject": ("live", "cockpit"),
    "queue": ("list", "live", "cockpit"),
    "choice": ("settings",),
}
"""Places that are part of others: their keys and those of the others work at the same time."""

TYPED_IN = (
    *("new_run", "edit_call", "settings", "allow_always", "copy_files", "edit_file"),
    *("filter_files", "go_to_step", "terminal_search", "find", "inject"),
    *("search", "ask_line"),
)
"""Places where a person types text: a key that writes a character cannot be used there."""


@dataclass(frozen=True, slots=True)
class KeyAction:
    """Something a key does.

    Attributes:
        name: place and what it does: `live.approve`.
        keys: as Textual names them.
        words: for the person.
    """

    name: str
    keys: tuple[str, ...]
    words: str

    @property
    def place(self) -> str:
        """Where it works."""
        return self.name.partition(".")[0]


@functools.cache
def key_actions() -> dict[str, KeyAction]:
    """All of them by name."""
    found: dict[str, KeyAction] = {}
    for binding in sorted(bindings(), key=lambda binding: binding.id or ""):
        if binding.id is not None and binding.id not in found:
            keys = tuple(each.key for each in Binding.make_bindings([binding]))
            found[binding.id] = KeyAction(binding.id, keys, binding.description)
    return found


def usual_keys(action: str) -> tuple[str, ...]:
    """The keys of an action unless a person chose others.

    Whoever asks is on the screen, as a rule, and so is what has the key: only what has been
    imported already is looked through at first.
    """
    known = _keys_of_loaded()
    if action not in known:
        known[action] = key_actions()[action].keys
    return known[action]


@functools.cache
def _keys_of_loaded() -> dict[str, tuple[str, ...]]:
    """Keys by action, of what had been imported when this was first asked; others are added."""
    found: dict[str, tuple[str, ...]] = {}
    below = (f"{__package__}.app", f"{__package__}.screens.", f"{__package__}.widgets.")
    now = sys.modules.copy()  # `importing` may be adding to them
    modules = [module for name, module in now.items() if name.startswith(below)]
    for binding in _bindings_in(modules):
        if binding.id is not None:
            keys = tuple(each.key for each in Binding.make_bindings([binding]))
            found.setdefault(binding.id, keys)
    return found


def bindings() -> Iterator[Binding]:
    """The bindings of all our screens and widgets, as they are written there."""
    from . import app, screens, widgets

    modules: list[ModuleType] = [app]
    for package in (screens, widgets):
        found = pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
        modules += [importlib.import_module(module.name) for module in found]
    yield from _bindings_in(modules)


def _bindings_in(modules: Sequence[ModuleType]) -> Iterator[Binding]:
    for node in _nodes(modules):
        for binding in node.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Binding):
                yield binding


def together(one: str, other: str) -> bool:
    """Whether the keys of two places work at the same time."""
    if one == other or "app" in (one, other):
        return True
    return other in INSIDE.get(one, ()) or one in INSIDE.get(other, ())


def _nodes(modules: Sequence[ModuleType]) -> Iterator[type[DOMNode]]:
    for module in modules:
        for value in vars(module).copy().values():
            ours = isinstance(value, type) and value.__module__ == module.__name__
            if ours and issubclass(value, DOMNode):
                yield value
