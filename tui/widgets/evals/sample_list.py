"""The samples of an evaluation: the running ones, then the finished ones, newest first."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from typing_extensions import override

from sandbox_tui.core.evals.sample import SampleKey, SampleResult
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.evals.activity import Activity
from sandbox_tui.tui.widgets.evals.domain_table import HeadChanged
from sandbox_tui.tui.widgets.evals.sample_rows import (
    Columns,
    head_line,
    is_unsolved,
    sample_line,
)
from sandbox_tui.tui.widgets.themed_text import ThemedText

ActivityOf = Callable[[SampleResult], Activity | None]


class SampleRows(BlockList):
    """The lines of the samples.

    Updates move the lines only while the view and the cursor are at the top. Otherwise the sample
    under the cursor and the lines around it stay in place.

    Args:
        activity_of: returns what a running sample is doing; None if that is unknown.
        unknown: returns the text for a running sample of which it is unknown.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("eval.failure", "failure(1)"),
        binding("eval.failure_before", "failure(-1)"),
    ]

    def __init__(self, activity_of: ActivityOf, unknown: Callable[[], str]) -> None:
        super().__init__(id="eval-samples")
        self._activity_of = activity_of
        self._unknown = unknown
        self._samples: Sequence[SampleResult] = ()
        self._how_many_run = 0
        self._columns = Columns.at(80, 10, 7)
        self._questions: Mapping[str, str] = {}
        self.empty = ""
        self.following = False

    def show(
        self, samples: Sequence[SampleResult], running: int, questions: Mapping[str, str]
    ) -> None:
        """Show samples.

        Args:
            samples: the samples, running ones first.
            running: how many of them are running.
            questions: the first line of each task's question, by task id.
        """
        held = self._anchor()
        self._questions = questions
        self._samples, self._how_many_run = samples, running
        self._choose_columns()
        self.following = False
        self.reset()
        if held is not None:
            self._restore_anchor(*held)
        if self.cursor < 0 and samples:
            self.cursor = 0

    def tick(self) -> None:
        """Update what the running samples are doing."""
        if self._how_many_run and not self.scroll_offset.y >= self._how_many_run:
            self.redraw_first(self._how_many_run)

    def action_failure(self, step: int) -> None:
        """Move the cursor to the next sample without a right answer, or the one before."""
        self.to_unsolved(step)

    def to_unsolved(self, step: int) -> bool:
        """Move the cursor to the next sample without a right answer (1) or the one before (-1);
        return whether there is one, and say so if there is none."""
        end = len(self._samples) if step > 0 else -1
        for index in range(self.cursor + step, end, step):
            if is_unsolved(self._samples[index]):
                self.cursor = index
                self._show_from(index, step)
                return True
        where = "below" if step > 0 else "above"
        self.notify(f"No wrong or failed sample {where} this one.", markup=False)
        return False

    @property
    def current(self) -> SampleResult | None:
        """The sample under the cursor."""
        return self._samples[self.cursor] if 0 <= self.cursor < len(self._samples) else None

    @property
    def head(self) -> str:
        """The column titles."""
        return head_line(self._columns)

    def _anchor(self) -> tuple[SampleKey, int] | None:
        """Return the sample that stays in place, and its line on the screen."""
        y = self.scroll_offset.y
        if self.cursor <= 0 and y == 0:
            return None
        in_view = self.current is not None and self.is_visible(self.cursor)
        index = self.cursor if in_view else self.block_at(y)
        if not 0 <= index < len(self._samples):
            return None
        return self._samples[index].key, index - y

    def _restore_anchor(self, key: SampleKey, line: int) -> None:
        was_on_cursor = self.cursor - self.scroll_offset.y == line
        for index, sample in enumerate(self._samples):
            if sample.key == key:
                if was_on_cursor:
                    self.cursor = index
                self.scroll_to(y=max(0, index - line), animate=False, force=True, immediate=True)
                return

    def _choose_columns(self) -> None:
        width = self.scrollable_content_region.width
        task = max(map(self._longest_name, self._samples), default=4)
        mode = max((len(one.mode) for one in self._samples), default=4)
        target = max((len(one.target) for one in self._samples), default=0)
        is_numbered = any(one.number > 1 for one in self._samples)
        self._columns = Columns.at(width, task, mode, target, is_numbered=is_numbered)

    def _longest_name(self, sample: SampleResult) -> int:
        """Return an upper bound, since there may be ten thousand samples."""
        question = self._question_of(sample)
        number = len(f" #{sample.number}") if sample.number > 1 else 0
        return len(sample.task) + number + (1 + len(question) if question else 0)

    @override
    def on_resize(self, event: object) -> None:
        """Choose the columns that fit the new width."""
        self._choose_columns()
        self.reset()
        self.post_message(HeadChanged())

    @override
    def block_count(self) -> int:
        return len(self._samples) or 1

    @override
    def block_height(self, index: int, width: int) -> int:
        return 1

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        if not self._samples:
            return [Text(f"  {self.empty}", style=palette.dim, no_wrap=True, overflow="ellipsis")]
        sample = self._samples[index]
        doing, seconds = "", sample.seconds
        if sample.status == "running":
            activity = self._activity_of(sample)
            seconds = max(0.0, time.time() - sample.began_at)
            doing = self._unknown() if activity is None else activity.words
            if activity is not None:
                sample = activity.sample
        question = self._question_of(sample)
        return [sample_line(sample, self._columns, width, palette, doing, seconds, question)]

    def _question_of(self, sample: SampleResult) -> str:
        return self._questions.get(sample.task, "")


class SampleList(Vertical):
    """The samples with their column titles, in a frame.

    Args:
        activity_of, unknown: see `SampleRows`.
    """

    DEFAULT_CSS = """
    SampleList {
        height: 1fr; min-height: 3; border: round $border-blurred; padding: 0 1;
        border-title-color: $role-dim; border-subtitle-color: $role-dim;
        &:focus-within { border: round $accent; border-title-color: $accent; }
    }
    SampleList ThemedText { height: 1; }
    SampleList SampleRows { height: 1fr; }
    """

    def __init__(self, activity_of: ActivityOf, unknown: Callable[[], str]) -> None:
        super().__init__(id="eval-wall")
        self._rows = SampleRows(activity_of, unknown)
        self.border_title = Content("samples")

    def compose(self) -> ComposeResult:
        """Yield column titles and samples."""
        yield ThemedText(self._head, id="eval-wall-head")
        yield self._rows

    def show(
        self,
        samples: Sequence[SampleResult],
        running: int,
        empty: str,
        questions: Mapping[str, str] | None = None,
    ) -> None:
        """Show the samples (`SampleRows.show`), or the text `empty` if there are none."""
        self._rows.empty = empty
        self._rows.show(samples, running, questions or {})
        self.query_one(ThemedText).refresh()

    @on(HeadChanged)
    def _refresh_head(self) -> None:
        self.query_one(ThemedText).refresh()

    def _head(self, palette: Palette) -> Text:
        return Text(self._rows.head, style=palette.dim, no_wrap=True, overflow="crop")
