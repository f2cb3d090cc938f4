"""A running or finished evaluation: domains by modes, with the samples below."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.sessions import RunRegistry
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.closes_when_on_top import ClosesWhenOnTop
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.leave_run import Leaving
from sandbox_tui.tui.screens.evals.eval_keys import EvalKeys
from sandbox_tui.tui.screens.evals.header import (
    failures_line,
    progress_line,
    reason_line,
    server_words,
    title_line,
)
from sandbox_tui.tui.screens.evals.leave_eval import STOPPING, LeaveEvalDialog
from sandbox_tui.tui.screens.evals.samples.opened_samples import OpenedSamples
from sandbox_tui.tui.screens.evals.samples.sample_filter import SampleFilter
from sandbox_tui.tui.screens.evals.screen_data import EvalScreenData, data_of
from sandbox_tui.tui.screens.evals.source import EvalSource, EvalState
from sandbox_tui.tui.screens.progress_screen import ProgressScreen
from sandbox_tui.tui.screens.wall.eval_samples import EvalSamples
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.charts.chart import Series
from sandbox_tui.tui.widgets.charts.chart_row import ChartRow
from sandbox_tui.tui.widgets.evals.activity import Activity
from sandbox_tui.tui.widgets.evals.domain_table import DomainRows, DomainTable, table_room
from sandbox_tui.tui.widgets.evals.sample_list import SampleList, SampleRows
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.themed_text import ThemedText

CHARTS_SECONDS = 5.0
"""Seconds between updates of the charts, which take longer to draw than everything else."""

TICK_SECONDS = 0.5
"""Seconds between updates of what the running samples are doing."""


class EvalScreen(ExplainsUnavailable, ProgressScreen[EvalScreenData], ClosesWhenOnTop[None]):
    """Shows an evaluation.

    Args:
        source: provides the samples.
        runs: the runs of this program, and the store with all sessions.
        on_resume: resumes it and replaces this screen; None if the opener cannot.
        on_again: opens the form for the same evaluation, given this screen; None if the opener
            cannot.
        confirm_leave: whether leaving it asks what to do with an evaluation of this program, or it
            continues in the background, where it already is.
    """

    AUTO_FOCUS = "SampleRows"

    MIN_LINES_FOR_CHARTS = 42

    CSS = """
    EvalScreen { background: $background; overflow: hidden; }
    EvalScreen > ThemedText { height: 1; padding: 0 1; background: $panel; }
    EvalScreen #eval-failures, EvalScreen #eval-reason { display: none; }
    EvalScreen #eval-reason { height: auto; max-height: 3; }
    EvalScreen #eval-charts { height: 1fr; max-height: 12; }
    EvalScreen.-charts #eval-wall { min-height: 6; }  /* at least three samples */
    EvalScreen #eval-failures.-shown, EvalScreen #eval-reason.-shown { display: block; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("eval.pause", "pause"),
        binding("eval.stop", "stop"),
        binding("eval.resume", "resume"),
        binding("eval.run_again", "run_again"),
        binding("eval.wall", "wall"),
        binding("eval.report", "report"),
        binding("eval.score_again", "score_again"),
        binding("eval.filter", "filter"),
        binding("eval.charts", "charts"),
        binding("eval.next_pane", "app.focus_next", show=False),
        binding("eval.previous_pane", "app.focus_previous", show=False),
        binding("eval.back", "back", show=False),
        binding("eval.leave", "leave"),
    ]

    def __init__(
        self,
        source: EvalSource,
        runs: RunRegistry,
        on_resume: Callable[[Screen[None]], None] | None = None,
        on_again: Callable[[Screen[None]], None] | None = None,
        *,
        confirm_leave: bool = False,
    ) -> None:
        super().__init__()
        self._source = source
        self._run_workers = runs
        self._on_resume = on_resume
        self._on_again = on_again
        self._confirm_leave = confirm_leave
        self._filter = SampleFilter()
        self._server_words = ""
        self._charts_drawn = -math.inf
        self._series_drawn: Series = ()

    def compose(self) -> ComposeResult:
        """Yield title and progress, table, charts, samples, keys."""
        info = self._source.info
        heads: dict[str, Callable[[Palette], Text]] = {
            "title": lambda palette: title_line(
                info, self._data, self._columns, palette, self._source.program
            ),
            "progress": lambda palette: progress_line(
                self._data, self._columns, palette, self._running_so_far()
            ),
            "failures": lambda palette: failures_line(self._data, self._columns, palette),
            "reason": lambda palette: reason_line(
                self._data,
                palette,
                has_key=self._on_resume is not None,
                server=self._server_words,
            ),
        }
        for name, draw in heads.items():
            yield ThemedText(draw, id=f"eval-{name}")
        yield DomainTable()
        yield ChartRow("over time", id="eval-charts")
        yield SampleList(self._source.activity, lambda: self._source.without_activity)
        yield KeyBar()

    def on_mount(self) -> None:
        """Start the updates of running samples; the base class reads."""
        self.set_interval(TICK_SECONDS, self._tick)

    def on_unmount(self) -> None:
        """Close the source."""
        self._source.close()

    @property
    def info(self) -> EvalInfo:
        """The evaluation."""
        return self._source.info

    @property
    def evaluation(self) -> str:
        """Suite and model, for the terminal title."""
        return sanitize_line(f"{self._source.info.suite} · {model_title(self._source.info.model)}")

    # --- what is shown

    @override
    def compute(self) -> EvalScreenData | None:
        reading = self._source.read()
        return None if reading is None else data_of(reading)

    def _running_so_far(self) -> list[Activity]:
        """What the running samples are doing, as far as that is known."""
        running = self._data.running if self._data else []
        return [one for one in map(self._source.activity, running) if one is not None]

    def _tick(self) -> None:
        if self.is_current:
            self.query_one(SampleRows).tick()
            self.query_one("#eval-progress").refresh()
            self._show_reason()
            if self._data is not None and self._shows_charts:  # nothing else may change for long
                self._draw_charts(self._data, self.query_one(ChartRow))

    @override
    def show_data(self, data: EvalScreenData) -> None:
        self._show_reason(is_new=True)
        self.query_one("#eval-failures").set_class(bool(data.failures), "-shown")
        for name in ("title", "progress", "failures"):
            self.query_one(f"#eval-{name}").refresh()
        self._show_table(data)
        self._show_samples(data)
        self.refresh_bindings()

    def _show_reason(self, *, is_new: bool = False) -> None:
        """Show why it does not go on, or why samples wait for the server."""
        data, before = self._data, self._server_words
        if data is None:
            return
        running = data.running if data.reading.state == "running" else ()
        self._server_words = server_words(map(self._source.activity, running))
        if is_new or self._server_words != before:
            line = self.query_one("#eval-reason")
            has_words = bool(data.reading.reason or data.can_rerun or self._server_words)
            line.set_class(has_words, "-shown").refresh(layout=True)

    def _show_table(self, data: EvalScreenData) -> None:
        charts, table = self.query_one(ChartRow), self.query_one(DomainTable)
        shows_charts = self._shows_charts
        charts.set_class(shows_charts, "-shown")
        self.set_class(shows_charts, "-charts")
        if shows_charts:
            self._draw_charts(data, charts)
        table.display = self._has_room_for_charts or not shows_charts
        table.show(data.table, table_room(self.size.height, has_charts=shows_charts))

    def _draw_charts(self, data: EvalScreenData, charts: ChartRow) -> None:
        """Show the current curves, unless others were drawn recently and samples still run."""
        now = time.monotonic()
        has_curves = any(chart.curves for chart in self._series_drawn)
        if data.series is self._series_drawn:
            return
        if not data.running or not has_curves or now - self._charts_drawn >= CHARTS_SECONDS:
            self._charts_drawn, self._series_drawn = now, data.series
            charts.show(data.series, data.table.modes)

    def _show_samples(self, data: EvalScreenData) -> None:
        shown = self.query_one(SampleList)
        running = [one for one in data.running if self._filter.fits(one)]
        over = [one for one in data.over if self._filter.fits(one)]
        cancelled = [one for one in data.cancelled if self._filter.fits(one)]
        listed = [*running, *cancelled, *over]
        shown.show(listed, len(running), self._nothing(data), data.reading.questions)
        words = [f"samples {len(listed)}", self._filter.words or data.rest_words]
        shown.border_title = Content(" · ".join(part for part in words if part))
        shown.border_subtitle = f"{hint('eval.back')} show all" if self._filter.words else None

    def _nothing(self, data: EvalScreenData) -> str:
        if self._filter.words:
            return f"No matching samples. {hint('eval.filter')} changes the filter."
        return "No sample has started yet."

    # --- the samples

    @on(BlockList.Selected, "#eval-samples")
    def _sample_chosen(self, event: BlockList.Selected) -> None:
        event.stop()
        OpenedSamples(self, self._source, self._run_workers.store).open()

    @on(BlockList.Selected, "#eval-domains")
    def _domain_chosen(self, event: BlockList.Selected) -> None:
        """Show only the samples of a domain; choosing it again shows all."""
        event.stop()
        domain = self.query_one(DomainRows).domain
        self._filter = self._filter.of_domain(None if domain == self._filter.domain else domain)
        self._show_filtered()

    def action_filter(self) -> None:
        """Show only samples of one kind, or all."""
        self._filter = self._filter.next_kind()
        self._show_filtered()

    def _show_filtered(self) -> None:
        if self._data is not None:
            self._show_samples(self._data)

    # --- keys

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Only a running evaluation can be paused and stopped, only an interrupted one resumed."""
        table = None if self._data is None else self._data.table
        keys = EvalKeys(
            state=self._state,
            is_here=self._source.runner is not None,
            can_stop=self._source.can_stop,
            is_starting=self._source.is_starting,
            process=self._source.process,
            can_rerun=self._can_rerun,
            has_answers=table is not None and table.over > 0,
            all_over=table is not None and table.over >= table.samples,
            any_running=self._any_running,
            has_resume=self._on_resume is not None,
            has_again=self._on_again is not None,
        )
        return keys.why_unavailable(action)

    @property
    def _can_rerun(self) -> bool:
        return self._data is not None and self._data.can_rerun

    @property
    def _any_running(self) -> bool:
        if self._source.runner is None:
            return self._data is not None and bool(self._data.running)
        return EvalSamples(self._source.info.id, self._run_workers).any_running

    @property
    def _state(self) -> EvalState:
        return "running" if self._data is None else self._data.reading.state

    def words_for(self, action: str) -> str | None:
        """Return the key bar's current words for an action."""
        runner = self._source.runner
        if action == "pause" and runner is not None and runner.paused_because:
            return "resume"
        if action == "resume" and self._can_rerun:
            return "rerun failed"
        return None

    @work(group="steer")
    async def action_pause(self) -> None:
        """Pause starting samples, or resume."""
        runner = self._source.runner
        if runner is not None:
            await (runner.resume() if runner.paused_because else runner.pause())
            self.read()

    def action_stop(self) -> None:
        """Stop after a confirmation; running samples end and are requeued."""
        if not self._source.can_stop:
            return

        def sure(yes: bool | None) -> None:
            if yes:
                self._stop()

        question = f"Stop the evaluation? {STOPPING}"
        app_of(self).push_screen(ConfirmDialog(question, "stop", "go on"), sure)

    @work(group="steer")
    async def _stop(self) -> None:
        stopping = asyncio.create_task(self._source.stop())
        await asyncio.sleep(0)
        self.read()
        await stopping
        self.read()

    def action_resume(self) -> None:
        """Resume it, on a screen that replaces this one."""
        if self._on_resume is not None:
            self._on_resume(self)

    def action_run_again(self) -> None:
        """Open the form of an evaluation like this one."""
        if self._on_again is not None:
            self._on_again(self)

    def action_wall(self) -> None:
        """Show the running samples side by side."""
        from sandbox_tui.tui.screens.wall.samples_elsewhere import SamplesElsewhere
        from sandbox_tui.tui.screens.wall.wall_screen import WallScreen

        samples = SamplesElsewhere if self._source.runner is None else EvalSamples
        group = samples(self._source.info.id, self._run_workers)
        app_of(self).push_screen(WallScreen(self._run_workers, group))

    @work(group="report", exclusive=True)
    async def action_report(self) -> None:
        """Write the HTML report, and open it where there is a desktop."""
        from sandbox_tui.tui.screens.evals.show_report import show_report

        await show_report(self, self._run_workers.store, self._source.info.id)

    @work(group="score", exclusive=True)
    async def action_score_again(self) -> None:
        """Score the recorded answers again, and show the evaluation with the new scores."""
        from sandbox_tui.tui.screens.evals.scoring.score_again import score_again

        await score_again(self, self._run_workers, self._source.info.id)

    # --- leaving

    def action_back(self) -> None:
        """Clear the filter if there is one, otherwise leave."""
        if self._filter.words:
            self._filter = SampleFilter()
            self._show_filtered()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Leave; ask first what to do with a running evaluation that was started here."""
        if self._source.runner is not None and self._confirm_leave:
            app_of(self).push_screen(LeaveEvalDialog(), self._left)
        else:
            self.dismiss(None)

    def _left(self, choice: Leaving | None) -> None:
        if choice == "end":
            self._stop_and_leave()
        elif choice == "keep":
            self.call_later(self.dismiss_when_on_top, None)  # the question is still on top

    @work(group="leaving")
    async def _stop_and_leave(self) -> None:
        await self._source.stop()
        self.dismiss_when_on_top(None)
