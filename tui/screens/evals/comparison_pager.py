"""Two evaluations compared as text, whose tasks open as two samples side by side."""

from __future__ import annotations

from textual import on
from textual.events import Resize
from typing_extensions import override

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting.comparison import EvalComparison, ScoreChange
from sandbox_tui.sessions import Store
from sandbox_tui.tui.format.column_blocks import as_text
from sandbox_tui.tui.format.compared.eval_comparison import comparison_lines
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen, TextBlocks
from sandbox_tui.tui.textual_support.toasts import MAX_NOTICE_SECONDS
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.block_list import BlockList

PAGER_CELLS = 6
"""Columns of a pager that its text cannot use: frame, margins and scrollbar."""

ELSEWHERE = "That line was no task: here is the first one."
NO_SAMPLES = "Nothing opens: every task has the same score in both."
NOT_COMPARED = "Nothing opens: no task was compared."


class ComparisonPager(PagerScreen):
    """Shows what `eval compare` prints, at the width of the screen.

    Args:
        found: the comparison.
        store: the database with the sessions of the samples.
        width: columns of the screen.
    """

    has_line_numbers = False
    opens_lines = True

    def __init__(self, found: EvalComparison, store: Store, width: int) -> None:
        self._compared = found
        self._store = store
        self._laid_out_for = width
        super().__init__(f"{found.left.id} and {found.right.id}", self._text(width))

    def _text(self, width: int) -> str:
        changes = len(self._compared.changes)
        return as_text(comparison_lines(self._compared, width - PAGER_CELLS, most_changes=changes))

    @property
    def choice_words(self) -> str:
        """What enter does, for the key bar."""
        return "compare samples" if self._compared.changes else ""

    @property
    @override
    def facts(self) -> str:
        if not self._compared.changes:
            return super().facts
        return f"{super().facts} · {hint('list.open')} on a task compares its two samples"

    def on_mount(self) -> None:
        """Put the cursor on the first line, so that enter has something to say about it."""
        self.query_one(TextBlocks).cursor = 0

    def on_resize(self, event: Resize) -> None:
        """Lay the tables out for the new width, with the cursor on the same task."""
        if event.size.width == self._laid_out_for:
            return
        self._laid_out_for = event.size.width
        body = self.query_one(TextBlocks)
        from_end = body.block_count() - body.cursor
        is_on_task = self._task_at(body.cursor) is not None
        self.show_text(self._text(event.size.width))
        if is_on_task:
            body.cursor = body.block_count() - from_end
            body.show_block(body.cursor)

    def _task_at(self, line: int) -> ScoreChange | None:
        """Return the task of a line; the tasks are the last lines."""
        changes = self._compared.changes
        at = line - (self.query_one(TextBlocks).block_count() - len(changes))
        return changes[at] if 0 <= at < len(changes) else None

    @on(BlockList.Selected, "#pager-text")
    def _open_task(self) -> None:
        """Show a sample of a task in both evaluations; on another line, go to the first task, and
        say so, or that there is none."""
        from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen

        body, changes = self.query_one(TextBlocks), self._compared.changes
        change = self._task_at(body.cursor)
        if change is None:
            compared = any(cell.difference for cell in self._compared.cells)
            words = ELSEWHERE if changes else NO_SAMPLES if compared else NOT_COMPARED
            self.notify(words, markup=False, timeout=MAX_NOTICE_SECONDS)
            if changes:
                body.cursor = body.block_count() - len(changes)
                body.show_block(body.cursor)
            return
        try:
            left, right = (self._store.run(name) for name in (change.left_run, change.right_run))
        except StoreError as error:  # deleted
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        evaluations = self._compared.left.id, self._compared.right.id
        app_of(self).push_screen(CompareScreen(left, right, self._store, evaluations))
