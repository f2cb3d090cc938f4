"""A run at a glance: a tile of the wall."""

from __future__ import annotations

import time
from typing import Literal

from rich.style import Style
from rich.text import Text
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import CallItem, ReplyItem, RunState
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions import RunWorker
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.status import STATUS_WORDS
from sandbox_tui.tui.format.titles import first_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.terminal_io.notifications import failed
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.calls.search.run_search import RunSearch

Kind = Literal["waiting", "running", "failed", "submitted"]

TILE_LINES = 5
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
        """The person wants to open this run."""

        def __init__(self, tile: RunTile) -> None:
            super().__init__()
            self.tile = tile

    def __init__(self, worker: RunWorker, number: int) -> None:
        super().__init__()
        self.worker = worker
        self.number = number
        self._heard_at = time.monotonic()
        self._seen = -1
        self._search = RunSearch(worker)

    @property
    def kind(self) -> Kind:
        """The kind that matters most to a person."""
        if self.worker.failure is not None or self.state.status == "failed":
            return "failed"
        if self.state.status == "finished":
            return "submitted"
        waits = self.state.pending or self.state.status == "awaiting_input"
        return "waiting" if waits else "running"

    @property
    def state(self) -> RunState:
        """The current state of the run."""
        return self.worker.state

    @property
    def now(self) -> float:
        """Seconds since the run began; continues between events."""
        if self.state.started is None or self.state.finished is not None:
            return self.state.t
        return self.state.t + time.monotonic() - self._heard_at

    def mentions(self, words: str) -> bool:
        """Whether the words occur in the task, the model's name, a reply or a call."""
        return self._search.finds(words)

    def sync(self) -> None:
        """Show the current state."""
        if self.state.seq != self._seen:
            self._seen = self.state.seq
            self._heard_at = time.monotonic()
        kind = self.kind
        for name in ("waiting", "failed"):
            self.set_class(kind == name, f"-{name}")
        model = self.state.started.model if self.state.started else ""
        self.border_title = Content(f"{self.number} {first_line(model)}".rstrip())
        self.border_subtitle = self._status_words()
        self.refresh()

    @override
    def render(self) -> Text:
        palette, width = palette_of(self), max(1, self.content_size.width)
        lines = [self._asked(palette), self._figures(palette), *self._doing(palette)]
        for line in lines:
            fit_line(line, width)
        return Text("\n").join(lines[:TILE_LINES])

    def on_click(self, event: Click) -> None:
        """Open the run with a double click."""
        if event.chain == 2:
            self.post_message(self.Opened(self))

    def _status_words(self) -> str:
        if self.worker.failure is not None:
            return f"✗ {failed(self.worker)}"
        finished = self.state.finished
        if finished is not None:
            good = finished.reason == "submitted"
            return f"{'✓' if good else '✗'} {finished.reason.replace('_', ' ')}"
        sign, words, _ = STATUS_WORDS[self.state.status]
        return f"{sign} {words}"

    def _asked(self, palette: Palette) -> Text:
        return Text(first_line(self.worker.request.task), style=palette.strong, no_wrap=True)

    def _figures(self, palette: Palette) -> Text:
        state = self.state
        usage = state.totals.usage
        tokens = usage.input_tokens + usage.output_tokens
        steps = f"step {state.step}"
        if state.started is not None:
            steps += f"/{state.started.limits.max_steps}"
        failed = state.totals.failed_calls
        parts = [
            numbers.clock(self.now),
            steps,
            f"{numbers.count(tokens)} tok" if tokens else "",
            numbers.cost(state.totals.cost),
            f"{failed} failed" if failed else "",
        ]
        words = " · ".join(part for part in parts if part)
        return Text(words, style=palette.dim, no_wrap=True)

    def _doing(self, palette: Palette) -> list[Text]:
        """The model's last text, its last call, and the status of that."""
        if self.worker.failure is not None:
            words = sanitize_line(str(self.worker.failure))
            return [Text(words, style=palette.bad, no_wrap=True)]
        items = self.state.items
        said = next((i for i in reversed(items) if isinstance(i, ReplyItem) and _prose(i)), None)
        call = next((i for i in reversed(items) if isinstance(i, CallItem)), None)
        lines = [Text(sanitize_line(_prose(said)) if said else "", no_wrap=True)]
        lines[0].stylize(palette.model + Style(italic=True))
        finished = self.state.finished
        if finished is not None and finished.reason == "submitted":
            return [*lines, _answer(finished.answer, palette)]
        if finished is not None:
            words = sanitize_line(finished.error or "")
            return [*lines, Text(words, style=palette.bad, no_wrap=True)]
        return lines if call is None else [*lines, *self._call(call, palette)]

    def _call(self, item: CallItem, palette: Palette) -> list[Text]:
        title = Text(f"{item.call.number:>2} ", style=palette.dim, no_wrap=True)
        title.append(f"{short_name(sanitize_line(item.call.name))}  ", style=palette.tool)
        title.append(
            sanitize_line(summarize_call(item.call.name, item.arguments)), style=palette.text
        )
        status = Text("   ", no_wrap=True)
        if item.finished is not None:
            sign, style = ("✓", palette.good) if item.finished.ok else ("✗", palette.bad)
            status.append(f"{sign} {numbers.seconds(item.finished.duration)}", style=style)
        elif self.state.pending is item:
            for action, what in (("approve", "approve"), ("reject", "reject"), ("open", "look")):
                status.append(f"{hint(f'wall.{action}')} ", style=palette.accent + Style(bold=True))
                status.append(f"{what}  ", style=palette.dim)
        else:
            since = item.started_at if item.started_at is not None else self.now
            status.append(f"● {numbers.seconds(max(0.0, self.now - since))}", style=palette.good)
        return [title, status]


def _answer(answer: str | None, palette: Palette) -> Text:
    words = sanitize_line((answer or "").strip())
    if not words:
        return Text("no answer", style=palette.dim, no_wrap=True)
    return Text(f"answer: {words}", style=palette.good, no_wrap=True)


def _prose(item: ReplyItem) -> str:
    return " ".join((item.text.strip() or item.reasoning.strip()).split())[:400]
