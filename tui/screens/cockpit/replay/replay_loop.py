"""The loop that plays a session and shows requested positions."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Protocol

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.sessions import Player, RunSummary, Store
from sandbox_tui.sessions.playback.keyframes import playback_state_at
from sandbox_tui.sessions.playback.playback_state import PlaybackState
from sandbox_tui.sessions.playback.trailing_changes import apply_trailing_changes
from sandbox_tui.tui.screens.cockpit.replay.replay_index import ReplayIndex

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)

RELOAD_EVERY_EVENTS = 2000
"""Played events after which the state is loaded from the database again, to keep it small."""


class ReplayView(Protocol):
    """The screen on which a loop shows the session."""

    @property
    def position(self) -> int:
        """Number of the last displayed event."""
        ...

    async def apply(self, event: e.AnyEvent) -> None:
        """Apply one more event."""
        ...

    def show_moment(self, moment: PlaybackState) -> None:
        """Show the session at another event."""
        ...

    def adopt(self, state: RunState) -> None:
        """Switch to another object that holds the same state."""
        ...

    def sync_bars(self) -> None:
        """Update the play state and the progress."""
        ...

    def show_error(self, error: SandboxTuiError) -> None:
        """Show why nothing more can be displayed."""
        ...


class ReplayLoop:
    """Shows one thing at a time, so that nothing is displayed out of order.

    That is the requested position, otherwise the next events while playing, otherwise nothing.

    Args:
        view: the screen to show the session on.
        store: the store that contains the session.
        summary: the session.
        index: tells which events can be jumped to by now.
        plays: whether playback starts immediately.
        first: the event after which the session is first displayed; None for none.

    Attributes:
        plays: whether to play whenever no position is requested.
        acts: number of positions requested and of starts and stops: what was looked up for one of
            them is not shown if another came meanwhile.
    """

    def __init__(
        self,
        view: ReplayView,
        store: Store,
        summary: RunSummary,
        index: ReplayIndex,
        *,
        plays: bool,
        first: int | None,
    ) -> None:
        self.plays = plays
        self.acts = 0
        self._view = view
        self._store = store
        self._run_id = summary.id
        self._last = summary.last_seq
        self._index = index
        self._player = Player(store, summary.id)
        self._target = first
        self._going: int | None = None
        self._is_ahead = False
        self._changed = asyncio.Event()
        self._arrival = asyncio.Event()

    # --- requests

    def seek(self, seq: int) -> None:
        """Request the position after event `seq`."""
        self._target = min(max(seq, 0), self._last)
        self.acts += 1
        self.wake()

    def hold(self) -> None:
        """Stop playing."""
        self.plays = False
        self.wake()

    def toggle_playing(self) -> None:
        """Start or stop playing."""
        self.plays = not self.plays
        self.acts += 1
        self.wake()

    def wake(self) -> None:
        """Check again what to show."""
        self._player.hold()
        self._changed.set()

    def index_grew(self) -> None:
        """Check whether a requested position can be reached now; playback is not disturbed."""
        self._changed.set()

    @property
    def speed(self) -> float:
        """Playback speed as a factor of the original speed."""
        return self._player.speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._player.speed = speed

    def change_speed(self, direction: int) -> None:
        """Play faster (1) or slower (-1)."""
        index = SPEEDS.index(self._player.speed) + direction
        self._player.speed = SPEEDS[min(max(index, 0), len(SPEEDS) - 1)]

    # --- position

    @property
    def idle(self) -> float:
        """Seconds since the last event that was played."""
        return self._player.idle

    @property
    def next_position(self) -> int:
        """The event to be displayed next: keys pressed faster than the display updates add up."""
        positions = (self._target, self._going, self._view.position)
        return next(seq for seq in positions if seq is not None)

    @property
    def requested_position(self) -> int | None:
        """The requested position, until the loop starts to show it."""
        return self._target

    @property
    def is_there(self) -> bool:
        """Whether every requested position has been displayed."""
        return self._target is None and self._going is None

    async def arrived(self) -> None:
        """Wait until every requested position has been displayed."""
        while not self.is_there:
            self._arrival.clear()
            await self._arrival.wait()

    # --- the loop

    async def run(self) -> None:
        """Show the session until cancelled."""
        while True:
            try:
                if self._target is not None:
                    await self._go()
                elif self.plays:
                    await self._play()
                else:
                    await self._next_change()
            except SandboxTuiError as error:
                self.plays, self._target, self._going = False, None, None
                self._arrival.set()
                self._view.show_error(error)

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def _go(self) -> None:
        """Show the requested position; while the user drags, only the latest one."""
        target, self._target = self._target, None
        if target is None:
            return
        self._going = target
        while self._target is None and not self._index.can_reach(target):
            self._view.sync_bars()
            await self._next_change()
        if self._target is None:
            await self._show(target)
        self._going = None
        self._arrival.set()

    async def _show(self, seq: int) -> None:
        moment = await asyncio.to_thread(self._moment, seq)
        self._player.seek(moment.seq)
        self._view.show_moment(moment)

    def _moment(self, seq: int) -> PlaybackState:
        """Return the session at an event, with the files as the calls before it left them."""
        moment = playback_state_at(self._store, self._run_id, seq)
        self._is_ahead = apply_trailing_changes(self._store, self._run_id, moment)
        return moment

    async def _play(self) -> None:
        """Apply events at their times until a position is requested."""
        if self._view.position >= self._last:
            await self._show(0)
        if self._is_ahead:  # changes of files that are shown already would be applied again
            await self._reload()
            self._is_ahead = False
        if self._target is not None or not self.plays:
            return
        self._player.seek(self._view.position)
        fresh = 0
        async with contextlib.aclosing(self._player.play()) as events:
            async for event in events:
                await self._view.apply(event)
                fresh += 1
                if fresh >= RELOAD_EVERY_EVENTS:
                    fresh = 0
                    await self._reload()
                if self._target is not None or not self.plays:
                    return
        if self._target is None:
            self.plays = False
            self._view.sync_bars()

    async def _reload(self) -> None:
        """Reload the state, without the parts that are in the database."""
        seq = self._view.position
        moment = await asyncio.to_thread(playback_state_at, self._store, self._run_id, seq)
        self._view.adopt(moment.state)
