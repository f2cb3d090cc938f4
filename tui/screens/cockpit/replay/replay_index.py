"""Index of a replayed session: its markers, and how far its keyframes are built."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.playback.keyframes import (
    MAX_WEIGHT,
    catch_up,
    last_readable_keyframe,
    markers_of,
)
from sandbox_tui.sessions.playback.markers import MarkerIndex
from sandbox_tui.sessions.playback.throttle import Throttle

MAX_FOLDED_EVENTS = 4 * MAX_WEIGHT
"""With more events than this before a jump's target, wait for keyframes instead of folding."""


class ReplayIndex:
    """Builds missing keyframes and reads the markers of a session while it is already displayed.

    Args:
        screen: shows the session; the work ends with it.
        store: the store that contains the session.
        run_id: the session's id.
        on_markers: called when more markers are known.
        on_progress: called when more keyframes are built, and at the end.

    Attributes:
        markers: the markers known so far.
        is_complete: whether all keyframes are built and all markers are known.
        covered: number of the last event that a keyframe covers.
    """

    def __init__(
        self,
        screen: Screen[None],
        store: Store,
        run_id: str,
        *,
        on_markers: Callable[[], None],
        on_progress: Callable[[], None],
    ) -> None:
        self.markers = MarkerIndex()
        self.is_complete = False
        self.covered = 0
        self._screen = screen
        self._store = store
        self._run_id = run_id
        self._on_markers = on_markers
        self._on_progress = on_progress
        self._throttle = Throttle(rest=0.5)

    def can_reach(self, seq: int) -> bool:
        """Return whether an event can be reached without folding too many others first."""
        return self.is_complete or seq - self.covered <= MAX_FOLDED_EVENTS

    def build(self) -> None:
        """Start building."""
        self._screen.run_worker(self._build, group="keyframes")

    def stop(self) -> None:
        """Stop building keyframes."""
        self._throttle.stop()

    async def _build(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            self.covered = await asyncio.to_thread(
                last_readable_keyframe, self._store, self._run_id
            )
            await self._read_markers()

            def made(seq: int) -> None:
                loop.call_soon_threadsafe(self._made, seq)

            await asyncio.to_thread(
                catch_up,
                self._store,
                self._run_id,
                should_continue=self._throttle,
                on_keyframe=made,
            )
            await self._read_markers()
        except SandboxTuiError as error:
            self._screen.log.warning(f"no keyframes: {error}")
        finally:
            self.is_complete = True
            self._on_progress()

    def _made(self, seq: int) -> None:
        self.covered = seq
        self._on_progress()
        if seq - self.markers.last > MAX_FOLDED_EVENTS:
            self._screen.run_worker(self._read_more_markers, exclusive=True, group="markers")

    async def _read_more_markers(self) -> None:
        with contextlib.suppress(SandboxTuiError):
            await self._read_markers()

    async def _read_markers(self) -> None:
        self.markers = await asyncio.to_thread(markers_of, self._store, self._run_id, self.markers)
        self._on_markers()
