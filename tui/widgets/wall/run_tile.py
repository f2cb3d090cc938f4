"""A run at a glance: one tile of the wall."""

from __future__ import annotations

import time

from rich.style import Style
from rich.text import Text
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.durations import clock, short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.core.tools.edit_preview import EditPreview
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.sessions.store.answers import SAID
from sandbox_tui.tui.format.answers import NO_ANSWER, answer_line, result_answer
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.run_end import otherwise_words
from sandbox_tui.tui.format.status import (
    is_retrying,
    next_try_when,
    reply_progress,
    retry_reason,
    short_error,
    unfinished_reply,
)
from sandbox_tui.tui.format.titles import first_line, task_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.calls.search.run_search import RunSearch
from sandbox_tui.tui.widgets.drawn_call import DrawnCall
from sandbox_tui.tui.widgets.wall.activity import Activity
from sandbox_tui.tui.widgets.wall.fitting.fit_answer import fit_beside
from sandbox_tui.tui.widgets.wall.fitting.fit_names import SEPARATOR, fit_names
from sandbox_tui.tui.widgets.wall.fitting.state_column import (
    MIN_WIDTH_WITH_FIGURES,
    state_in_column,
)
from sandbox_tui.tui.widgets.wall.run_facts import (
    WATCHING,
    Kind,
    clock_of,
    figures_words,
    is_cut_off,
    is_watched,
    kind_of,
    silent_seconds,
    status_style,
    status_words,
    step_of,
)
from sandbox_tui.tui.widgets.wall.run_groups import said_answer_of

MIN_NAMED_WIDTH = 24
"""Cells by which a tile of one line has to be wider to show them beside the name of its run."""

MIN_WIDTH_WITH_STATE = 32
"""Minimum width at which a tile of one line has words beside the sign of the state."""

TITLE_CORNERS = 6
"""Columns of a border without its title: corners and blanks."""

STRIP_INDENT = 5
"""Indent of a run's activity below its number."""


