"""The actions of a screen that its focused pane hides: those of its other panes, and its own whose
keys do something else in this pane."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from textual.screen import Screen
from textual.widget import Widget

from sandbox_tui.tui.keys.available_actions import MOVING, ActionHere, actions_of
from sandbox_tui.tui.keys.hint import hint

ESCAPE = "esc"
"""A key with many actions, each for its own state: it is listed for this one alone."""


class Pane(NamedTuple):
    """A pane with actions.

    Attributes:
        widget: has the actions.
        name: the action of the screen that goes there.
        focus: what runs that action.
    """

    widget: Widget
    name: str
    focus: str


@runtime_checkable
class ShowsPanes(Protocol):
    """A screen with several panes; in the first one, all keys of the screen itself work."""

    @property
    def panes(self) -> Sequence[Pane]:
        """The panes."""
        ...


def actions_of_other_panes(screen: Screen[Any], listed: Collection[str]) -> list[ActionHere]:
    """Return the actions that are not available in the focused pane, with the keys that go to
    another one and run them there.

    Args:
        screen: the screen.
        listed: names of the actions that are available.
    """
    if not isinstance(screen, ShowsPanes):
        return []
    return [one for one in _all(screen, screen.panes) if one.name not in listed]


def _all(screen: Screen[Any], panes: Sequence[Pane]) -> Iterator[ActionHere]:
    for here in actions_of(screen):
        if not here.off and here.keys != (ESCAPE,):
            yield here._replace(keys=(f"{hint(panes[0].name)} {here.keys[0]}",))
    for pane in panes:
        for here in actions_of(pane.widget):
            if here.group != MOVING and here.keys != (ESCAPE,):
                keys = (f"{hint(pane.name)} {here.keys[0]}",)
                yield here._replace(keys=keys, focus=pane.focus)
