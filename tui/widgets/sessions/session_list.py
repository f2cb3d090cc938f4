"""The saved sessions, newest first, with samples folded, plus evaluations and trainings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rich.text import Text
from textual.message import Message
from typing_extensions import override

from sandbox_tui.core.evals.reporting.evaluation_differences import what_differs
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.relations.fork_tree import Lineage
from sandbox_tui.sessions.relations.listing import (
    EvalRow,
    Row,
    SamplesRow,
    SessionRow,
    TrainingRow,
    runs_of,
)
from sandbox_tui.sessions.relations.rows.arrange import rows_of
from sandbox_tui.sessions.relations.rows.order import Order
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.sessions.store.tables.trainings import TrainingSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.outcome import short_outcome
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.evals.eval_rows import NARROW, eval_line, eval_lines
from sandbox_tui.tui.widgets.sessions.newest_first import NewestFirst
from sandbox_tui.tui.widgets.sessions.samples_row import samples_lines
from sandbox_tui.tui.widgets.sessions.session_lines import SessionLines
from sandbox_tui.tui.widgets.training.training_rows import training_lines

READING = "reading the sessions…"
"""What is shown until the sessions have been read for the first time."""

PREFETCH_ROWS = 30
"""Distance to the last loaded row at which more sessions are requested."""


class SessionList(NewestFirst):
    """Shows one row per session: in columns if there is room, otherwise on two lines.

    The list may contain only the first of many sessions; it posts `MoreRequested` near their end.

    Attributes:
        waiting: the sessions in which a call waits for the user, with the call in words.
        is_read: whether the sessions have been read.
        order: in which the rows are sorted; `sort_by` changes it.
    """

    class MoreRequested(Message):
        """The user scrolls towards sessions that are not loaded."""

    class MarksChanged(Message):
        """Other sessions are marked, or none."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._family: Sequence[tuple[RunSummary, Lineage]] = ()
        self._evaluations: Sequence[EvalSummary] = ()
        self._differing: Mapping[str, str] = {}
        self._trainings: Sequence[TrainingSummary] = ()
        self._rows: Sequence[Row] = ()
        self._opened: set[str] = set()
        self._tags: Mapping[str, Sequence[str]] = {}
        self._marked: list[str] = []
        self._wanted = ""
        self.is_read = False
        self.order: Order = "newest"
        self._is_just_sorted = False
        self._lines = SessionLines()
        self.waiting: Mapping[str, str] = {}
        self._total = self._asked_at = 0
        self.border_title = "sessions"

    def show(
        self,
        family: Sequence[tuple[RunSummary, Lineage]],
        total: int | None = None,
        evaluations: Sequence[EvalSummary] = (),
        tags: Mapping[str, Sequence[str]] | None = None,
        waiting: Mapping[str, str] | None = None,
        trainings: Sequence[TrainingSummary] = (),
    ) -> None:
        """Show sessions; the cursor stays on its row.

        Args:
            family: the sessions, newest first, forks after their parents.
            total: number of all sessions; None if `family` contains them all.
            evaluations: newest first.
            tags: tags by session.
            waiting: the sessions in which a call waits for the user, with the call in words.
            trainings: newest first.
        """
        self.is_read = True
        self._family = family
        self._evaluations = evaluations
        self._differing = what_differs([one.info for one in evaluations])
        self._trainings = trainings
        self._tags = tags or {}
        self.waiting = waiting or {}
        here = {run.id for run, _ in family}
        self._take_marks([marked for marked in self._marked if marked in here])
        self._total = len(family) if total is None else total
        self._asked_at = 0
        self._lay_out()
        if self._wanted and len(family) < self._total:  # it is older than those read so far
            self.post_message(self.MoreRequested())
        if self._is_just_sorted:  # sessions that were not listed before may come first
            self.action_first()
        self._is_just_sorted = False
        self.border_title = self._title()
        self._show_keys()

    def _lay_out(self) -> None:
        """Build the rows; the cursor stays on its row, or moves to the row of its samples."""
        selected, line = self.current_row, self._line_of_cursor()
        self._rows = rows_of(
            self._family,
            self._evaluations,
            self._trainings,
            waiting=self.waiting,
            opened=self._opened,
            order=self.order,
            outcome_of=short_outcome,
        )
        self._set_lines()
        self.reset()
        index = -1 if selected is None else self.index_of(selected.key)
        if index >= 0:
            self.cursor = index
        elif isinstance(selected, SessionRow):
            self._go_to_session(selected.run.id)
        if self._rows and self.cursor < 0:
            self.cursor = 0
        if self._wanted and self._wanted in {run.id for run, _ in self._family}:
            self._go_to_session(self._wanted)
            self._wanted = ""
        elif line is not None and self._rows:
            self._keep_in_place(line)

    def _set_lines(self) -> None:
        sessions = (row for row in self._rows if isinstance(row, SessionRow))
        self._lines = SessionLines.of(sessions, self._tags, self.waiting)

    def _line_of_cursor(self) -> int | None:
        """Return the line of the view on which the row under the cursor begins, or None."""
        at = self.cursor
        if not 0 <= at < len(self._rows) or not self.is_visible(at):
            return None
        return self._tops[at] - round(self.scroll_offset.y)

    def _keep_in_place(self, line: int) -> None:
        """Show the row under the cursor on the same line as before, after rows were added above.

        A list shown from its first row on stays there as long as the cursor is in view.
        """
        if self.scroll_offset.y > 0:
            top = max(0, self._tops[self.cursor] - line)
            self.scroll_to(y=top, animate=False, force=True, immediate=True)
        self.show_block(self.cursor)

    def sort_by(self, order: Order) -> None:
        """Sort the rows, and go to the first one."""
        self.order = order
        self._lay_out()
        self.border_title = self._title()
        self.action_first()
        self._is_just_sorted = True

    def go_to(self, run_id: str) -> None:
        """Put the cursor on a session as soon as it is in the list."""
        self._wanted = run_id

    def _go_to_session(self, run_id: str) -> None:
        """Put the cursor on the row that contains a session, in view."""
        for index, row in enumerate(self._rows):
            if any(run.id == run_id for run in runs_of(row)):
                self.cursor = index
                self.show_block(index)

    def _title(self) -> str:
        count = len(self.waiting)
        parts = [
            f"sessions {self._total}",
            f"{count} {'waits' if count == 1 else 'wait'} for you" if count else "",
            "" if self.order == "newest" else f"sorted by {self.order}",
            numbers.counted(len(self._evaluations), "evaluation") if self._evaluations else "",
            numbers.counted(len(self._trainings), "training") if self._trainings else "",
        ]
        return " · ".join(filter(None, parts))

    @property
    def running(self) -> frozenset[str]:
        """Ids of the sessions that are running."""
        return frozenset(run.id for run, _ in self._family if run.outcome == "running")

    @property
    def running_batches(self) -> frozenset[str]:
        """Ids of the evaluations and trainings that are running."""
        evaluated = [one.info.id for one in self._evaluations if one.running]
        return frozenset([*evaluated, *(one.id for one in self._trainings if one.running)])

    @property
    def evaluation_count(self) -> int:
        """The number of evaluations."""
        return len(self._evaluations)

    @property
    def has_trainings(self) -> bool:
        """Whether there are any trainings."""
        return bool(self._trainings)

    def show_progress(
        self, evaluations: Sequence[EvalSummary], trainings: Sequence[TrainingSummary]
    ) -> bool:
        """Redraw these evaluations and trainings in place; False if nothing changed."""
        evaluated = {one.info.id: one for one in evaluations}
        trained = {one.id: one for one in trainings}
        before = self._evaluations, self._trainings
        self._evaluations = [evaluated.get(one.info.id, one) for one in self._evaluations]
        self._trainings = [trained.get(one.id, one) for one in self._trainings]
        if (list(before[0]), list(before[1])) == (self._evaluations, self._trainings):
            return False
        self._rows = [_progressed(row, evaluated, trained) for row in self._rows]
        self.changed()
        return True

    def show_running(self, runs: Sequence[RunSummary]) -> bool:
        """Redraw these sessions in place, which are running; return whether the row under the
        cursor contains one."""
        now = {run.id: run for run in runs}
        if not now:
            return False
        self._family = [(now.get(run.id, run), lineage) for run, lineage in self._family]
        self._rows = [_as_of_now(row, now) for row in self._rows]
        self._set_lines()
        self.changed()
        row = self.current_row
        return row is not None and any(run.id in now for run in runs_of(row))

    @property
    def current_row(self) -> Row | None:
        """The row under the cursor, or None."""
        return self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None

    @property
    def current(self) -> RunSummary | None:
        """The session under the cursor; None if there is none or the row contains several."""
        row = self.current_row
        return row.run if isinstance(row, SessionRow) else None

    @property
    def samples_here(self) -> Sequence[RunSummary]:
        """The samples of the row under the cursor, also if it is the row of one of them."""
        row = self.current_row
        if isinstance(row, SessionRow) and row.sample is not None:
            above = reversed(self._rows[: self.cursor])
            row = next((one for one in above if isinstance(one, SamplesRow)), None)
        return row.runs if isinstance(row, SamplesRow) else ()

    @property
    def running_sessions(self) -> list[RunSummary]:
        """The sessions that are running, newest first."""
        return [run for run, _ in self._family if run.outcome == "running"]

    @property
    def marked(self) -> list[RunSummary]:
        """The marked sessions, in the order of marking."""
        by_id = {run.id: run for run, _ in self._family} if self._marked else {}
        return [by_id[one] for one in self._marked]

    @property
    def chosen(self) -> list[RunSummary]:
        """The marked sessions; without marks, those of the row under the cursor."""
        return self.marked or self._of_current_row()

    def _of_current_row(self) -> list[RunSummary]:
        row = self.current_row
        return list(row.runs) if isinstance(row, SamplesRow) else list(runs_of(row) if row else ())

    def mark(self) -> None:
        """Mark the sessions of the row under the cursor, or unmark them if all are marked."""
        here = [run.id for run in self._of_current_row()]
        new = [one for one in here if one not in self._marked]
        others = [one for one in self._marked if one not in here]
        self._set_marks([*self._marked, *new] if new else others)

    def unmark(self) -> bool:
        """Unmark all sessions; return False if none was marked."""
        had_any = bool(self._marked)
        self._set_marks([])
        return had_any

    def _take_marks(self, marked: list[str]) -> None:
        if marked != self._marked:
            self._marked = marked
            self.post_message(self.MarksChanged())

    def _set_marks(self, marked: list[str]) -> None:
        self._take_marks(marked)
        self._show_keys()
        self.changed()

    def _show_keys(self) -> None:
        keys = f"{hint('home.open')} open · {hint('home.mark')} mark"
        if self._marked:
            keys = f"{len(self._marked)} marked · {hint('home.back')} unmark"
        self.border_subtitle = keys if self._rows else None

    def index_of(self, key: str) -> int:
        """Return the index of the row with this key, or -1 if there is none."""
        return next((i for i, row in enumerate(self._rows) if row.key == key), -1)

    def unfold(self, row: SamplesRow) -> None:
        """Show one row per sample, or fold them again."""
        self._opened ^= {row.key}
        self._lay_out()

    @override
    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Request more sessions near the end."""
        super().watch_scroll_y(old_value, new_value)
        known = len(self._family)
        last_seen = self.block_at(round(new_value) + self.size.height)
        near = last_seen < 0 or last_seen >= len(self._rows) - PREFETCH_ROWS
        if near and known < self._total and self._asked_at != known:
            self._asked_at = known
            self.post_message(self.MoreRequested())

    @override
    def block_count(self) -> int:
        return len(self._rows) or 1

    @override
    def block_height(self, index: int, width: int) -> int:
        if not self._rows:
            return 5
        row = self._rows[index]
        if isinstance(row, SessionRow):
            return self._lines.height(row, width)
        return 1 if isinstance(row, EvalRow) and width < NARROW else 2

    @property
    def _remarks(self) -> Sequence[str]:
        """The lines shown while there are no rows."""
        if not self.is_read:
            return ("", READING, "", "", "")
        runs = f"{hint('home.new')} starts a run."
        demo = f"{hint('home.demo')} plays the demo: no API key, no network."
        return ("", "Nothing here yet.", runs, demo, "")

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        if not self._rows:
            return [Text(f"  {words}", style=palette.dim, no_wrap=True) for words in self._remarks]
        match self._rows[index]:
            case SessionRow() as row:
                marked = row.run.id in self._marked
                return self._lines.draw(row, width, palette, is_marked=marked)
            case SamplesRow() as row:
                return samples_lines(row, width, palette, marked=self._marked, tags=self._tags)
            case EvalRow(summary=summary) if width < NARROW:
                return [eval_line(summary, width, palette)]
            case EvalRow(summary=summary):
                differing = self._differing.get(summary.info.id, "")
                label = "evaluation  "
                return eval_lines(summary, width, palette, label=label, differing=differing)
            case TrainingRow(summary=summary):
                return training_lines(summary, width, palette, label="training  ")


def _progressed(
    row: Row, evaluated: Mapping[str, EvalSummary], trained: Mapping[str, TrainingSummary]
) -> Row:
    """Return the row with its current summary."""
    match row:
        case EvalRow(key=key) if key in evaluated:
            return EvalRow(summary=evaluated[key])
        case TrainingRow(key=key) if key in trained:
            return TrainingRow(summary=trained[key])
        case _:
            return row


def _as_of_now(row: Row, now: Mapping[str, RunSummary]) -> Row:
    """Return the row with the current summaries of its sessions."""
    match row:
        case SessionRow(run=run) if run.id in now:
            return replace(row, run=now[run.id])
        case SamplesRow(runs=runs, forks=forks):
            samples = tuple(now.get(run.id, run) for run in runs)
            return replace(row, runs=samples, forks=tuple(now.get(run.id, run) for run in forks))
        case _:
            return row
