"""Ends runs from the list of sessions, after asking: those of this program, and detached ones."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.sessions import RunRegistry, RunSummary
from sandbox_tui.sessions.recording.run_registry import ENDED_BY_USER
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import cut_title, task_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog, end_question
from sandbox_tui.tui.textual_support.toasts import complain_here, note_here
from sandbox_tui.tui.textual_support.typed_app import app_of

if TYPE_CHECKING:  # imported with the first run
    from sandbox_tui.sessions import RunWorker

JUST_SECONDS = 4.0
"""Seconds after its end in which a run may still have been shown as running when a key was
pressed."""

MAX_TITLE_CHARACTERS = 60
"""Maximum characters of a run's title in a question or a notice."""


class RunEnder:
    """Ends runs that go on without being watched, except samples of an evaluation.

    Args:
        screen: shows the list; the question opens over it.
        workers: the runs of this program, and the store with all sessions.
    """

    def __init__(self, screen: Screen[None], workers: RunRegistry) -> None:
        self._screen = screen
        self._run_workers = workers
        self._could_end: set[str] = set()

    def can_end(self, runs: Sequence[RunSummary]) -> bool:
        """Return whether there are sessions, and all are runs that go on and can be ended here."""
        all_can = bool(runs) and all(map(self._can_end, runs))
        self._could_end.update(run.id for run in runs if all_can)
        return all_can

    def said_they_ended(self, runs: Sequence[RunSummary]) -> bool:
        """If the key was to end one of these runs, which has ended by itself within the last
        seconds, say so, once: the same key now deletes it. Return whether that was said."""
        just = [run for run in runs if run.id in self._could_end and _has_just_ended(run)]
        self._could_end.difference_update(run.id for run in runs)
        if just:
            those = "itself" if len(just) == 1 else "themselves"
            run = _named(just, are_detached=False)
            words = f"The {run} has" if len(just) == 1 else f"{run} have"
            again = f"{hint('home.delete')} again deletes {'it' if len(just) == 1 else 'them'}"
            self._screen.notify(f"{words} just ended by {those}; {again}.", markup=False)
        return bool(just)

    def _can_end(self, run: RunSummary) -> bool:
        if run.outcome != "running" or run.elsewhere:
            return False
        return self._own(run) is not None or is_detached(run.id)

    def _own(self, run: RunSummary) -> RunWorker | None:
        """Return the run of this program that records a session; None for other sessions."""
        if run.id in self._run_workers.samples:
            return None
        worker = self._run_workers.all.get(run.id)
        return None if worker is None or worker.ended.is_set() else worker

    async def may_end(self, runs: Sequence[RunSummary]) -> bool:
        """Ask whether to end the runs; everything recorded so far is kept."""
        named = _named(runs, self._are_detached(runs))
        if len(runs) > 1:
            question = f"End {named}? What they have recorded is kept."
        elif self._own(runs[0]) is None:
            question = f"End the detached {named}? What it has recorded is kept."
        else:
            question = end_question(f"the {named}")
        dialog = ConfirmDialog(question, "end", "go on")
        return bool(await app_of(self._screen).push_screen_wait(dialog))

    async def forget(self, run_id: str) -> None:
        """Forget the run of a session that was deleted: it is no news any more."""
        if (worker := self._run_workers.all.get(run_id)) is not None:
            await worker.release_sandbox()
            self._run_workers.release(worker)

    async def end(self, runs: Sequence[RunSummary]) -> None:
        """End the runs one after the other; say what was ended, or why one could not be."""
        ended: list[RunSummary] = []
        are_detached = self._are_detached(runs)
        for run in runs:
            try:
                await self._end(run)
            except SandboxTuiError as error:
                complain_here(self._screen, str(error))
            else:
                ended.append(run)
        if ended:
            the = "" if len(ended) > 1 else "the "
            note_here(self._screen, f"Ended {the}{_named(ended, are_detached)}.")

    async def _end(self, run: RunSummary) -> None:
        from sandbox_tui.sessions.remote.client import end_run

        worker = self._own(run)
        if worker is None:
            await end_run(run, self._run_workers.store)
        else:
            await worker.stop(ENDED_BY_USER)

    def _are_detached(self, runs: Sequence[RunSummary]) -> bool:
        return all(self._own(run) is None for run in runs)


def _has_just_ended(run: RunSummary) -> bool:
    """Return whether a run has ended by itself within the last seconds."""
    if run.ended_at is None or run.error == ENDED_BY_USER:
        return False
    return time.time() - run.ended_at < JUST_SECONDS


def _named(runs: Sequence[RunSummary], are_detached: bool) -> str:
    if len(runs) == 1:
        return f"run “{cut_title(task_title(runs[0]), MAX_TITLE_CHARACTERS)}”"
    return numbers.counted(len(runs), "detached run" if are_detached else "run")
