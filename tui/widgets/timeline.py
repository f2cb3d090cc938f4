"""The timeline of a run, on one line.

Ticks mark steps, ✗ failures, ◆ user actions, ✎ notes, ◇ snapshots, ↻ a resume.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from rich.segment import Segment
from textual.events import MouseDown, MouseMove, MouseUp
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.playback.markers import Marker, marker_of
from sandbox_tui.tui.textual_support.private_api import has_toast_lines
from sandbox_tui.tui.theming.palette import Palette, palette_of

_SIGNS = {
    "step": "┼",
    "snapshot": "◇",
    "failure": "✗",
    "model_failure": "✗",
    "human": "◆",
    "file": "◆",
    "resumed": "↻",
}
_NOTE = "✎"
_NOTE_ON_FAILURE = "✎✗"
"""Marks a note on a failure: drawn as a note in the colour of a failure."""
_WEIGHT = {"┼": 0, "◇": 1, "✗": 2, "◆": 3, "↻": 4, _NOTE: 5, _NOTE_ON_FAILURE: 6}
"""Precedence of marks that fall on the same cell; the highest wins."""

MIN_STEP_COLUMNS = 3
"""Minimum columns between step ticks; ticks closer than that are left out."""

INITIAL_SPAN_SECONDS = 10.0
"""Initial time span of a growing line."""

SPAN_GROWTH = 1.25
"""Factor by which the span grows when the run reaches its end."""

_SIGN_COLUMNS = 2
"""Columns of the play or pause sign."""


class Timeline(Widget):
    """The position within a run. A click or a drag posts `SeekRequested`.

    Attributes:
        position: seconds since the run started.
        duration: length of the run in seconds (live: so far).
        playing: whether playback is running.
        speed: as a factor of the original speed; shown unless it is 1.
        growing: whether the run is active. The line then leaves room to grow, so that marks stay in
            the same columns for a while.

    Args:
        gives_way: whether toasts take its line, so that a short one changes the size of no pane:
            live terminals follow the size of theirs.
    """

    DEFAULT_CSS = """
    Timeline { height: 1; width: 1fr; padding: 0 1; }
    Timeline.-below-toasts { display: none; }
    """

    ALLOW_SELECT = False

    position: reactive[float] = reactive(0.0)
    duration: reactive[float] = reactive(0.0)
    playing: reactive[bool] = reactive(True)
    speed: reactive[float] = reactive(1.0)
    growing: reactive[bool] = reactive(False)

    class SeekRequested(Message):
        """The user pointed at a time, in seconds since the run started."""

        def __init__(self, t: float) -> None:
            super().__init__()
            self.t = t

    def __init__(self, *, gives_way: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._gives_way = gives_way
        self._marks: list[tuple[float, str]] = []
        self._notes: list[tuple[float, str]] = []
        self._laid_out: tuple[object, list[str]] = (None, [])
        self._dragged = False

    def on_mount(self) -> None:
        """Follow the toasts."""
        if self._gives_way:
            self.screen.screen_layout_refresh_signal.subscribe(  # pyright: ignore[reportUnknownMemberType]
                self, self._give_way
            )

    def _give_way(self, screen: Screen[Any]) -> None:
        self.set_class(has_toast_lines(screen), "-below-toasts")

    def mark(self, event: e.AnyEvent) -> None:
        """Add the event's mark, if it has one."""
        place = marker_of(event)
        if place is not None and place.kind in _SIGNS:
            self._marks.append((place.t, _SIGNS[place.kind]))

    def show_marks(self, places: Iterable[Marker]) -> None:
        """Replace the marks."""
        self._marks = [(place.t, _SIGNS[place.kind]) for place in places if place.kind in _SIGNS]
        self._laid_out = (None, [])
        self.refresh()

    def show_notes(self, times: Iterable[float]) -> None:
        """Mark the times that have notes."""
        self._notes = [(t, _NOTE) for t in times]
        self._laid_out = (None, [])
        self.refresh()

    @override
    def render_line(self, y: int) -> Strip:
        palette = palette_of(self)
        width = self.content_size.width
        length = self._length
        here = min(length, round(self.position / self._span * length))
        style_of = {
            "✗": palette.bad,
            _NOTE_ON_FAILURE: palette.bad,
            **dict.fromkeys(("◆", "◇", _NOTE), palette.human),
        }
        line: list[Segment] = []
        for x, sign in enumerate(self._signs(length)):
            style = palette.accent if x < here else palette.faint
            if self._dragged and x == here:
                style = palette.accent
            cell = sign[:1] or ("━" if x < here else "─")
            line.append(Segment(cell, style_of.get(sign, style)))
        base = self.rich_style
        strip = Strip([self._state_sign(palette), *line, Segment(self._clocks, palette.dim)])
        # Merge equal neighbours: this line is redrawn every second.
        return strip.apply_style(base).crop_extend(0, width, base).simplify()

    def _state_sign(self, palette: Palette) -> Segment:
        """Draw whether it plays, is paused, or is at the end."""
        if self.playing:
            return Segment("▶ ", palette.good)
        if not self.growing and self.position >= self.duration:
            return Segment("■ ", palette.dim)
        return Segment("‖ ", palette.warn)

    # --- the mouse

    def on_mouse_down(self, event: MouseDown) -> None:
        """Seek to the pointed time and start dragging."""
        if event.button == 1:
            self._dragged = True
            self.capture_mouse()
            self._point(event.x)

    def on_mouse_move(self, event: MouseMove) -> None:
        """Seek while dragging."""
        if self._dragged:
            self._point(event.x)

    def on_mouse_up(self, event: MouseUp) -> None:
        """End the drag."""
        if self._dragged:
            self._dragged = False
            self.release_mouse()
            self.refresh()

    def _point(self, x: int) -> None:
        begin = self.styles.padding.left + _SIGN_COLUMNS
        share = min(max(x - begin, 0), self._length) / self._length
        self.post_message(self.SeekRequested(share * self._span))

    # --- the line

    @property
    def _clocks(self) -> str:
        speed = f" ×{self.speed:g}" if self.speed != 1 else ""
        return f"{speed} {clock(self.position)} / {clock(self.duration)}"

    @property
    def _span(self) -> float:
        """Time span of the line, in seconds."""
        if not self.growing:
            return max(self.duration, 0.001)
        steps = math.ceil(
            math.log(max(self.duration, INITIAL_SPAN_SECONDS) / INITIAL_SPAN_SECONDS, SPAN_GROWTH)
        )
        return INITIAL_SPAN_SECONDS * SPAN_GROWTH**steps

    @property
    def _length(self) -> int:
        """Columns between the sign and the clocks."""
        return max(1, self.content_size.width - len(self._clocks) - _SIGN_COLUMNS)

    def _signs(self, length: int) -> list[str]:
        """Return the mark in each column; cached until an input changes."""
        key = (length, self._span, len(self._marks))
        if self._laid_out[0] != key:
            signs = [""] * length
            last_step = -MIN_STEP_COLUMNS
            for t, sign in [*self._marks, *self._notes]:
                x = min(length - 1, int(t / self._span * length))
                if sign == "┼":
                    if x - last_step < MIN_STEP_COLUMNS:
                        continue
                    last_step = x
                if sign == _NOTE and signs[x] == "✗":
                    signs[x] = _NOTE_ON_FAILURE
                elif _WEIGHT[sign] > _WEIGHT.get(signs[x], -1):
                    signs[x] = sign
            self._laid_out = (key, signs)
        return self._laid_out[1]
