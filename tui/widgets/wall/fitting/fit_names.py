"""Fits what distinguishes a run from the others into the cells there are."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from sandbox_tui.tui.format.fit_line import fit_line

SEPARATOR = " · "

MIN_TASK_CELLS = 5
"""Minimum cells of a task that is cut, so that it still says something."""


def fit_names(names: Sequence[str], task: str, room: int, spare: str = "") -> str:
    """Return names joined, in at most `room` cells: the task is cut first, since runs with nearly
    the same task are told apart by what follows, such as the model.

    Args:
        names: in their order, without empty ones.
        task: the one of them that is cut first; empty if none is.
        room: available cells.
        spare: one of them that is left out if the others have no room beside it.
    """
    least = sum(
        min(cell_len(one), MIN_TASK_CELLS) if one == task else cell_len(one) for one in names
    )
    if spare and least + cell_len(SEPARATOR) * (len(names) - 1) > room:
        names = [one for one in names if one != spare]
    excess = cell_len(SEPARATOR.join(names)) - room
    if excess > 0 and task in names:
        left = max(MIN_TASK_CELLS, cell_len(task) - excess)
        names = [_cut(one, left) if one == task else one for one in names]
    return _cut(SEPARATOR.join(names), room)


def _cut(words: str, room: int) -> str:
    line = Text(words)
    fit_line(line, max(1, room))
    return line.plain
