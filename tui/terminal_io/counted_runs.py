"""News of several runs in one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sandbox_tui.core.run.run_labels import SAMPLES
from sandbox_tui.tui.format.titles import cut_title, task_line
from sandbox_tui.tui.terminal_io.notifications import waits

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunWorker

MAX_TASK_CHARACTERS = 40
"""Characters of the task that several runs have in common."""


def counted(runs: Sequence[RunWorker], told: Iterable[RunWorker] = ()) -> str:
    """Return how many of these runs have ended, and how many wait for the user.

    Args:
        runs: the runs.
        told: runs of which it is known that they have ended.
    """
    ended = [run for run in runs if not waits(run)]
    waiting = [run for run in runs if waits(run)]
    own = _label(ended)
    more = " more" if own and any(_label([run]) == own for run in told) else ""
    parts = (
        f"{_which(ended, more)} {'has' if len(ended) == 1 else 'have'} ended" if ended else "",
        f"{_which(waiting)} {'waits' if len(waiting) == 1 else 'wait'} for you" if waiting else "",
    )
    return " · ".join(part for part in parts if part)


def going_words(going: int, waiting: int) -> str:
    """Return what several runs that have not ended do: how many wait for the user, and how many go
    on.

    Args:
        going: how many have not ended.
        waiting: how many of these wait for the user.
    """
    if not waiting:
        return f"{going} runs are still running"
    wait = "1 run waits for you" if waiting == 1 else f"{waiting} runs wait for you"
    others = going - waiting
    return f"{wait}, {others} {'is' if others == 1 else 'are'} still running" if others else wait


def _which(runs: Sequence[RunWorker], more: str = "") -> str:
    """Return the number of these runs, and their task if they are samples of one."""
    if len(runs) > 1 and _label(runs):
        task = cut_title(task_line(runs[0].request.task), MAX_TASK_CHARACTERS)
        return f"{len(runs)}{more} of “{task}”"
    return f"{len(runs)} {'run' if len(runs) == 1 else 'runs'}"


def _label(runs: Sequence[RunWorker]) -> str:
    """Return the label of the samples of one task that all of these runs are; empty otherwise."""
    labels = {run.request.labels.get(SAMPLES, "") for run in runs}
    return labels.pop() if len(labels) == 1 else ""
