"""The wall of rollouts: a row per group, a cell per rollout, the newest step first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.message import Message
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.rl.groups import RolloutGroup
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.training.rollout_words import reward_style, reward_word

HELD_OUT = "◇"
"""Marks the task of a group that the policy does not learn from."""

WIDE_CELL, NARROW_CELL = 7, 5
"""Width of a rollout's cell including the gap before it: rewards with two decimals, or with one."""

MIN_TASK_CELLS = 6
MIN_STEP_CELLS = 4
MEAN_CELLS = 6
MAX_TASK_CELLS = 28

_REVERSE = Style(reverse=True)


class _Columns(NamedTuple):
    """The layout of a row.

    Attributes:
        step: cells of the step's number.
        task: cells of the task.
        front: cells before the first rollout.
        cell: cells of a rollout, including the gap before it.
        per_line: rollouts per line.
        decimals: decimals of a reward.
    """

    step: int
    task: int
    front: int
    cell: int
    per_line: int
    decimals: int

    @classmethod
    def at(cls, width: int, groups: Sequence[RolloutGroup]) -> _Columns:
        step = max(MIN_STEP_CELLS, *(len(str(group.step)) for group in groups), 0)
        longest = max((len(group.task) for group in groups), default=4) + 1
        most = max((len(group.rollouts) for group in groups), default=1)
        fixed = 1 + step + 2 + MEAN_CELLS
        has_room = fixed + min(longest, MAX_TASK_CELLS) + min(most, 8) * WIDE_CELL <= width
        decimals, cell = (2, WIDE_CELL) if has_room else (1, NARROW_CELL)
        room = width - fixed - min(most, 8) * cell
        task = max(MIN_TASK_CELLS, min(longest, MAX_TASK_CELLS, room))
        front = fixed + task
        return cls(step, task, front, cell, max(1, (width - front) // cell), decimals)


class RolloutWall(BlockList):
    """Shows groups; the cursor is on one rollout of one group.

    Attributes:
        empty: text shown if there are no groups.
    """

    DEFAULT_CSS = """
    RolloutWall {
        height: 1fr; min-height: 4; border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("rollouts.left", "along(-1)", show=False),
        binding("rollouts.right", "along(1)", show=False),
    ]

    class Moved(Message):
        """The cursor moved to another rollout."""

    def __init__(self) -> None:
        super().__init__(id="rollout-wall")
        self._groups: Sequence[RolloutGroup] = ()
        self._running = False
        self._column = 0
        self._columns = _Columns.at(80, ())
        self.following = False
        self.empty = ""

    def show(self, groups: Sequence[RolloutGroup], *, running: bool) -> None:
        """Show groups; the cursor stays on its group, unless that is the first one.

        Args:
            groups: the groups in display order.
            running: whether the training is still running.
        """
        here = self.group if self.cursor > 0 else None
        line = self._tops[self.cursor] - self.scroll_offset.y if here is not None else 0
        self._groups, self._running = groups, running
        self.following = False
        self._lay_out()
        self.reset()
        if groups and self.cursor < 0:
            self.cursor = 0
        if here is not None:
            self._return_to(here, line)
        self.post_message(self.Moved())

    def go_to(self, column: int) -> None:
        """Put the cursor on another rollout of the same group."""
        if column != self._column:
            self._column = column
            self.changed(self.cursor, self.cursor)
            self._show_line_of_cursor()

    @property
    def group(self) -> RolloutGroup | None:
        """The group under the cursor."""
        return self._groups[self.cursor] if 0 <= self.cursor < len(self._groups) else None

    @property
    def column(self) -> int:
        """Index of the rollout under the cursor within its group."""
        group = self.group
        return 0 if group is None else min(self._column, len(group.rollouts) - 1)

    @property
    def rollout(self) -> Rollout | None:
        """The rollout under the cursor."""
        group = self.group
        return None if group is None else group.rollouts[self.column]

    def action_along(self, step: int) -> None:
        """Go to the next rollout of the group (1) or the previous one (-1)."""
        group = self.group
        if group is not None:
            self.go_to(min(max(0, self.column + step), len(group.rollouts) - 1))
            self.post_message(self.Moved())

    @override
    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        for index in (old, new):  # the cell under the cursor is drawn differently
            if 0 <= index < len(self._groups):
                self.changed(index, index)
        self.post_message(self.Moved())

    def _return_to(self, group: RolloutGroup, line: int) -> None:
        for index, one in enumerate(self._groups):
            if (one.step, one.split, one.task) == (group.step, group.split, group.task):
                self.cursor = index
                self._go_to_line(max(0, self._tops[index] - line))
                return

    @override
    def show_block(self, index: int) -> None:
        super().show_block(index)
        if index == self.cursor:
            self._show_line_of_cursor()

    def _show_line_of_cursor(self) -> None:
        """Scroll to the rollout under the cursor: a group may be taller than the view."""
        if self.group is None:
            return
        line = self._tops[self.cursor] + self.column // self._columns.per_line
        y, height = self.scroll_offset.y, self.scrollable_content_region.height
        if line < y:
            self._go_to_line(line)
        elif line >= y + height:
            self._go_to_line(line - height + 1)

    def _go_to_line(self, line: int) -> None:
        self.scroll_to(y=line, animate=False, force=True, immediate=True)

    def _lay_out(self) -> None:
        width = max(1, self.scrollable_content_region.width)
        self._columns = _Columns.at(width, self._groups)

    # --- drawing

    @override
    def on_resize(self, event: object) -> None:
        """Recompute the columns for the new width."""
        self._lay_out()
        self.reset()

    @override
    def block_count(self) -> int:
        return len(self._groups) or 1

    @override
    def block_height(self, index: int, width: int) -> int:
        if not self._groups:
            return 1
        return max(1, -(-len(self._groups[index].rollouts) // self._columns.per_line))

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        if not self._groups:
            return [Text(f"  {self.empty}", style=palette.dim, no_wrap=True, overflow="ellipsis")]
        group, columns = self._groups[index], self._columns
        lines: list[Text] = []
        for first in range(0, len(group.rollouts), columns.per_line):
            line = Text(" " * columns.front, no_wrap=True) if first else self._front(group, palette)
            for at in range(first, min(first + columns.per_line, len(group.rollouts))):
                self._append_cell(line, group.rollouts[at], index == self.cursor, at, palette)
            line.truncate(width)
            lines.append(line)
        return lines

    def _front(self, group: RolloutGroup, palette: Palette) -> Text:
        columns = self._columns
        line = Text(f" {group.step:>{columns.step}} ", style=palette.dim, no_wrap=True)
        measured = group.split == "held_out"
        line.append(HELD_OUT if measured else " ", style=palette.dim)
        name = _tail(sanitize_line(group.task), columns.task - 1)
        line.append(name, style=palette.dim if measured else palette.text)
        mean = group.mean_reward
        words = "" if mean is None else f"{mean:.2f}"
        return line.append(f" {words:>{MEAN_CELLS - 1}} ", style=palette.strong)

    def _append_cell(
        self, line: Text, rollout: Rollout, in_row: bool, at: int, palette: Palette
    ) -> None:
        columns = self._columns
        word = reward_word(rollout, decimals=columns.decimals, running=self._running)
        style = reward_style(rollout, palette)
        if in_row and at == self.column:
            style += _REVERSE
        line.append(" ")
        line.append(f"{word:^{columns.cell - 1}}", style=style)


def _tail(name: str, cells: int) -> str:
    """Return a task's id in exactly this number of cells; a long one keeps its distinctive end."""
    if cell_len(name) <= cells:
        return set_cell_size(name, cells)
    while name and cell_len(name) > cells - 1:
        name = name[1:]
    return set_cell_size(f"…{name}", cells)
