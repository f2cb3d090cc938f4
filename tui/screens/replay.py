"""A saved session on the same screen: play it, step through it, jump to any moment."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ...core import events as e
from ...core.state import RunState
from ...core.terminal.screen import Screen as Emulator
from ...core.text import clean_line
from ...sessions import RunSummary, Store
from .. import figures
from ..widgets.calls import Calls
from ..widgets.status_bar import StatusBar
from ..widgets.terminals import Terminals
from ..widgets.timeline import Timeline
from .cockpit import Cockpit

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
LONGEST_IDLE = 1.5
"""Seconds of the recording in which nothing happens are shown as at most so many (at speed 1)."""


class ReplayScreen(Cockpit):
    """Replays a session.

    Args:
        summary: which one.
        store: where it is kept.
        playing: whether it begins by itself.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "play"),
        Binding("left,h", "step(-1)", "step back"),
        Binding("right,l", "step(1)", "step"),
        Binding("comma", "event(-1)", "Event back", show=False),
        Binding("full_stop", "event(1)", "Event", show=False),
        Binding("plus,equals_sign", "speed(1)", "faster", key_display="+"),
        Binding("minus", "speed(-1)", "slower", key_display="-"),
        Binding("n", "failure(1)", "failure"),
        Binding("N", "failure(-1)", "Failure before", show=False),
        Binding("0", "go_start", "Start", show=False),
        Binding("dollar_sign", "go_end", "End", show=False),
        Binding("q,escape", "leave", "back"),
        *Cockpit.COMMON,
    ]

    DEFAULT_CSS = """
    ReplayScreen #replay-bar {
        height: 3; border: round $border-blurred; padding: 0 1; color: $role-dim;
    }
    ReplayScreen.-low #replay-bar, ReplayScreen.-lowest #replay-bar { display: none; }
    """

    def __init__(self, summary: RunSummary, store: Store, *, playing: bool = True) -> None:
        super().__init__(summary.task, live=False, get_blob=store.blobs(summary.id).get)
        self._summary = summary
        self._store = store
        self._events: list[e.AnyEvent] = []
        self._times: list[float] = []
        self._at = 0
        self._speed = 1.0
        self._playing = asyncio.Event()
        self._sought = asyncio.Event()
        if playing:
            self._playing.set()

    def compose_bottom(self) -> ComposeResult:
        """What is being replayed and how fast."""
        yield Static(id="replay-bar", markup=False)

    def on_mount(self) -> None:
        """Read the session, then play it."""
        super().on_mount()
        self.query_one(StatusBar).prefix = "replay"
        self._play_all()

    @work(exclusive=True)
    async def _play_all(self) -> None:
        self._events = await asyncio.to_thread(lambda: list(self._store.events(self._summary.id)))
        self._times = [event.t for event in self._events]
        timeline = self.query_one(Timeline)
        timeline.duration = self._times[-1] if self._times else 0.0
        for event in self._events:
            timeline.mark(event)
        if not self._playing.is_set():
            self.seek(len(self._events))
        while True:
            await self._playing.wait()
            await self._play()
            self._playing.clear()
            self.sync_bars()

    async def _play(self) -> None:
        """Apply events at their times until paused or at the end."""
        if self._at >= len(self._events):
            self.seek(0)
        while self._playing.is_set() and self._at < len(self._events):
            event = self._events[self._at]
            wait = min(event.t - self.state.t, LONGEST_IDLE) / self._speed
            if wait > 0.001:
                self._sought.clear()
                try:
                    await asyncio.wait_for(self._sought.wait(), wait)
                    continue
                except TimeoutError:
                    pass
            if not self._playing.is_set():
                return
            self._at += 1
            await self.apply(event)

    def _apply_state(self, event: e.AnyEvent) -> None:
        """The marks of the timeline are known from the beginning here."""
        self.state.apply(event)
        self._files_changed |= isinstance(event, e.FilesListed | e.FilesChanged)
        self.refresh_soon()

    def seek(self, position: int) -> None:
        """Show the moment after so many events."""
        position = min(max(position, 0), len(self._events))
        state = RunState()
        terminals: dict[str, Emulator] = {"model": Emulator(80, 24)}
        for event in self._events[:position]:
            state.apply(event)
            _feed(terminals, event)
        self._at = position
        self.query_one(Terminals).replace(terminals)
        self.query_one(Calls).following = True
        self.show_state(state)
        self._sought.set()

    def sync_bars(self) -> None:
        """Also what is being replayed."""
        super().sync_bars()
        timeline = self.query_one(Timeline)
        timeline.playing = self._playing.is_set()
        total = len(self._events)
        doing = "playing" if self._playing.is_set() else "held"
        bar = self.query_one("#replay-bar", Static)
        bar.update(
            f"{doing} ×{self._speed:g} · event {self._at}/{total} · "
            f"{figures.clock(self.state.t)} · {clean_line(self._summary.id)}"
        )

    # --- keys

    def action_play(self) -> None:
        """Play or hold."""
        if self._playing.is_set():
            self._playing.clear()
            self._sought.set()
        else:
            self._playing.set()
        self.sync_bars()

    def action_speed(self, direction: int) -> None:
        """Play faster or slower."""
        index = SPEEDS.index(self._speed) + direction
        self._speed = SPEEDS[min(max(index, 0), len(SPEEDS) - 1)]
        self._sought.set()
        self.sync_bars()

    def action_step(self, direction: int) -> None:
        """To the end of the next call, or of the one before."""
        self._hold()
        ends = (e.CallFinished, e.HumanCommandFinished, e.HumanFile, e.RunFinished)
        self._jump(direction, lambda event: isinstance(event, ends))

    def action_event(self, direction: int) -> None:
        """One event on or back."""
        self._hold()
        self.seek(self._at + direction)

    def action_failure(self, direction: int) -> None:
        """To the next failure, or the one before."""
        self._hold()

        def failed(event: e.AnyEvent) -> bool:
            return isinstance(event, e.ModelFailed) or (
                isinstance(event, e.CallFinished) and not event.ok
            )

        if not self._jump(direction, failed):
            self.notify("No further failure in this direction.", timeout=2)

    def action_go_start(self) -> None:
        """To the first moment."""
        self._hold()
        self.seek(0)

    def action_go_end(self) -> None:
        """To the last moment."""
        self._hold()
        self.seek(len(self._events))

    def action_leave(self) -> None:
        """Back to where one came from."""
        self.dismiss(None)

    @on(Timeline.Sought)
    def _to_moment(self, event: Timeline.Sought) -> None:
        self.seek(bisect_right(self._times, event.t))

    def _hold(self) -> None:
        self._playing.clear()
        self._sought.set()

    def _jump(self, direction: int, wanted: Callable[[e.AnyEvent], bool]) -> bool:
        """Seek to just after the next event that is wanted; to the edge when there is none."""
        if direction > 0:
            places = range(self._at, len(self._events))
        else:
            places = range(self._at - 2, -1, -1)
        for index in places:
            if wanted(self._events[index]):
                self.seek(index + 1)
                return True
        return False


def _feed(terminals: dict[str, Emulator], event: e.AnyEvent) -> None:
    match event:
        case e.TerminalOpened(terminal=name, cols=cols, rows=rows):
            terminals[name] = Emulator(cols, rows)
        case e.TerminalResized(terminal=name, cols=cols, rows=rows) if name in terminals:
            terminals[name].resize(cols, rows)
        case e.TerminalOutput(terminal=name, data=data) if name in terminals:
            terminals[name].feed(data)
        case _:
            pass
