"""Says on the wall which terminal has taken control of its runs, and whose programs are gone."""

from __future__ import annotations

import time
from collections.abc import Sequence, Set

from textual.screen import Screen

from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.cockpit.outdated_notices import CONTROL_TAKEN
from sandbox_tui.tui.screens.wall.dialogs.choose_one_or_all import Which
from sandbox_tui.tui.screens.wall.dialogs.take_runs import TakeRunsDialog
from sandbox_tui.tui.screens.wall.steering.controlled_runs import next_of_another, why_not
from sandbox_tui.tui.screens.wall.steering.key_answers import KeyAnswers
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.wall.group_summary import short_ranges
from sandbox_tui.tui.widgets.wall.run_facts import is_watched
from sandbox_tui.tui.widgets.wall.run_tile import RunTile


class ControlNews:
    """Takes control of runs, and says which were taken here or by another terminal, and which lost
    their program; call `sync` often.

    Args:
        screen: the wall; what happens while another screen covers it is said afterwards.
        answers: shows the notices.
    """

    def __init__(self, screen: Screen[None], answers: KeyAnswers) -> None:
        self._screen = screen
        self._answers = answers
        self._mine: dict[int, FoldedRun] = {}
        self._elsewhere: frozenset[int] = frozenset()
        self._gone: set[int] = set()
        self._asked: set[int] = set()
        self._gained: set[int] = set()
        self._lost: set[int] = set()
        self._said_lost_at = 0.0

    def ask_which(self, tile: RunTile, tiles: Sequence[RunTile]) -> None:
        """Take control of a run, which is then the chosen one; if there are several to take, ask
        whether all are meant, which leaves the chosen one as it is.

        Args:
            tile: the one that the key is about.
            tiles: those that are shown.
        """

        def answered(which: Which | None) -> None:
            if which == "all":
                for one in self._left_to_take(tiles):
                    self.take(one)
            elif which == "one":
                self.take(tile)
                self._screen.set_focus(tile)

        count = len(self._left_to_take(tiles))
        if count > 1:
            app_of(self._screen).push_screen(TakeRunsDialog(tile.number, count), answered)
        else:
            answered("one")

    def _left_to_take(self, tiles: Sequence[RunTile]) -> list[RunTile]:
        """Return the runs that another terminal controls and has not been asked to pass on yet."""
        left = [one for one in tiles if one.number not in self._asked]
        return [one for one in left if not why_not("steer", one)]

    def take(self, tile: RunTile) -> None:
        """Take control of a run; it is said once its program has passed it on."""
        self._asked.add(tile.number)
        tile.worker.take_over()

    def opened(self, tile: RunTile) -> None:
        """Put away the notice that a run lost its program: its own screen says so."""
        if tile.number in self._gone:
            self._answers.put_away("control")

    def to_take(self, chosen: RunTile | None, tiles: Sequence[RunTile]) -> RunTile | None:
        """Return the run that the key takes control of: the chosen one if another terminal controls
        it and has not been asked to pass it on yet, otherwise the next such run; None without any.

        Args:
            chosen: the focused run.
            tiles: those that are shown.
        """
        wanted = None if why_not("steer", chosen) else chosen
        if wanted is not None and wanted.number not in self._asked:
            return wanted
        return self._next_to_take(chosen, tiles) or wanted

    def _next_to_take(self, chosen: RunTile | None, tiles: Sequence[RunTile]) -> RunTile | None:
        """Return the run to take after the chosen one: first those that were just lost, as the
        notice about them says; None without any."""
        left = [one for one in tiles if one is chosen or one.number not in self._asked]
        lost = [one for one in left if one.number in self._lost]
        return next_of_another(lost, chosen) or next_of_another(left, chosen)

    def sync(self, tiles: Sequence[RunTile]) -> None:
        """Say what has changed since the last time.

        Args:
            tiles: all of the wall.
        """
        if not self._screen.is_current:
            return
        before, going = self._mine, self._mine.keys() | self._elsewhere
        self._mine = {one.number: one.worker for one in tiles if one.worker.steers}
        watched = [one for one in tiles if is_watched(one.worker)]
        self._elsewhere = frozenset(one.number for one in watched)
        self._say_gone(going, tiles)
        taken = [one for one in watched if before.get(one.number) is one.worker]  # none resumed
        if lost := {one.number for one in taken if one.worker.can_be_steered}:
            self._say_lost(lost, [one for one in tiles if one.display])
        if back := self._lost & self._mine.keys():
            self._lost -= back
            self._answers.put_away("control")
            if self._lost and not back & self._asked:
                self._tell_lost([one for one in tiles if one.display])
        if gained := self._asked & self._mine.keys():
            self._asked -= gained
            self._gained |= gained
            self._lost.clear()
            left = self._left_to_take([one for one in tiles if one.display])
            self._answers.say("control", _gained_words(sorted(self._gained), len(left)))
        if not self._asked:
            self._gained.clear()

    def _say_gone(self, going: Set[int], tiles: Sequence[RunTile]) -> None:
        """Say which runs lost their program; what was said of their control is no longer true. Once
        one of them goes on, that is no longer true either.

        Args:
            going: the runs that went on the last time.
            tiles: all of the wall.
        """
        cut_off = {one.number for one in tiles if isinstance(one.worker.failure, ProgramExited)}
        go_on = self._gone - cut_off
        self._gone -= go_on
        self._asked -= cut_off
        self._lost -= cut_off
        if new := going & cut_off:
            self._gone |= new
            words = _gone_words(sorted(self._gone), len(tiles))
            self._answers.say("control", words, severity="warning", seconds=RESULT_SECONDS)
        elif go_on:
            self._answers.put_away("control")

    def _say_lost(self, lost: Set[int], shown: Sequence[RunTile]) -> None:
        """Say which runs another terminal has taken within a moment."""
        now = time.monotonic()
        if now - self._said_lost_at > RESULT_SECONDS:
            self._lost.clear()
        self._lost |= lost
        self._said_lost_at = now
        self._tell_lost(shown)

    def _tell_lost(self, shown: Sequence[RunTile]) -> None:
        is_shown = any(one.number in self._lost for one in shown)
        words = _lost_words(sorted(self._lost), is_shown=is_shown)
        self._answers.say("control", words, severity="warning", seconds=RESULT_SECONDS)


