"""The top line: model, sandbox, progress, cost and status of a run."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.notes import INTERRUPTED
from sandbox_tui.core.events.run_state import RunState, RunStatus
from sandbox_tui.core.run.run_labels import SAMPLE
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.status import (
    StatusWords,
    giving_up_words,
    known_before_attaching,
    mode_words,
    next_try_when,
    pauses_after_call,
    pausing_reply,
    pausing_words,
    reply_progress,
    reply_tokens,
    status_of,
    step_words,
    unfinished_reply,
)
from sandbox_tui.tui.format.titles import cut_title, first_line, model_title, sample_or_fork
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.theming.palette import Palette, palette_of

MIN_TITLE_COLUMNS = 24
"""Columns of the title for which less important parts are shortened or left out."""

MAX_CUT_MODEL = 16
"""Characters of the model's name if there is little room."""

MIN_CUT_MODEL = 8
"""Characters of the model's name below which it tells nothing."""

MIN_MODEL_WIDTH = 80
"""Columns from which the line names the model."""

MIN_LIMIT_WIDTH = 120
"""Columns from which the line has room for the limit of steps, whatever the state."""

MIN_GIVING_UP_WIDTH = 140
"""Minimum columns that leave room for how long the run goes on asking a model that fails."""

MIN_TOKENS_WIDTH = 90
"""Columns from which the line has room for the tokens of the reply."""

_WAITS = StatusWords("‖", "cannot be recorded", "warn")
_INTERRUPTED = StatusWords(INTERRUPTED[:1], INTERRUPTED[2:], "warn")
_THEN: Mapping[RunStatus, str] = {
    "paused": "was paused",
    "frozen": "was frozen",
    "waiting": "waited for you",
    "awaiting_input": "waited for input",
}
"""What a run did at a moment of its replay, if it did not go on."""


