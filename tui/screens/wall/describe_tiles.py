"""Gives the tiles what they show of how their runs compare with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from sandbox_tui.tui.format.titles import first_line, model_title, task_line
from sandbox_tui.tui.widgets.wall.run_facts import mode_words
from sandbox_tui.tui.widgets.wall.run_groups import (
    model_of,
    shared_mode,
    shared_model,
    shared_task,
    tasks_marked,
    votes_in,
)
from sandbox_tui.tui.widgets.wall.run_tile import RunTile

TILES_AT_ONCE = 16
"""Tiles that are drawn again in one update of the wall if nothing but output, time and tokens has
changed: with many more, the keys would have to wait."""

MAX_TURNS = 8
"""Maximum number of updates after which each tile has had its turn."""


def is_due(tile: RunTile, turn: int, count: int) -> bool:
    """Return whether a tile is drawn again although the state of its run has not changed.

    Args:
        tile: one of the tiles shown.
        turn: number of the update.
        count: number of tiles shown.
    """
    turns = min(MAX_TURNS, -(-count // TILES_AT_ONCE))
    return tile.has_focus or turns <= 1 or tile.number % turns == turn % turns


def describe_tiles(
    shown: Sequence[RunTile], tiles: Sequence[RunTile], titles: Mapping[str, str]
) -> None:
    """Set the titles of tiles, what distinguishes their runs, and how many agree with them.

    Args:
        shown: the tiles to describe.
        tiles: all tiles of the wall.
        titles: the titles that the user gave the sessions, by session.
    """
    runs = [(tile.number, tile.worker) for tile in tiles]
    task, model, mode = shared_task(runs), shared_model(runs), shared_mode(runs)
    votes = votes_in(runs)
    marks_said = tasks_marked(run for _, run in runs)
    width = max((len(tile.status_words) for tile in shown), default=0)
    for tile in shown:
        own = "" if task else task_line(tile.worker.task)
        tile.differs = (
            own,
            "" if model else model_title(model_of(tile.worker)),
            "" if mode else mode_words(tile.worker),
        )
        tile.session_title = first_line(titles.get(tile.worker.run_id, ""))
        tile.vote = votes.get(tile.worker.run_id, "")
        tile.marks_said = tile.worker.task in marks_said
        tile.state_width = width
    names = max((cell_len(" · ".join(filter(None, tile.names))) for tile in shown), default=0)
    for tile in shown:
        tile.names_width = names
