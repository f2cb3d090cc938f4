"""The state of a session at one position: the run, and the screens of its terminals."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem, HumanItem, RunState
from sandbox_tui.sessions.playback.lazy_files import TrackedFiles
from sandbox_tui.sessions.playback.lazy_items import ItemRows, ItemsByNumber, LazyItems
from sandbox_tui.sessions.playback.lazy_scrollback import ScreenKey, TerminalScreens
from sandbox_tui.sessions.store.store import Store


@dataclass(slots=True)
class KeyframeRef:
    """The keyframe that a playback state starts from.

    Attributes:
        seq: its number; 0 for none.
        tree: number of the keyframe that has all files; 0 if none has.
        changed_files: number of files stored since that one.
        listed: number of the event that listed all files; 0 before there was one.
        screens: the key of each terminal's stored screen.
    """

    seq: int = 0
    tree: int = 0
    changed_files: int = 0
    listed: int = 0
    screens: dict[str, ScreenKey] = field(default_factory=dict[str, ScreenKey])


@dataclass(slots=True)
class PlaybackState:
    """A run's state and its terminals, folded together.

    Attributes:
        state: of the run.
        screens: of its terminals.
        keyframe: the keyframe they start from.
    """

    state: RunState
    screens: TerminalScreens
    keyframe: KeyframeRef

    @property
    def seq(self) -> int:
        """Number of the last event applied."""
        return self.state.seq

    def apply(self, event: e.AnyEvent) -> None:
        """Apply one event."""
        self.state.apply(event)
        self.screens.apply(event)
        if isinstance(event, e.FilesListed):
            self.keyframe.listed = event.seq


def initial_playback_state(store: Store, run_id: str) -> PlaybackState:
    """Return the state before the first event."""
    state = RunState()
    rows = ItemRows(store, run_id, 0)
    state.items = items = LazyItems(rows, 0)
    state.calls = ItemsByNumber(items, rows, CallItem, 0)
    state.humans = ItemsByNumber(items, rows, HumanItem, 0)
    state.files = TrackedFiles({})
    return PlaybackState(state, TerminalScreens(), KeyframeRef())
