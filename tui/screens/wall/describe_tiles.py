"""Gives the tiles what they show of how their runs compare with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandbox_tui.tui.format.titles import first_line, model_title, task_line
from sandbox_tui.tui.widgets.wall.run_facts import mode_words, status_words
from sandbox_tui.tui.widgets.wall.run_groups import model_of, votes_in
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from sandbox_tui.tui.widgets.wall.wall_header import shared_mode, shared_model, shared_task


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
    width = max((len(status_words(tile.worker)) for tile in shown), default=0)
    for tile in shown:
        own = "" if task else task_line(tile.worker.task)
        tile.differs = (
            own,
            "" if model else model_title(model_of(tile.worker)),
            "" if mode else mode_words(tile.worker),
        )
        tile.session_title = first_line(titles.get(tile.worker.run_id, ""))
        tile.vote = votes.get(tile.worker.run_id, "")
        tile.state_width = width
