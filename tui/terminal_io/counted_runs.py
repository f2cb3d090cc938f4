"""News of several runs in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sandbox_tui.core.run.run_labels import SAMPLES
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.status import status_of
from sandbox_tui.tui.format.titles import cut_title, task_line
from sandbox_tui.tui.terminal_io.notifications import notification_text, waits

if TYPE_CHECKING:
    from sandbox_tui.core.events.run_state import RunState
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


def going_words(states: Sequence[RunState], one_run: str = "1 run") -> str:
    """Return what runs that have not ended do: how many wait for the user, how many are paused, and
    how many are still running.

    Args:
        states: theirs; at least one.
        one_run: what to call a single one.
    """
    found = Counter(map(_what_it_does, states))
    (count, does), *rest = [
        (found[what], one if found[what] == 1 else several)
        for what, (one, several) in _DO.items()
        if found[what]
    ]
    runs = one_run if len(states) == 1 else numbers.counted(count, "run")
    return ", ".join([f"{runs} {does}", *(f"{many} {do}" for many, do in rest)])


_DO = {
    "waits": ("waits for you", "wait for you"),
    "paused": ("is paused", "are paused"),
    "running": ("is still running", "are still running"),
}


def _what_it_does(state: RunState) -> str:
    if notification_text(state):
        return "waits"
    return "paused" if status_of(state).words in ("paused", "frozen") else "running"


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
