"""Moves in a replay: by call, failure, event or second, to a typed place, to an edge."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Protocol

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.playback.first_call import end_of_call, first_call
from sandbox_tui.sessions.playback.markers import CALL_ENDS, FAILURES
from sandbox_tui.sessions.playback.player import position_at
from sandbox_tui.tui.keys.unavailable_reasons import as_sentence
from sandbox_tui.tui.screens.cockpit.replay.go_to_step import GoToStepDialog
from sandbox_tui.tui.screens.cockpit.replay.replay_index import ReplayIndex
from sandbox_tui.tui.screens.cockpit.replay.replay_limits import (
    AT_END,
    AT_START,
    NOTHING_FAILED,
)
from sandbox_tui.tui.screens.cockpit.replay.replay_loop import ReplayLoop
from sandbox_tui.tui.screens.cockpit.replay.typed_place import Extent, StepPlace
from sandbox_tui.tui.screens.dialogs.dialog import WrongAnswer
from sandbox_tui.tui.textual_support.private_api import remove_toast, shown_toasts
from sandbox_tui.tui.textual_support.typed_app import app_of

_NO_MORE_FAILURES = "No more failures in this direction."
_STILL_INDEXED = "The session is still being indexed: try again soon."
_ABOUT_MOVES = (
    *map(as_sentence, (AT_START, AT_END)),
    *(NOTHING_FAILED.capitalize(), _NO_MORE_FAILURES, _STILL_INDEXED),
)
"""How notices begin that say why a move was not possible."""


class Shown(Protocol):
    """What a screen provides about the position it shows."""

    state: RunState
    """The run as of the displayed event."""


class ReplayMoves:
    """Moves to other positions; each one stops playing.

    Args:
        screen: shows the session; dialogs and mistakes appear on it.
        shown: provides the displayed state.
        loop: shows requested positions.
        index: provides the possible targets.
        store: the store that contains the session.
        summary: the session.
    """

    def __init__(
        self,
        screen: Screen[None],
        shown: Shown,
        loop: ReplayLoop,
        index: ReplayIndex,
        store: Store,
        summary: RunSummary,
    ) -> None:
        self._screen = screen
        self._shown = shown
        self._loop = loop
        self._index = index
        self._store = store
        self._summary = summary

    def to(self, seq: int) -> None:
        """Go to an event."""
        self._loop.hold()
        self._go(seq)

    def _go(self, seq: int) -> None:
        """Request a position; what was said about earlier moves no longer holds there."""
        self._loop.seek(seq)
        app = app_of(self._screen)
        for toast in shown_toasts(app):
            if toast.message.startswith(_ABOUT_MOVES):
                remove_toast(app, toast)

    def by_event(self, direction: int) -> None:
        """Go one event forward (1) or back (-1)."""
        self.to(self._loop.next_position + direction)

    def by_second(self, direction: int) -> None:
        """Go one second forward (1) or back (-1)."""
        self._loop.hold()
        self.to_time(max(0.0, self._shown.state.t + direction))

    def by_call(self, direction: int) -> None:
        """Go to the end of the next call (1) or the previous one (-1), otherwise to the edge."""
        edge = self._summary.last_seq if direction > 0 else 0
        if not self._to_marker(direction, CALL_ENDS):
            self.to(edge)

    def by_failure(self, direction: int) -> None:
        """Go to the next failure (1) or the previous one (-1)."""
        if not self._to_marker(direction, FAILURES):
            self._screen.notify(_NO_MORE_FAILURES, timeout=2)

    def to_step(self, step: int) -> None:
        """Go to a step, or to the end if its reply never came."""
        self.to_place(str(step))

    def to_place(self, place: str) -> None:
        """Go to a typed place."""
        self._loop.hold()
        try:
            self._go(self._find(place))
        except WrongAnswer as wrong:
            self._screen.notify(as_sentence(str(wrong)), severity="warning", markup=False)

    async def to_call(self, number: int) -> None:
        """Go to the end of a call, or to that of the session if it never ended."""
        self._loop.hold()
        try:
            end = await asyncio.to_thread(end_of_call, self._store, self._summary.id, number)
        except SandboxTuiError as error:  # deleted in the meantime
            self._screen.notify(sanitize_line(str(error)), severity="error", markup=False)
        else:
            self._go(self._summary.last_seq if end is None else end)

    def to_time(self, t: float) -> None:
        """Go to a moment, in seconds since the run started."""
        try:
            self._go(position_at(self._store, self._summary.id, t))
        except StoreError as error:  # deleted in the meantime
            words = sanitize_line(str(error))
            self._screen.notify(words, severity="error", markup=False)

    def ask(self) -> None:
        """Ask for a step or another place, and go there."""
        self._loop.hold()

        def answered(seq: int | None) -> None:
            if seq is not None:
                self._go(seq)

        dialog = GoToStepDialog(self._shown.state.step, self.steps, self._find)
        app_of(self._screen).push_screen(dialog, answered)

    @property
    def steps(self) -> int:
        """Number of the last step, including one whose reply never came."""
        return max(self._index.markers.steps, self._summary.steps, self._shown.state.step)

    def why_no_place(self, text: str) -> str:
        """Why a typed place does not exist; empty if it does."""
        try:
            self._extent.place(text)
        except WrongAnswer as wrong:
            return str(wrong)
        return ""

    @property
    def _extent(self) -> Extent:
        return Extent(self._shown.state.step, self.steps, self._summary.seconds)

    def _find(self, text: str) -> int:
        """Return the event for a typed place.

        Raises:
            WrongAnswer: there is no such place.
        """
        place = self._extent.place(text)
        if not isinstance(place, StepPlace):
            return self._event_at(place.seconds)
        if place.step == 0:
            return 0
        seq = self.event_of_step(place.step)
        if seq is None and not self._index.is_complete:
            raise WrongAnswer(f"step {place.step} is still being prepared: try again soon")
        return self._summary.last_seq if seq is None else seq  # its reply never came

    def event_of_step(self, step: int) -> int | None:
        """Return the event at which the first call of a step has begun, or its reply without a
        call; None if it has no reply, or none is known yet."""
        reply = self._index.markers.of_step(step)
        if reply is None:
            return None
        with contextlib.suppress(SandboxTuiError):  # deleted in the meantime
            return first_call(self._store, self._summary.id, reply)
        return reply

    def _event_at(self, seconds: float) -> int:
        if seconds >= self._summary.seconds:
            return self._summary.last_seq
        try:
            return position_at(self._store, self._summary.id, seconds)
        except StoreError as error:  # deleted in the meantime
            raise WrongAnswer(sanitize_line(str(error))) from error

    def _to_marker(self, direction: int, kinds: frozenset[str]) -> bool:
        """Go to the next marker of these kinds; return False if there is none."""
        self._loop.hold()
        seq = self._index.markers.next(self._loop.next_position, direction, kinds)
        if seq is not None:
            self._go(seq)
        elif not self._index.is_complete and direction > 0:
            self._screen.notify(_STILL_INDEXED, timeout=2)
        return seq is not None or (direction > 0 and not self._index.is_complete)