def _lost_words(runs: Sequence[int], *, is_shown: bool) -> str:
    """Say which runs are lost, and the key that takes them back, unless they are hidden."""
    is_one = len(runs) == 1
    which = f"run {runs[0]}" if is_one else f"{len(runs)} runs ({short_ranges(runs)})"
    back = f"; {hint('wall.steer')} takes {'it' if is_one else 'them'} back" if is_shown else ""
    return f"{CONTROL_TAKEN} of {which}{back}."


def _gone_words(runs: Sequence[int], tiles: int) -> str:
    """Say whose programs are gone, and how a run is resumed: the key is about the chosen one.

    Args:
        runs: their numbers.
        tiles: number of runs that the wall has.
    """
    resumes = f"{hint('wall.resume')} resumes it"
    if len(runs) == 1:
        there = "go to it, then " if tiles > 1 else ""
        return f"Run {runs[0]}'s program is gone: {there}{resumes}."
    is_pair = len(runs) == 2
    which = f"{runs[0]} and {runs[1]}" if is_pair else short_ranges(runs)
    several = "both" if is_pair else f"all {len(runs)}"
    return f"The programs of runs {which} are gone: go to one, then {resumes}, or {several}."


def _gained_words(runs: Sequence[int], left: int) -> str:
    """Say which runs are controlled from here, and how many more can be."""
    if len(runs) == 1:
        words = f"You control run {runs[0]}"
    else:
        words = f"You control runs {short_ranges(runs)}"
    if not left:
        return f"{words}."
    following = f"the next of {left}, or all" if left > 1 else "the last one"
    return f"{words}; {hint('wall.steer')} takes {following}."
