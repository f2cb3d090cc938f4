"""One line of time: steps as ticks, ✗ failures, ◆ a person's doings, ◇ snapshots."""

from __future__ import annotations

from rich.segment import Segment
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from ...core import events as e
from .. import figures
from ..palette import palette_of

_WEIGHT = {"┼": 0, "◇": 1, "✗": 2, "◆": 3}
"""Which mark is seen where several fall on one cell."""


class Timeline(Widget):
    """Where in the run we are.

    Attributes:
        position: seconds since the run began.
        duration: seconds the whole run took (live: so far).
        playing: whether time goes on.
    """

    DEFAULT_CSS = """
    Timeline { height: 1; width: 1fr; padding: 0 1; }
    """

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

    def mark(self, event: e.AnyEvent) -> None:
        """Take note of an event that deserves a mark."""
        sign = _sign(event)
        if sign:
            self._marks.append((event.t, sign))

    def clear(self) -> None:
        """Forget all marks."""
        self._marks.clear()

    def render_line(self, y: int) -> Strip:
        """The line (Textual's line API)."""
        palette = palette_of(self)
        width = self.content_size.width
        shown = f" {figures.clock(self.position)} / {figures.clock(self.duration)}"
        length = max(1, width - len(shown) - 2)
        end = max(self.duration, 0.001)
        here = min(length, round(self.position / end * length))
        cells = ["━" if x < here else "─" for x in range(length)]
        styles = [palette.accent if x < here else palette.faint for x in range(length)]
        weights = [-1] * length
        for t, sign in self._marks:
            x = min(length - 1, int(t / end * length))
            if _WEIGHT[sign] > weights[x]:
                weights[x], cells[x] = _WEIGHT[sign], sign
                if sign != "┼":
                    styles[x] = palette.bad if sign == "✗" else palette.human
        state = Segment(
            "▶ " if self.playing else "‖ ", palette.good if self.playing else palette.warn
        )
        line = [Segment(cell, style) for cell, style in zip(cells, styles, strict=True)]
        base = self.rich_style
        whole = Strip([state, *line, Segment(shown, palette.dim)])
        return whole.apply_style(base).crop_extend(0, width, base)

    def on_click(self, event: Click) -> None:
        """Point at a moment."""
        width = self.content_size.width
        shown = f" {figures.clock(self.position)} / {figures.clock(self.duration)}"
        length = max(1, width - len(shown) - 2)
        x = min(max(event.x - 3, 0), length)
        self.post_message(self.Sought(x / length * self.duration))


def _sign(event: e.AnyEvent) -> str:
    match event:
        case e.ModelReplied():
            return "┼"
        case e.CallFinished(ok=False):
            return "✗"
        case e.CallDecided(by="human") | e.HumanMessage() | e.HumanCommand() | e.HumanFile():
            return "◆"
        case e.SnapshotTaken():
            return "◇"
        case _:
            return ""
