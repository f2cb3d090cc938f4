"""One line of time: steps as ticks, ✗ failures, ◆ a person's doings, ✎ notes, ◇ snapshots, ↻ where
another program took the run up."""

from __future__ import annotations

from collections.abc import Iterable

from rich.segment import Segment
from textual.events import MouseDown, MouseMove, MouseUp
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from ...core import events as e
from ...sessions.landmarks import Landmark, landmark
from .. import figures
from ..palette import palette_of

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
_WEIGHT = {"┼": 0, "◇": 1, "✗": 2, "◆": 3, "↻": 4, _NOTE: 5}
"""Which mark is seen where several fall on one cell."""

STEP_GAP = 3
"""Columns from one step's tick to the next: where steps are closer, not all have one."""

_SIGN_COLUMNS = 2
"""Columns of the sign that says whether time goes on."""


class Timeline(Widget):
    """Where in the run we are. A click on it, and dragging along it, say `Sought`.

    Attributes:
        position: seconds since the run began.
        duration: seconds the whole run took (live: so far).
        playing: whether time goes on.
    """

    DEFAULT_CSS = """
    Timeline { height: 1; width: 1fr; padding: 0 1; }
    """

    ALLOW_SELECT = False

    position: reactive[float] = reactive(0.0)
    duration: reactive[float] = reactive(0.0)
    playing: reactive[bool] = reactive(True)

    class Sought(Message):
        """A person pointed at a moment (seconds since the run began)."""

        def __init__(self, t: float) -> None:
            super().__init__()
            self.t = t

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._marks: list[tuple[float, str]] = []
        self._notes: list[tuple[float, str]] = []
        self._laid_out: tuple[object, list[str]] = (None, [])
        self._dragged = False

    def mark(self, event: e.AnyEvent) -> None:
        """Take note of an event that deserves a mark."""
        place = landmark(event)
        if place is not None and place.kind in _SIGNS:
            self._marks.append((place.t, _SIGNS[place.kind]))

    def show_marks(self, places: Iterable[Landmark]) -> None:
        """Show the marks of these places, and no others."""
        self._marks = [(place.t, _SIGNS[place.kind]) for place in places if place.kind in _SIGNS]
        self._laid_out = (None, [])
        self.refresh()

    def show_notes(self, times: Iterable[float]) -> None:
        """Mark these moments as those a person has written notes on."""
        self._notes = [(t, _NOTE) for t in times]
        self._laid_out = (None, [])
        self.refresh()

    def clear(self) -> None:
        """Forget all marks."""
        self.show_marks(())

    def render_line(self, y: int) -> Strip:
        """The line (Textual's line API)."""
        palette = palette_of(self)
        width = self.content_size.width
        length = self._length
        here = min(length, round(self.position / max(self.duration, 0.001) * length))
        style_of = {"✗": palette.bad, "◆": palette.human, "◇": palette.human, _NOTE: palette.human}
        line: list[Segment] = []
        for x, sign in enumerate(self._signs(length)):
            style = palette.accent if x < here else palette.faint
            if self._dragged and x == here:
                style = palette.accent
            cell = sign or ("━" if x < here else "─")
            line.append(Segment(cell, style_of.get(sign, style)))
        state = Segment(
            "▶ " if self.playing else "‖ ", palette.good if self.playing else palette.warn
        )
        base = self.rich_style
        whole = Strip([state, *line, Segment(self._clocks, palette.dim)])
        # equal neighbours as one: this line is written anew every second
        return whole.apply_style(base).crop_extend(0, width, base).simplify()

    # --- the mouse

    def on_mouse_down(self, event: MouseDown) -> None:
        """Point at a moment, and hold on to it."""
        if event.button == 1:
            self._dragged = True
            self.capture_mouse()
            self._point(event.x)

    def on_mouse_move(self, event: MouseMove) -> None:
        """Pull it along."""
        if self._dragged:
            self._point(event.x)

    def on_mouse_up(self, event: MouseUp) -> None:
        """Let go."""
        if self._dragged:
            self._dragged = False
            self.release_mouse()
            self.refresh()

    def _point(self, x: int) -> None:
        begin = self.styles.padding.left + _SIGN_COLUMNS
        share = min(max(x - begin, 0), self._length) / self._length
        self.post_message(self.Sought(share * self.duration))

    # --- the line

    @property
    def _clocks(self) -> str:
        return f" {figures.clock(self.position)} / {figures.clock(self.duration)}"

    @property
    def _length(self) -> int:
        """Columns of the line itself."""
        return max(1, self.content_size.width - len(self._clocks) - _SIGN_COLUMNS)

    def _signs(self, length: int) -> list[str]:
        """The mark in each column; laid out again only where something about that is new."""
        key = (length, self.duration, len(self._marks))
        if self._laid_out[0] != key:
            signs = [""] * length
            last_step = -STEP_GAP
            for t, sign in [*self._marks, *self._notes]:
                x = min(length - 1, int(t / max(self.duration, 0.001) * length))
                if sign == "┼":
                    if x - last_step < STEP_GAP:
                        continue
                    last_step = x
                if _WEIGHT[sign] > _WEIGHT.get(signs[x], -1):
                    signs[x] = sign
            self._laid_out = (key, signs)
        return self._laid_out[1]
