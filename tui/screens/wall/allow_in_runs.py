"""Allows calls in further runs of the wall, and says what that has done."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.screens.cockpit.live.approving.call_drafts import CallDrafts
from sandbox_tui.tui.widgets.wall.group_summary import short_ranges
from sandbox_tui.tui.widgets.wall.run_tile import RunTile


class AllowInRuns:
    """Allows in other runs what the user has just allowed in one.

    A waiting call whose edit was left as a draft keeps waiting: running it would drop the draft.

    Args:
        screen: the wall.
        number: that of the run in which the user allows calls.
        tiles: the other runs.

    Attributes:
        number: as above.
    """

    def __init__(self, screen: Screen[None], number: int, tiles: Sequence[RunTile]) -> None:
        self.number = number
        self._screen = screen
        self._tiles = tiles

    @property
    def count(self) -> int:
        """Number of the other runs."""
        return len(self._tiles)

    def allow(self, tool: str, patterns: Sequence[str]) -> None:
        """Allow calls in these runs, and say how many now run, that of the first run included."""
        runs, calls, kept = 1, 1, list[int]()
        for tile in self._tiles:
            run = tile.worker.run
            if run is None or not run.steerable:
                continue
            runs += 1
            draft = self._call_with_draft(tile)
            if run.gate.would_allow(tool, patterns):
                if draft is None:
                    calls += 1
                else:
                    kept.append(tile.number)
            run.allow(tool, patterns, draft)
        words = f"Allowed in {numbers.counted(runs, 'run')}: {numbers.counted(calls, 'call')} "
        words += f"{'runs' if calls == 1 else 'run'}{_about_kept(sorted(kept))}."
        self._screen.notify(words, markup=False)

    def _call_with_draft(self, tile: RunTile) -> int | None:
        """Return the number of the waiting call of a run if its edit was left as a draft."""
        pending = tile.state.pending
        number = None if pending is None else pending.call.number
        return None if CallDrafts(self._screen, tile.worker).of(number) is None else number


def _about_kept(runs: Sequence[int]) -> str:
    if not runs:
        return ""
    if len(runs) == 1:
        return f"; run {runs[0]} keeps waiting: it has a draft"
    return f"; runs {short_ranges(runs)} keep waiting: they have drafts"
