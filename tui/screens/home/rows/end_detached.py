"""Ends detached runs from the list of sessions, after asking."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import cut_title, task_title
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.textual_support.toasts import complain_here
from sandbox_tui.tui.textual_support.typed_app import app_of

MAX_TITLE_CHARACTERS = 60
"""Maximum characters of a run's title in a question or a notice."""


def can_be_ended(run: RunSummary) -> bool:
    """Return whether a session is a detached run of this host, which goes on."""
    return run.outcome == "running" and not run.elsewhere and is_detached(run.id)


def all_can_be_ended(runs: Sequence[RunSummary]) -> bool:
    """Return whether there are sessions, and all are detached runs that go on."""
    return bool(runs) and all(map(can_be_ended, runs))


async def may_end(screen: Screen[None], runs: Sequence[RunSummary]) -> bool:
    """Ask whether to end the runs; everything recorded so far is kept."""
    question = f"End the detached {_named(runs)}? What it has recorded is kept."
    if len(runs) > 1:
        question = f"End {_named(runs)}? What they have recorded is kept."
    return bool(await app_of(screen).push_screen_wait(ConfirmDialog(question, "end", "keep")))


async def end_detached(screen: Screen[None], runs: Sequence[RunSummary], store: Store) -> None:
    """End the runs one after the other; say what was ended, or why one could not be."""
    from sandbox_tui.sessions.remote.client import end_run

    ended: list[RunSummary] = []
    for run in runs:
        try:
            await end_run(run, store)
        except SandboxTuiError as error:
            complain_here(screen, str(error))
        else:
            ended.append(run)
    if ended:
        words = _named(ended)
        screen.notify(f"Ended {words}." if len(ended) > 1 else f"Ended the {words}.", markup=False)


def _named(runs: Sequence[RunSummary]) -> str:
    if len(runs) == 1:
        return f"run “{cut_title(task_title(runs[0]), MAX_TITLE_CHARACTERS)}”"
    return numbers.counted(len(runs), "detached run")
