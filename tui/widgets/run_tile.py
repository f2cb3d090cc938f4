# pyright: reportUnknownMemberType=false
"""One run at a glance, as a tile of the wall."""

from __future__ import annotations

import time
from typing import Literal

from rich.style import Style
from rich.text import Text
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from ...core.headline import headline, nickname
from ...core.state import CallItem, ReplyItem, RunState
from ...core.text import clean_line
from ...sessions import Worker
from .. import figures
from ..keymap import hint
from ..palette import Palette, palette_of

Kind = Literal["waiting", "running", "failed", "submitted"]

LINES = 5
"""Lines inside a tile's border."""


class RunTile(Widget, can_focus=True):
    """Shows a worker's state; `sync` after it changed.

    Args:
        worker: the run.
        number: 1, 2, 3 ... in the order in which the runs were begun.
    """

    DEFAULT_CSS = """
    RunTile {
        height: 7; padding: 0 1; border: round $border-blurred; background: $background;
        border-title-color: $role-dim; border-subtitle-color: $role-dim;
        &.-waiting { border: round $role-human; border-title-color: $role-human; }
        &.-failed { border: round $error; border-title-color: $error; }
        &:focus { border: heavy $accent; border-title-color: $accent; border-title-style: bold;
                  background: $panel; }
    }
    """

    class Opened(Message):
        """A person wants to see this run whole."""

        def __init__(self, tile: RunTile) -> None:
            super().__init__()
            self.tile = tile

    def __init__(self, worker: Worker, number: int) -> None:
        super().__init__()
        self.worker = worker
        self.number = number
        self._heard_at = time.monotonic()
        self._seen = -1

    @property
    def kind(self) -> Kind:
        """What a person has to know first."""
        if self.worker.failure is not None or self.state.status == "failed":
            return "failed"
        if self.state.status == "finished":
            return "submitted"
        return "waiting" if self.state.pending else "running"

    @property
    def state(self) -> RunState:
        """The run at this moment."""
        return self.worker.state

    @property
    def now(self) -> float:
        """Seconds since the run began, going on between events."""
        if self.state.started is None or self.state.finished is not None:
            return self.state.t
        return self.state.t + time.monotonic() - self._heard_at

    def sync(self) -> None:
        """Show what has become of the run."""
        if self.state.seq != self._seen:
            self._seen = self.state.seq
            self._heard_at = time.monotonic()
        kind = self.kind
        for name in ("waiting", "failed"):
            self.set_class(kind == name, f"-{name}")
        model = self.state.started.model if self.state.started else ""
        self.border_title = Content(f"{self.number} {clean_line(model)}".rstrip())
        self.border_subtitle = self._status_words()
        self.refresh()

    def render(self) -> Text:
        """The tile's lines."""
        palette, width = palette_of(self), max(1, self.content_size.width)
        lines = [self._asked(palette), self._figures(palette), *self._doing(palette)]
        for line in lines:
            line.truncate(width, overflow="ellipsis")
        return Text("\n").join(lines[:LINES])

    def on_click(self, event: Click) -> None:
        """The second click opens."""
        if event.chain == 2:
            self.post_message(self.Opened(self))

    def _status_words(self) -> str:
        if self.worker.failure is not None:
            return "✗ could not begin"
        finished = self.state.finished
        if finished is not None:
            good = finished.reason == "submitted"
            return f"{'✓' if good else '✗'} {finished.reason.replace('_', ' ')}"
        words = {"waiting": "◆ waits for you", "paused": "‖ paused", "starting": "◌ starting"}
        return words.get(self.state.status, "● running")

    def _asked(self, palette: Palette) -> Text:
        first = self.worker.request.task.strip().split("\n", 1)[0]
        return Text(clean_line(first), style=palette.strong, no_wrap=True)

    def _figures(self, palette: Palette) -> Text:
        state = self.state
        usage = state.totals.usage
        tokens = usage.input_tokens + usage.output_tokens
        steps = f"step {state.step}"
        if state.started is not None:
            steps += f"/{state.started.limits.max_steps}"
        failed = state.totals.failed_calls
        parts = [
            figures.clock(self.now),
            steps,
            f"{figures.count(tokens)} tok" if tokens else "",
            figures.cost(state.totals.cost),
            f"{failed} failed" if failed else "",
        ]
        words = " · ".join(part for part in parts if part)
        return Text(words, style=palette.dim, no_wrap=True)

    def _doing(self, palette: Palette) -> list[Text]:
        """What the model said last, its last call, and how that went."""
        if self.worker.failure is not None:
            words = clean_line(str(self.worker.failure))
            return [Text(words, style=palette.bad, no_wrap=True)]
        items = self.state.items
        said = next((i for i in reversed(items) if isinstance(i, ReplyItem) and _prose(i)), None)
        call = next((i for i in reversed(items) if isinstance(i, CallItem)), None)
        lines = [Text(clean_line(_prose(said)) if said else "", no_wrap=True)]
        lines[0].stylize(palette.model + Style(italic=True))
        finished = self.state.finished
        if finished is not None and finished.reason == "submitted":
            answer = clean_line((finished.answer or "").strip())
            return [*lines, Text(f"answer: {answer}", style=palette.good, no_wrap=True)]
        if finished is not None:
            words = clean_line(finished.error or "")
            return [*lines, Text(words, style=palette.bad, no_wrap=True)]
        return lines if call is None else [*lines, *self._call(call, palette)]

    def _call(self, item: CallItem, palette: Palette) -> list[Text]:
        title = Text(f"{item.call.number:>2} ", style=palette.dim, no_wrap=True)
        title.append(f"{nickname(clean_line(item.call.name))}  ", style=palette.tool)
        title.append(clean_line(headline(item.call.name, item.arguments)), style=palette.text)
        status = Text("   ", no_wrap=True)
        if item.finished is not None:
            sign, style = ("✓", palette.good) if item.finished.ok else ("✗", palette.bad)
            status.append(f"{sign} {figures.seconds(item.finished.duration)}", style=style)
        elif self.state.pending is item:
            for action, what in (("approve", "approve"), ("reject", "reject"), ("open", "look")):
                status.append(f"{hint(f'wall.{action}')} ", style=palette.accent + Style(bold=True))
                status.append(f"{what}  ", style=palette.dim)
        else:
            since = item.started_at if item.started_at is not None else self.now
            status.append(f"● {figures.seconds(max(0.0, self.now - since))}", style=palette.good)
        return [title, status]


def _prose(item: ReplyItem) -> str:
    return " ".join((item.text.strip() or item.reasoning.strip()).split())[:400]
