"""A running or finished training: its curves, the wall of its rollouts, and one group of them."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.rl.reading import TrainingReader
from sandbox_tui.sessions.store.tables.trainings import TrainingSummary
from sandbox_tui.tui.format.numbers import counted
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.progress_screen import ProgressScreen
from sandbox_tui.tui.screens.training.group_filter import GroupFilter
from sandbox_tui.tui.screens.training.header import progress_line, reason_line, title_line
from sandbox_tui.tui.screens.training.rollout_actions import RolloutActions
from sandbox_tui.tui.screens.training.screen_data import TrainingDataCache, TrainingScreenData
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.charts.chart_row import ChartRow
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.themed_text import ThemedText
from sandbox_tui.tui.widgets.training.curves import CURVES
from sandbox_tui.tui.widgets.training.group_table import GroupTable
from sandbox_tui.tui.widgets.training.rollout_wall import HELD_OUT, RolloutWall

GROUP_SHARE = 4
"""The group takes at most 1/`GROUP_SHARE` of the screen's lines."""

MIN_GROUP_LINES = 3


class TrainingScreen(ProgressScreen[TrainingScreenData]):
    """Shows a training run.

    Args:
        found: the training run.
        store: the store that contains it.
    """

    AUTO_FOCUS = "RolloutWall"

    MIN_LINES_FOR_CHARTS = 30

    CSS = """
    TrainingScreen { background: $background; }
    TrainingScreen > ThemedText { height: 1; padding: 0 1; background: $panel; }
    TrainingScreen #training-reason { display: none; }
    TrainingScreen #training-reason.-shown { display: block; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("training.compare", "compare"),
        binding("training.charts", "charts"),
        binding("training.filter", "filter"),
        binding("training.export", "export"),
        binding("training.next_pane", "app.focus_next", show=False),
        binding("training.previous_pane", "app.focus_previous", show=False),
        binding("training.back", "back", show=False),
        binding("training.leave", "leave"),
    ]

    def __init__(self, found: TrainingSummary, store: Store) -> None:
        super().__init__()
        self._found = found
        self._reader = TrainingReader(store, found.id)
        self._actions = RolloutActions(self, store)
        self._cache = TrainingDataCache()
        self._filter = GroupFilter()

    def compose(self) -> ComposeResult:
        """Yield title and progress, charts, wall, group, keys."""
        yield ThemedText(
            lambda palette: title_line(self._found, self._columns, palette), id="training-title"
        )
        yield ThemedText(
            lambda palette: progress_line(self._data, self._columns, palette),
            id="training-progress",
        )
        yield ThemedText(lambda palette: reason_line(self._found, palette), id="training-reason")
        yield ChartRow("over steps", id="training-charts")
        yield RolloutWall()
        yield GroupTable()
        yield KeyBar()

    @property
    def training(self) -> str:
        """Name and model, for the terminal title."""
        return sanitize_line(f"{self._found.name} · {model_title(self._found.model)}")

    # --- what is shown

    @override
    def compute(self) -> TrainingScreenData | None:
        reading = self._reader.read()
        return None if reading is None else self._cache.data_of(reading)

    @override
    def show_data(self, data: TrainingScreenData) -> None:
        self._found = data.reading.summary
        is_over = self._found.status not in ("running", "finished")
        self.query_one("#training-reason").set_class(is_over, "-shown")
        for name in ("title", "progress", "reason"):
            self.query_one(f"#training-{name}").refresh()
        self._show_charts(data)
        self._show_wall(data)
        self.refresh_bindings()

    def _show_charts(self, data: TrainingScreenData) -> None:
        charts, has_room = self.query_one(ChartRow), self._has_room_for_charts
        charts.set_class(self._shows_charts, "-shown")
        charts.styles.height = None if has_room else "1fr"
        self.query_one(RolloutWall).display = has_room or not self._shows_charts
        if self._shows_charts:
            charts.show(data.series, CURVES)

    def _show_wall(self, data: TrainingScreenData) -> None:
        wall = self.query_one(RolloutWall)
        groups = [group for group in data.groups if self._filter.fits(group)]
        wall.empty = self._nothing
        wall.show(groups, running=self._found.running)
        words = f"step, task, mean, reward of each rollout · {counted(len(groups), 'group')}"
        wall.border_title = f"{words} {self._filter.words}".rstrip()
        measured = any(group.split == "held_out" for group in groups)
        parts = [f"{HELD_OUT} held out"] if measured else []
        parts += [f"{hint('training.back')} show all"] if self._filter.words else []
        parts += [f"{hint('list.open')} replay"] if groups else []
        wall.border_subtitle = " · ".join(parts)
        self._show_group()

    @on(RolloutWall.Moved)
    def _show_group(self) -> None:
        wall, table = self.query_one(RolloutWall), self.query_one(GroupTable)
        table.show(wall.group, wall.column, running=self._found.running)
        table.styles.max_height = 2 + max(MIN_GROUP_LINES, self.size.height // GROUP_SHARE - 2)
        table.display = wall.group is not None
        table.border_subtitle = f"{hint('training.compare')} compare best and worst"

    @property
    def _nothing(self) -> str:
        if self._filter.words:
            return f"No matching groups. {hint('training.filter')} changes the filter."
        return "No rollout has started yet."

    # --- the rollouts

    @on(BlockList.Highlighted, "#rollout-group")
    def _moved_in_group(self, event: BlockList.Highlighted) -> None:
        if self.query_one(GroupTable).has_focus:
            self.query_one(RolloutWall).go_to(event.index)

    @on(BlockList.Selected)
    def _chosen(self, event: BlockList.Selected) -> None:
        event.stop()
        rollout = self.query_one(RolloutWall).rollout
        if rollout is not None:
            self._actions.replay(rollout)

    def action_compare(self) -> None:
        """Compare the best and the worst rollout of the group."""
        group = self.query_one(RolloutWall).group
        if group is not None:
            self._actions.compare(group)

    def action_export(self) -> None:
        """Export the good rollouts to a file for fine-tuning."""
        self.run_worker(self._actions.export(self._found.id), exclusive=True, group="export")

    def action_filter(self) -> None:
        """Show only groups of one kind, or all."""
        self._filter = self._filter.next()
        self._show_filtered()

    def _show_filtered(self) -> None:
        if self._data is not None:
            self._show_wall(self._data)

    # --- leaving

    def action_back(self) -> None:
        """Clear the filter if there is one, otherwise leave."""
        if self._filter.words:
            self._filter = GroupFilter()
            self._show_filtered()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Leave; the training continues."""
        self.dismiss(None)
