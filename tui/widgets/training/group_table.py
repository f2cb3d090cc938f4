"""The rollouts of one group, one line each: reward, advantage, and how each ended."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.content import Content
from typing_extensions import override

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.rl.groups import HELD_OUT_TASKS, RolloutGroup
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.training.rollout_words import (
    advantage_style,
    advantage_word,
    end_words,
    reward_style,
    reward_word,
)

BAR_CELLS = 6
"""Length of the bar for the largest advantage of a group."""

WIDE = 76
"""Minimum width for showing bars."""

END_CELLS = 14


class GroupTable(BlockList):
    """Shows the rollouts of a group."""

    DEFAULT_CSS = """
    GroupTable {
        height: auto; border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="rollout-group")
        self._rollouts: Sequence[Rollout] = ()
        self._running = False
        self.following = False
        self.border_title = "group"

    def show(self, group: RolloutGroup | None, column: int, *, running: bool) -> None:
        """Show a group with the cursor on one of its rollouts.

        Args:
            group: the group; None empties the table.
            column: index of the rollout under the cursor.
            running: whether the training is still running.
        """
        rollouts = group.rollouts if group is not None else ()
        if (rollouts, running) != (self._rollouts, self._running):
            self._rollouts, self._running = rollouts, running
            self.reset()
        self.cursor = column if rollouts else -1
        self.show_block(self.cursor)
        self.border_title = Content("group" if group is None else _title(group))

    @property
    def rollout(self) -> Rollout | None:
        """The rollout under the cursor."""
        return self._rollouts[self.cursor] if 0 <= self.cursor < len(self._rollouts) else None

    @property
    @override
    def shows_cursor(self) -> bool:
        return bool(self._rollouts)

    @override
    def block_count(self) -> int:
        return len(self._rollouts)

    @override
    def block_height(self, index: int, width: int) -> int:
        return 1

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        largest = max((abs(one.advantage or 0.0) for one in self._rollouts), default=0.0)
        bar = BAR_CELLS if width >= WIDE else 0
        line = self._line(self._rollouts[index], largest, bar, palette_of(self))
        line.truncate(width, overflow="ellipsis")
        return [line]

    def _line(self, rollout: Rollout, largest: float, bar: int, palette: Palette) -> Text:
        line = Text(f" {rollout.number:>2} ", style=palette.dim, no_wrap=True)
        word = reward_word(rollout, decimals=2, running=self._running)
        line.append(f"{word:>6} ", style=reward_style(rollout, palette))
        style = advantage_style(rollout, palette)
        line.append(f"{advantage_word(rollout):>6} ", style=style)
        share = abs(rollout.advantage or 0.0) / largest if largest else 0.0
        if bar:
            line.append(f"{'━' * round(bar * share):<{bar}} ", style=style)
        line.append(f"{end_words(rollout, running=self._running):<{END_CELLS}}", style=palette.text)
        if self._rollouts[0].task != self._rollouts[-1].task:  # each rollout has a different task
            line.append(f"{sanitize_line(rollout.task)}  ", style=palette.text)
        parts = [
            numbers.counted(rollout.steps, "turn"),
            numbers.counted(rollout.tool_calls, "call"),
            f"{numbers.count(rollout.tokens)} tok",
            short_duration(rollout.seconds),
            *(["text"] if rollout.mode == "text" else []),
            rollout.run_id,
        ]
        return line.append(" · ".join(parts if rollout.over else parts[-1:]), style=palette.dim)


def _title(group: RolloutGroup) -> str:
    words = f"step {group.step} · {sanitize_line(group.task)}"
    alone = group.split == "held_out" and group.task != HELD_OUT_TASKS
    return f"{words} · held out" if alone else words
