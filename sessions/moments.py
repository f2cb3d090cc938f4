"""One moment of a session: what the run looked like, and what every terminal showed."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..core import events as e
from ..core.state import CallItem, HumanItem, RunState
from .kept_files import Touched
from .kept_items import ItemRows, Items, Numbered
from .kept_screens import Place, Screens
from .store import Store


@dataclass(slots=True)
class Origin:
    """The keyframe a moment goes on from.

    Attributes:
        seq: its number, 0 where there is none.
        tree: number of the keyframe that has all files, 0 where none has.
        changed_files: how many files were stored since that one.
        listed: number of the event that listed all files, 0 before there was one.
        screens: where each terminal was stored.
    """

    seq: int = 0
    tree: int = 0
    changed_files: int = 0
    listed: int = 0
    screens: dict[str, Place] = field(default_factory=dict[str, Place])


@dataclass(slots=True)
class Moment:
    """A state and its terminals, folded together.

    Attributes:
        state: of the run.
        screens: of its terminals.
        origin: what they go on from.
    """

    state: RunState
    screens: Screens
    origin: Origin

    @property
    def seq(self) -> int:
        """Number of the last event taken in."""
        return self.state.seq

    def apply(self, event: e.AnyEvent) -> None:
        """Take one event in."""
        self.state.apply(event)
        self.screens.apply(event)
        if isinstance(event, e.FilesListed):
            self.origin.listed = event.seq


def beginning(store: Store, run_id: str) -> Moment:
    """The moment before the first event."""
    state = RunState()
    rows = ItemRows(store, run_id, 0)
    state.items = items = Items(rows, 0)
    state.calls = Numbered(items, rows, CallItem, 0)
    state.humans = Numbered(items, rows, HumanItem, 0)
    state.files = Touched({})
    return Moment(state, Screens(), Origin())