class StatusBar(Widget):
    """Shows the figures of a `RunState`; call `sync` after applying events."""

    DEFAULT_CSS = """
    StatusBar { height: 1; padding: 0 1; background: $panel; }
    """

    prefix: reactive[str] = reactive("")
    waits: reactive[bool] = reactive(False)
    """Whether the run is blocked because its events cannot be stored."""
    interrupted: reactive[bool] = reactive(False)
    """Whether the run's program has exited before the run ended."""
    others_waiting: reactive[int] = reactive(0)
    """How many other runs wait for the user."""
    replayed_steps: reactive[int | None] = reactive(None)
    """The steps of a replayed session; None for a run that is not replayed."""
    first_mode: reactive[str] = reactive("")
    """The mode until the first event of the run."""
    first_summary: reactive[RunSummary | None] = reactive(None)
    """What is known of a run of another program until its first event has been read."""

    def __init__(self, state: RunState, task: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state = state
        self._headline = task
        self._now = 0.0

    def sync(self, state: RunState, now: float) -> None:
        """Show this state; `now` is the run's clock in seconds."""
        self._state, self._now = state, now
        self.refresh()

    @override
    def render_line(self, y: int) -> Strip:
        palette = palette_of(self)
        width = self.content_size.width
        title = sanitize_line(self._headline)
        wanted = min(MIN_TITLE_COLUMNS, cell_len(title)) + 2
        left = self._names(palette, "sandbox-tui" if width >= 90 else "sbx")
        right = self._figures(palette, width, left.cell_len, wanted)
        if left.cell_len + wanted + 2 + right.cell_len > width:  # the task says more than the name
            left = self._names(palette, "")
            right = self._figures(palette, width, left.cell_len, wanted)
        left.append(f"{'  ' if left else ''}{title}", style=palette.strong)
        room = max(0, width - right.cell_len - 2)
        fit_line(left, room)
        left.pad_right(max(0, room - left.cell_len) + 2)
        left.append_text(right)
        base = self.rich_style
        segments = [Segment(s.text, base + s.style) for s in left.render(app_of(self).console)]
        return Strip(segments).crop_extend(0, width, base)

    def _names(self, palette: Palette, program: str) -> Text:
        """Return the name of the program, who else watches, and how many other runs wait."""
        parts = [(program, palette.accent + Style(bold=True)), (self.prefix, palette.human)]
        if others := self.others_waiting:
            words = "1 other waits" if others == 1 else f"{others} others wait"
            is_narrow = self.content_size.width < MIN_TOKENS_WIDTH
            parts.append((f"◆ {words.rpartition(' ')[0] if is_narrow else words}", palette.warn))
        shown = [part for part in parts if part[0]]
        return Text("  ", no_wrap=True).join(Text(words, style=style) for words, style in shown)

    def _figures(self, palette: Palette, width: int, needed: int, wanted: int) -> Text:
        """Draw the parts and the status.

        Args:
            palette: the palette to draw with.
            width: columns of the line.
            needed: columns of what stands before the title.
            wanted: columns of the title that come before most parts.
        """
        state = self._state
        line = Text(no_wrap=True)
        sign, words, role = self._status(with_tokens=width >= MIN_TOKENS_WIDTH)
        if not self.waits and state.status == "failed" and state.finished is not None:
            words = state.finished.reason.replace("_", " ")
        status = f"{sign} {words}".strip()
        room = width - needed - cell_len(status) - 2
        for part in self._fitting(width, room, room - wanted):
            line.append(f"{part}  ", style=palette.dim)
        line.append(status, style=getattr(palette, role))
        return line

    def _fitting(self, width: int, room: int, beside_title: int) -> list[str]:
        """Return the parts for a line of this width.

        Args:
            width: columns of the line.
            room: columns without any title; no part may take more.
            beside_title: columns beside a title of some length; for it the less important parts
                are shortened or dropped.
        """
        keep = 9 if width >= 120 else 6 if width >= 80 else 2 if width >= 50 else 0
        known = self._parts()
        kept = list(known)[-keep:] if keep else []
        if width >= MIN_MODEL_WIDTH:
            kept.append("model")
        parts = {name: part for name, part in known.items() if name in kept}
        for name in (*(("mode",) if self.replayed_steps is not None else ()), "calls", "sandbox"):
            if _columns(parts) > beside_title:
                parts.pop(name, None)
        if _columns(parts) > beside_title and "model" in parts:
            parts["model"] = cut_title(parts["model"], MAX_CUT_MODEL)
        less = ("sample", "context", "cost", "tokens")
        for name in (
            (*less, "clock") if self.replayed_steps is not None else less
        ):  # the timeline has the time
            if _columns(parts) > beside_title:
                parts.pop(name, None)
        self._fit_model(parts, beside_title)
        for name in ("clock", "step", "mode"):
            if _columns(parts) > room:
                parts.pop(name, None)
        return list(parts.values())

    def _fit_model(self, parts: dict[str, str], room: int) -> None:
        """Shorten the model's name to fit, or leave it out."""
        if (excess := _columns(parts) - room) > 0 and "model" in parts:
            columns = cell_len(parts["model"]) - excess
            parts["model"] = cut_title(parts["model"], max(1, columns))
            if columns < MIN_CUT_MODEL:
                del parts["model"]

    @property
    def _summary(self) -> RunSummary | None:
        return self.first_summary if self._state.started is None else None

    def _status(self, *, with_tokens: bool) -> StatusWords:
        """Return the status; while the run waits for a reply, how far that is."""
        if self.interrupted:
            return _INTERRUPTED
        if self.waits:
            return _WAITS
        if self.replayed_steps is not None and self._state.finished is None:
            return self._moment(with_state=with_tokens)
        if (first := self._summary) is not None:
            return known_before_attaching(first)
        known, reply = status_of(self._state), unfinished_reply(self._state)
        if (last := pausing_reply(self._state)) is not None:
            short = f"{known.words} · {reply_progress(last, self._now)}"
            words = pausing_words(last, self._now) if with_tokens else short
            return known._replace(words=words)
        if pauses_after_call(self._state):
            return known._replace(words="pausing after this call")
        if self._state.status != "running" or reply is None:
            return known
        when = next_try_when(self._state)
        words = reply_progress(reply, self._now, when=when)
        if reply.has_failed:
            is_wide = self.content_size.width >= MIN_GIVING_UP_WIDTH and not when
            longer = giving_up_words(reply.failures[-1], self._now) if is_wide else ""
            return StatusWords("!", f"{words} · {longer}" if longer else words, "warn")
        written = reply_tokens(reply) if with_tokens else 0
        tokens = f" {numbers.tokens(written, estimated=True)} tok" if written else ""
        return StatusWords(known.sign, f"{words}{tokens}", known.role)

    def _moment(self, *, with_state: bool) -> StatusWords:
        """Return the moment of a replay that is shown: it cannot be mistaken for a live run."""
        state = self._state
        words = f"step {state.step} of {self.replayed_steps}"
        then = _THEN.get(state.status, "") if with_state else ""
        return StatusWords("", f"{words} · {then}" if then else words, "text")

    def _parts(self) -> dict[str, str]:
        """Return the parts by name, in the order in which they are shown."""
        if (first := self._summary) is not None:
            steps = f"step {first.steps}" if first.steps else ""
            parts = {
                "model": model_title(first.model),
                "clock": clock(first.seconds),
                "step": steps,
            }
            return {name: part for name, part in parts.items() if part}
        state = self._state
        started = state.started
        usage = state.totals.usage
        tokens = usage.input_tokens + usage.output_tokens
        parts = dict[str, str]()
        if started is not None:
            parts["model"] = model_title(started.model)
            parts["sandbox"] = first_line(started.sandbox)
            labels = {} if started.settings is None else started.settings.labels
            number = first_line(labels.get(SAMPLE, ""))
            parts["sample"] = sample_or_fork(number, is_fork=started.parent is not None)
        if state.tool_format.mode != "native":
            parts["calls"] = f"calls: {sanitize_line(state.tool_format.title)}"
        parts["cost"] = numbers.cost(state.totals.cost)
        count = numbers.tokens(tokens, estimated=usage.estimated)
        parts["tokens"] = f"{count} tok" if tokens else ""
        if state.context_length is not None and state.context_tokens:
            filled = f"{numbers.count(state.context_tokens)} of "
            parts["context"] = f"ctx {filled}{numbers.context(state.context_length)}"
        parts["clock"] = clock(self._now)
        if started is not None and self._shows_step:
            is_left_out = self._is_past or self.size.width < MIN_LIMIT_WIDTH
            most = "" if is_left_out else f" (max {started.limits.max_steps})"
            parts["step"] = f"{step_words(state)}{most}"
        parts["mode"] = self._mode_words()
        return {name: part for name, part in parts.items() if part}

    @property
    def _is_past(self) -> bool:
        """Whether the limit of steps matters no more."""
        return self.replayed_steps is not None or self._state.finished is not None

    @property
    def _shows_step(self) -> bool:
        """Whether the step is one of the parts; during a replay, it is the status."""
        return self.replayed_steps is None or self.interrupted or self._state.finished is not None

    def _mode_words(self) -> str:
        state = self._state
        if state.started is None:
            return f"mode {self.first_mode}" if self.first_mode else ""
        if state.finished is not None:
            return ""
        is_said = state.pending is None and state.status in ("paused", "frozen")
        if is_said and state.mode == "paused":
            return f"mode {state.paused_mode}"  # the status says the rest
        return f"mode {mode_words(state)}"


def _columns(parts: Mapping[str, str]) -> int:
    """Return the columns of these parts, with the space after each."""
    return sum(cell_len(part) + 2 for part in parts.values())