class RunTile(Widget, can_focus=True):
    """Shows a run's state; call `sync` after it has changed.

    Args:
        worker: the run.
        number: 1, 2, 3 ... in the order in which the runs were started.

    Attributes:
        differs: what distinguishes the run from the others, such as its task; shown in the tile.
        session_title: the title that the user gave the session; empty without one.
        vote: how many runs of its group gave the same answer, in words; empty without others.
        marks_said: whether an answer that is only in the call of `submit` is marked: others are in
            the file.
        previewed: the number of a waiting call, and what it would do to the file it edits.
        state_width: cells of the longest state of the tiles shown, so that what follows is aligned.
        names_width: cells of the longest names of the tiles shown, for the same reason.
        has_panel: whether a panel shows the waiting call of the chosen run, with the keys.
        drawn_call: which waiting call the tile shows, and since when.
    """

    DEFAULT_CSS = """
    RunTile {
        padding: 0 1; border: round $role-dim; background: $background;
        border-title-color: $role-dim; border-subtitle-color: $role-dim;
        &.-running { border: round $success; border-title-color: $success; }
        &.-submitted { border: round $success 60%; border-title-color: $success; }
        &.-waiting { border: round $role-human; border-title-color: $role-human; }
        &.-failed { border: round $error; border-title-color: $error; }
        &.-still { border: round $warning; border-title-color: $warning; }
        &:focus { border: heavy $accent; border-title-style: bold; background: $panel; }
        &.-strip { border: none; padding: 0; }
        &.-strip:focus { border: none; background: $panel; }
    }
    """

    class Opened(Message):
        """The user wants to open this run."""

        def __init__(self, tile: RunTile) -> None:
            super().__init__()
            self.tile = tile

    def __init__(self, worker: FoldedRun, number: int) -> None:
        super().__init__()
        self.worker = worker
        self.number = number
        self.differs: tuple[str, ...] = ()
        self.session_title = ""
        self.vote = ""
        self.marks_said = True
        self.previewed: tuple[int, EditPreview | None] | None = None
        self.has_panel = False
        self.state_width = 0
        self.names_width = 0
        self.marked = False
        self._heard_at = time.monotonic()
        self._seen = -1
        self._drawn: object = None
        self._figures: object = None
        self._search = RunSearch(worker)
        self.drawn_call = DrawnCall()

    def follow(self, worker: FoldedRun) -> None:
        """Show the same run from now on as another handle knows it: it was resumed."""
        if worker is not self.worker:
            self.worker, self._search = worker, RunSearch(worker)
            self.previewed = self._drawn = None
            self._seen = -1

    @property
    def kind(self) -> Kind:
        """The run's state from the user's point of view."""
        return kind_of(self.worker)

    @property
    def state(self) -> RunState:
        """The current state of the run."""
        return self.worker.state

    @property
    def preview(self) -> EditPreview | None:
        """What the waiting call would do to the file it edits; None if that is not known."""
        pending = self.state.pending
        if pending is None or self.previewed is None or self.previewed[0] != pending.call.number:
            return None
        return self.previewed[1]

    @property
    def now(self) -> float:
        """Seconds since the run started; continues between events."""
        return clock_of(self.worker, self._heard_at)

    @property
    def silent(self) -> float:
        """Seconds for which nothing has come from the run; 0 if that is not long."""
        return silent_seconds(self.worker, self.now)

    @property
    def status_words(self) -> str:
        """The run's state with its sign; of one that may be stuck, for how long it is silent."""
        silent = self.silent
        return f"● silent {short_duration(silent)}" if silent else status_words(self.worker)

    def mentions(self, words: str) -> bool:
        """Return whether the words occur in the title, the task, the model's name, a reply or a
        call."""
        named = words.casefold() in self.session_title.casefold()
        return named or self._search.finds(words)

    def sync(self, *, boxed: bool = True, is_due: bool = True) -> None:
        """Show the run.

        Args:
            boxed: with a border, unless there are too many tiles.
            is_due: also if only its output, its figures or the time have changed.
        """
        if self.state.seq != self._seen:
            self._seen = self.state.seq
            self._heard_at = time.monotonic()
        words = self.status_words
        names = (*self.names, self.vote, self.marks_said, self.marked)
        form = (boxed, self.size, self.state_width, self.names_width, self.has_panel)
        state = (self.kind, self.state.status, is_retrying(self.state), self.worker.failure)
        look = (state, names, form, self.preview)
        figures = (self._seen, int(self.now), words)
        if look == self._drawn and (figures == self._figures or not is_due):
            return
        self._drawn, self._figures = look, figures
        self._dress(words, boxed=boxed)
        self.refresh()

    def _dress(self, words: str, *, boxed: bool) -> None:
        """Set the colour and the text of the border."""
        kind = self.kind
        for name in ("running", "waiting", "failed", "submitted"):
            self.set_class(kind == name, f"-{name}")
        is_still = self.state.status in ("paused", "frozen") or is_retrying(self.state)
        is_still = is_still or self.silent > 0 or is_cut_off(self.worker)
        self.set_class(is_still, "-still")
        self.set_class(not boxed, "-strip")
        if boxed:
            marked = "marked" if self.marked else ""
            parts = [f"{self.number} {words}", *self._own_names(), marked, *self.differs[1:]]
            room = self.size.width - TITLE_CORNERS
            shown = fit_names(list(filter(None, parts)), first_line(self.session_title), room)
            self.border_title = Content(shown)
            self.border_subtitle = Content(
                figures_words(self.worker, self.now, self.size.width - 2)
            )

    @override
    def render(self) -> Text:
        self.drawn_call.note(self.state.pending)
        palette, size = palette_of(self), self.content_size
        width, height = max(1, size.width), max(1, size.height)
        strip = self.has_class("-strip")
        lines = self._strip(width, palette) if strip else self._task_lines(palette)
        room, indent = height - len(lines), STRIP_INDENT if strip else 0
        activity = Activity(
            self.worker,
            width - indent,
            room,
            self.now,
            palette,
            vote=self.vote,
            marks_said=self.marks_said,
            preview=self.preview,
            decides=self.has_focus and (self.state.pending is None or not self.has_panel),
        )
        for line in activity.lines():
            line.pad_left(indent)
            lines.append(line)
        for line in lines:
            fit_line(line, width)
        if strip and self.has_focus:
            lines = [Text("▌", style=palette.accent) + line[1:] for line in lines]
        return Text("\n").join(lines[:height])

    def on_click(self, event: Click) -> None:
        """Open the run with a double click.

        A single click only chooses the tile: if it opened the run, the second click of a double
        click would reach the screen of the run, where a click can approve a call.
        """
        if event.chain == 2 and event.button == 1:
            self.post_message(self.Opened(self))

    @property
    def names(self) -> list[str]:
        """What to call the run: its title or what distinguishes it from the others."""
        return [*self._own_names(), *self.differs]

    @property
    def differing_task(self) -> str:
        """The task of the run; empty if all runs of the wall have it."""
        return self.differs[0] if self.differs else ""

    def names_in(self, room: int) -> str:
        """Return what to call the run in at most `room` cells: the model is kept longest."""
        mode = self.differs[2] if len(self.differs) > 2 else ""
        return fit_names(list(filter(None, self.names)), self.differing_task, room, mode)

    def _own_names(self) -> list[str]:
        """That it is only watched; the title that the user gave; task and mode of an evaluation's
        sample."""
        labels = self.worker.labels
        words = [WATCHING if is_watched(self.worker) else "", self.session_title]
        if "eval" in labels:
            number = labels.get("sample", "1")
            task = labels.get("task", "") + (f" #{number}" if number != "1" else "")
            words += [task, labels.get("mode", "")]
        return [first_line(one) for one in words if one]

    def _task_lines(self, palette: Palette) -> list[Text]:
        """Return the task, if the runs do not share one."""
        words = self.differing_task
        return [Text(words, style=palette.strong, no_wrap=True)] if words else []

    def _strip(self, width: int, palette: Palette) -> list[Text]:
        """Return the first line of a strip: number, state, and activity or result."""
        own = palette.warn if self.silent else status_style(self.worker, palette)
        mark = "◇" if self.marked else " "
        line = Text(no_wrap=True).append(mark, style=palette.accent)
        line.append(f"{self.number:>3} ", style=palette.strong)
        is_alone = self.size.height == 1
        words = self.status_words
        if is_alone and width < MIN_WIDTH_WITH_STATE:
            line.append(f"{words[:1]} ", style=own)
        else:
            line.append(f"{state_in_column(words, self.state_width, width)} ", style=own)
        own = list(filter(None, self.names))
        names = Text(SEPARATOR.join(own), style=palette.text)
        needed = MIN_WIDTH_WITH_FIGURES + (MIN_NAMED_WIDTH if is_alone and names else 0)
        if width >= needed:
            line.append(f"{clock(self.now)} {step_of(self.worker):<8} ", style=palette.dim)
        if is_alone and names:
            most = (width - line.cell_len) * 2 // 5
            names = Text(self.names_in(most), style=palette.text)
            names.pad_right(max(0, min(most, self.names_width) - names.cell_len) + 2)
        elif names:
            names = Text(self.names_in(width - line.cell_len), style=palette.text)
        line.append_text(names)
        if is_alone:
            line.append_text(self._gist(palette, width - line.cell_len))
        return [line]

    def _gist(self, palette: Palette, room: int) -> Text:
        """Return the result, the current call or the pending question, in a few words; an answer
        leaves room for how many agree with it."""
        finished = self.state.finished
        if self.worker.failure is not None:
            return Text(sanitize_line(str(self.worker.failure)), style=palette.bad)
        if finished is not None and finished.reason == "submitted":
            said = said_answer_of(self.worker)
            answer = answer_line(said or finished.answer or "")
            mark = SAID if said and self.marks_said else otherwise_words(self.state)
            return self._answer(answer, mark, palette, room)
        if finished is not None:
            error = Text(short_error(first_line(finished.error or "")), style=palette.bad)
            left = answer_line(result_answer(finished.reason, finished.answer))
            return error.append(f"  {left}" if left else "", style=palette.dim)
        calls, reply = self.state.calls, unfinished_reply(self.state)
        text = Text()
        if reply is not None and self.state.pending is None:
            style = palette.warn if reply.has_failed else palette.good
            progress = reply_progress(reply, self.now, when=next_try_when(self.state))
            text.append(f"{progress}  ", style=style)
            if reply.has_failed:
                return text.append(retry_reason(self.state), style=palette.warn)
        if not calls:
            task = "" if self.differing_task else task_line(self.worker.task)
            return text.append(task, style=palette.dim)
        if self.state.status == "awaiting_input" and (asked := self.worker.printed.lines(1)):
            text.append(sanitize_line(asked[0].strip()), style=palette.human)
            key = f"  {hint('wall.open')} open" if self.has_focus else ""
            return text.append(key, style=palette.dim)
        call = self.state.pending or calls[max(calls)]
        text.append(f"{short_name(sanitize_line(call.call.name))} ", style=palette.tool)
        words = sanitize_line(summarize_call(call.call.name, call.arguments))
        return text.append(words, style=palette.text + Style(bold=False))

    def _answer(self, answer: str, mark: str, palette: Palette, room: int) -> Text:
        """Return the answer in one line, in the colour of doubt if most others gave another, with
        how many agree and the mark if there is room."""
        if not answer:
            return Text(NO_ANSWER, style=palette.dim)
        doubtful = self.vote.startswith("only")
        style = palette.warn if doubtful else palette.good
        text = Text(answer, style=style, no_wrap=True)
        vote, mark = fit_beside(text, self.vote, mark, room, mark_first=mark not in ("", SAID))
        text.append(f" · {vote}" if vote else "", style=style if doubtful else palette.dim)
        mark_style = palette.dim if mark in ("", SAID) else palette.warn
        return text.append(f" · {mark}" if mark else "", style=mark_style)
